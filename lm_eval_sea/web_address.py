"""Addresses of servers, as users give them."""

from urllib.parse import urlsplit


def is_web_address(text: str) -> bool:
    """Whether a text can be the address of a server: http or https, a host without blanks, and a port that exists, if any."""
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and parts.port != 0  # an impossible port raises
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and has_host and text.isprintable() and " " not in parts.netloc
