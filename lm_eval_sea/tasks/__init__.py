"""The folder to name in `--include_path`; it works on its own, without this package being installed."""
