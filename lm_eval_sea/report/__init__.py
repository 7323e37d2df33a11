"""The report: from runs of lm-eval to tables, figures and a page."""
