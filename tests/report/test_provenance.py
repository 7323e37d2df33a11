"""What the report says of how runs were made."""

import json

import pytest

from lm_eval_sea.report.provenance import task_table, warnings
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.results.read import read

from .planted import RANKED, plant


@pytest.fixture
def changed(tmp_path):
    """The runs of two models; changes the results file of the first."""
    plant(tmp_path)

    def change(edit):
        for path in tmp_path.glob("org__a/results_*"):
            content = json.loads(path.read_text())
            edit(content)
            path.write_text(json.dumps(content))
        return scores_of(read(tmp_path).best())

    return change


@pytest.mark.parametrize("value", [["hf"], {"name": "hf"}], ids=["list", "mapping"])
def test_settings_of_another_kind_are_as_if_not_recorded(value, changed):
    def edit(content):
        content["config"] |= {"model": value, "limit": value, "model_revision": value}
        content["config"]["model_args"] |= {"revision": "main", "softmax_dtype": value}
        content["chat_template_sha"] = value

    frames = changed(edit)
    said = warnings(frames)
    assert "Runs differ in the backend: none recorded (org/a); hf (org/b)" in said
    assert not [line for line in said if "chat template" in line]
    assert frames.runs.revision.tolist()[0] == "main"
    assert any("the setting model is no text and no number" in note for note in frames.notes)


def test_exemplars_are_compared_where_a_run_lacks_their_number(changed):
    def edit(content):
        content["n-shot"][RANKED] = None
        for config in content["configs"].values():
            config["fewshot_config"] = {"samples": [{"question": "a"}, {"question": "b"}]}

    rows = task_table(changed(edit)).set_index(["model", "task"]).exemplars
    known = rows["org/a"].drop(RANKED).dropna()
    assert len(known) == len(rows["org/a"]) - 1 and known.nunique() == 1
