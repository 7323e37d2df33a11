"""Rows as they are published: reading their files, and checking what is in them."""
