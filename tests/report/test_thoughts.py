"""What the page says of thoughts and budgets."""

from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.thoughts import thoughts_section

from ..results.test_thoughts import OWN, planted
from .planted import scored, shown

ROWS = (
    [("closed", OWN["th"], 40, 10, 1.0)] * 12 + [("closed", OWN["th"], 90, 10, 1.0)] * 12 + [("cut", OWN["th"], 100, 0, 0.0)] * 8
)


def test_the_page_has_ledger_budgets_and_what_follows(tmp_path):
    """And what a run measured of its tokens beside the ledger; no such section of runs without thoughts."""
    planted(tmp_path / "plain", ROWS)
    section = thoughts_section(scored(tmp_path / "plain"))
    assert section.lead.startswith("The score still rises at the token limit on toy_chat;")
    [ledger], budgets = (shown(section, name) for name in ("thoughts", "budgets"))
    assert ledger["cut"].startswith("25.0 [") and ledger["thinking"].startswith("100.0 [")
    curve = [(row["budget"], row["score"].split(" ")[0]) for row in budgets]
    assert curve == [("16", "0.0"), ("32", "0.0"), ("64", "37.5"), ("100", "75.0")]
    [figure] = section.figures
    [axis] = figure.draw().axes
    assert {"16", "32", "64"} <= {label.get_text() for label in axis.get_xticklabels()}  # no formulae, which are not parsed
    planted(tmp_path / "measured", ROWS, provenance={"token_premium": {"mean": 2.0, "low": 1.9, "high": 2.1, "texts": 488}})
    section = thoughts_section(scored(tmp_path / "measured"))
    [premium], [ledger] = shown(section, "premium"), shown(section, "thoughts")
    assert list(premium.values()) == ["m", "th", "2.00 [1.90, 2.10]", "488"]
    assert ledger["median_in_english"] == "45"  # of 12 × 40, 12 × 90 and 8 × 100 tokens, halved
    planted(tmp_path / "none", [("no thought", "", 0, 5, 1.0)] * 20)
    assert "thoughts" not in {section.name for section in sections(scored(tmp_path / "none"))}
