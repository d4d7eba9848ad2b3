"""The compiled model: its buffers, the names to read them by, callbacks, stored histories."""
