"""Models as FMUs (Functional Mock-up Interface 2.0 and 3.0), and FMUs as controllers.

Export packs the kernels of one model with C code and a description; import unpacks with care and
calls by ctypes. Ports are texts of outputs.
"""
