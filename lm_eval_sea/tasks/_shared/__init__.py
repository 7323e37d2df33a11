"""Task classes and pure functions that every data set uses, with the templates (`*_yaml`) that name them.

Read `metrics/ranking.py` for the formulae, `ranking_task.py` for how they reach lm-eval.
"""

# The version of the pack. It is here because the folder of tasks also works alone.
__version__ = "0.2.0"
