"""What results say of how a task was made: which rows, which version of the pack, which metric signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

DIGEST_LENGTH = 12  # characters of a digest that are shown


class Provenance(NamedTuple):
    """Where a task's numbers come from; None or empty for what the results do not say."""

    data_sha256: str | None  # of the processed rows
    data_revision: str | None  # of the hub repository
    pack_version: str | None
    signatures: Mapping[str, str]  # metric → how it was made

    @property
    def data(self) -> str | None:
        """The beginning of the digest of the rows."""
        return self.data_sha256[:DIGEST_LENGTH] if self.data_sha256 else None


def provenance_of(metadata: Mapping[str, Any]) -> Provenance:
    """Reads the provenance of a task.

    Args:
        metadata: the mapping `metadata` of the task's configuration in the results. The entries stand in its mapping
            `provenance`; results of older versions of the pack have them in `metadata` itself.
    """
    nested = metadata.get("provenance")
    entries = {**metadata, **nested} if isinstance(nested, Mapping) else metadata
    signatures = entries.get("signatures")
    return Provenance(
        data_sha256=_text(entries.get("data_sha256")),
        data_revision=_text(entries.get("data_revision")),
        pack_version=_text(entries.get("pack_version")),
        signatures={str(name): str(value) for name, value in signatures.items()} if isinstance(signatures, Mapping) else {},
    )


def _text(value: Any) -> str | None:
    return str(value) if value not in (None, "") else None
