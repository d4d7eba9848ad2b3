"""``python -m supple`` is the command line."""

from supple.cli import app

app()
