"""Models as FMUs (Functional Mock-up Interface 2.0 and 3.0), and FMUs as controllers."""
