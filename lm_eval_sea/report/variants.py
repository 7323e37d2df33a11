"""The prompt variants of multiple choice (Guo et al. 2024), in order and by symbol."""

from __future__ import annotations

from collections.abc import Sequence

# In the order of the paper's table; any other variant follows.
TITLES = {
    "to_ppl": "Tₒ",
    "tito_ppl": "TᵢTₒ",
    "litito_ppl": "LᵢTᵢTₒ",
    "litilo_ppl": "LᵢTᵢLₒ",
    "litilo_gen": "LᵢTᵢLₒ generated",
    "litiloto_ppl": "LᵢTᵢLₒTₒ",
}
VARIANTS = tuple(TITLES)


def in_order(variants: Sequence[str]) -> list[str]:
    """Variants as the paper lists them, then the others by name."""
    return sorted(set(variants), key=lambda variant: (VARIANTS.index(variant) if variant in VARIANTS else len(VARIANTS), variant))
