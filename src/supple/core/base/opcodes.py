"""Codes of signals and of the operations of their programs; free of Numba, so that the vocabulary can use them."""

PIECEWISE, SINE, PROGRAM = 0, 1, 2
SIGNALS = (PIECEWISE, SINE, PROGRAM)  # all codes that ``core/forces/signals.py`` evaluates

# Operations of programs, each a pair (operation, argument) in the signal reals. In laws of springs and dampers TIME is the
# deflection and RATE its rate
(
    NUMBER, TIME, RATE, SIGNAL, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MINIMUM, MAXIMUM, NEGATE, RAISE, SINE_OF, COSINE_OF,
    TANGENT_OF, ARCSINE_OF, ARCCOSINE_OF, ARCTANGENT_OF, TANH_OF, EXP_OF, LOG_OF, ROOT_OF, ABSOLUTE, SIGN, STEP,
) = range(26)
STACK = 32  # cells of the stack: value, rate, curvature
