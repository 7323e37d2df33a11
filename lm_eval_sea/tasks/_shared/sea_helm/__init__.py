"""What differs in SEA-HELM's tasks: conversations, messages in the form of its prompts, and its scores."""
