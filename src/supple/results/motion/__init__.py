"""The motion audit: findings about the numbers of a run that balances do not show.

Growth of errors by comparison with other tolerances, unstable motion, output that is too coarse. It
imports `views` and `data`.
"""
