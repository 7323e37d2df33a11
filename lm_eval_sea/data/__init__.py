"""Published rows: fetching them, checking them, and the rows that a user translates."""
