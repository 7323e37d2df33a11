"""Task classes and pure functions that every data set uses, with the templates (`*_yaml`) that name them.

Read `ranking.py` for the formulae, `ranking_task.py` for how they reach lm-eval.
"""
