"""Studies of several runs: convergence, chaos, comparison."""
