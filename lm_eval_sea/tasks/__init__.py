"""The folder to name in `--include_path`. It also works if this package is not installed."""
