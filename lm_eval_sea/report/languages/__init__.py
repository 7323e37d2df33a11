"""Comparing one model over languages on rows that are translations of each other."""
