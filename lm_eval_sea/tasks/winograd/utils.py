"""Thai Winograd schemas: from published rows to processed rows."""

from typing import Any


POSSESSIVE = "ของ"  # "of", with which some published pronouns begin: ของเขา


def with_referent(text: str, start: int, pronoun: str, referent: str) -> str:
    """The text with only the pronoun at `start` replaced: the same word elsewhere may mean somebody else.

    "of him" becomes "of REFERENT", not only REFERENT.
    """
    if pronoun.startswith(POSSESSIVE) and not referent.startswith(POSSESSIVE):
        referent = POSSESSIVE + referent
    return text[:start] + referent + text[start + len(pronoun) :]


def process_row(row: dict[str, Any]) -> dict[str, Any]:
    """{"text", "pronoun", "pronoun_loc", "quote", "options", "label"} → a processed row, whose options are whole texts.

    Rows with the same two options are a cluster. Most are a schema and its twin, which differ in one word that changes the
    answer.
    """
    text, pronoun, start = row["text"], row["pronoun"], row["pronoun_loc"]
    if text[start : start + len(pronoun)] != pronoun:
        raise ValueError(f"field 'pronoun_loc' is {start}; expected the position of {pronoun!r} in the text")
    referents = [option.strip() for option in row["options"]]
    return {
        "cluster": ", ".join(sorted(referents)),
        "text": text.strip(),
        "pronoun": pronoun,
        "quote": row["quote"].strip(),
        "options": [with_referent(text, start, pronoun, referent).strip() for referent in referents],
        "letters": ["A", "B"],
        "gold": row["label"],
    }
