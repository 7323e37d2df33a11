"""What SEA-HELM computes from samples of lm-eval runs."""
