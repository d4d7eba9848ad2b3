"""Arms with rigid and flexible links: Huang, Zhao, Nada."""
