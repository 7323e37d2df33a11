"""What the page says of thoughts and budgets."""

from lm_eval_sea.report.chart import DARK, LIGHT
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.report.thoughts import thoughts_section
from lm_eval_sea.results.read import read

from ..results.test_thoughts import OWN, planted

ROWS = (
    [("closed", OWN["th"], 40, 10, 1.0)] * 12 + [("closed", OWN["th"], 90, 10, 1.0)] * 12 + [("cut", OWN["th"], 100, 0, 0.0)] * 8
)


def test_the_page_has_ledger_budgets_and_what_follows(tmp_path):
    """And what a run measured of its tokens beside the ledger; no such section of runs without thoughts."""
    planted(tmp_path / "plain", ROWS)
    section = thoughts_section(scores_of(read(tmp_path / "plain").best()))
    assert section.lead.startswith("The score still rises at the token limit on toy_chat;")
    [(_, ledger)], budgets = (table.cells() for table in section.tables)
    titles = [column.title for column in section.tables[0].columns]
    said = dict(zip(titles, (cell.text for cell in ledger), strict=True))
    assert said["cut in the thought"].startswith("25.0 [") and said["with a thought"].startswith("100.0 [")
    shown = [(cells[3].text, cells[4].text.split(" ")[0]) for _, cells in budgets]
    assert shown == [("16", "0.0"), ("32", "0.0"), ("64", "37.5"), ("100", "75.0")]
    [figure] = section.figures
    for theme in (LIGHT, DARK):
        assert len(figure.draw(theme).axes) == 1
    planted(tmp_path / "measured", ROWS, provenance={"token_premium": {"mean": 2.0, "low": 1.9, "high": 2.1, "texts": 488}})
    ledger, premiums, _ = thoughts_section(scores_of(read(tmp_path / "measured").best())).tables
    assert [[cell.text for cell in cells] for _, cells in premiums.cells()] == [["m", "th", "2.00 [1.90, 2.10]", "488"]]
    place = [column.key for column in ledger.columns].index("median_in_english")
    assert [cells[place].text for _, cells in ledger.cells()] == ["45"]  # of 12 × 40, 12 × 90 and 8 × 100 tokens, halved
    planted(tmp_path / "none", [("no thought", "", 0, 5, 1.0)] * 20)
    assert "thoughts" not in {section.name for section in sections(scores_of(read(tmp_path / "none").best()))}
