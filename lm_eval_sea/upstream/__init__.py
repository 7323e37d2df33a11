"""Tasks of the pack as a pull request to lm-eval: plain YAML, without classes and imports of ours."""
