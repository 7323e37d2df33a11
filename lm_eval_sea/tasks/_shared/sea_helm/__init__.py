"""What SEA-HELM's tasks do otherwise than others: conversations, messages as its prompts make them, and its scores."""
