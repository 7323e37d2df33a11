"""Chat tasks: how chat models are asked, and how their answers are scored."""
