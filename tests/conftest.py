"""Settings for all tests.

Property tests draw the same examples in every run, so that a red test is red for everyone.
`pytest --hypothesis-profile=thorough` searches further, with new examples each time.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Deadlines are off: the first example may load or compile kernels.
settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")
