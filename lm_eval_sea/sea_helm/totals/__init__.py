"""SEA-HELM's totals from the samples of lm-eval runs: task → competency → language → Southeast Asia."""
