"""Results: arrays by name, verdicts, stress, files and plots.

`data` has the arrays of a run and its audit, `views` what is read by name, `monitor`, `checks`,
`flexibility` and `motion` the verdict, `files` what is written. It is given arrays and functions,
and imports the items of models and drawing, no engine and no kernels.
"""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
