"""Results and task lists in the formats of other projects."""
