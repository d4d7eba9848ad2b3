"""Pictures of models in motion: what is drawn, as plain arrays, and the files made of them."""
