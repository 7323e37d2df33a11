"""lm-eval alone, without the packages that only some scores need: which tasks run, and what stops the others at once."""

import configparser
import importlib.metadata
import json
import os
import subprocess
import sys

import pytest

from lm_eval_sea.tasks._shared.metrics.optional_packages import AT_LEAST, required
from tests.conftest import ROOT

_SCRIPT = """
import importlib.metadata
import json
import os
import sys

HIDDEN = ("pythainlp", "py3langid")
sys.modules.update(dict.fromkeys(HIDDEN))
known = importlib.metadata.Distribution.from_name

def from_name(name):
    if name in HIDDEN:
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)

importlib.metadata.Distribution.from_name = from_name

import lm_eval
from lm_eval.tasks import TaskManager
from torch.utils import collect_env
from tests.tasks.evaluation import TASKS
from tests.tasks.planted_model import PlantedModel

collect_env.get_pretty_env_info = str  # starts pip and ten other programs for each evaluation
asked = []
os.chdir("lm_eval_sea/samples")
manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})

def generation(prompt):
    asked.append(prompt)
    return "jawaban คำตอบ 7"

found = {}
for task in json.loads(sys.argv[1]):
    del asked[:]
    try:
        model = PlantedModel(lambda prompt, answer: -1.0, generation)
        lm_eval.simple_evaluate(model, tasks=[task], task_manager=manager, bootstrap_iters=0)
        found[task] = "runs"
    except ImportError as error:
        found[task] = f"{error} after {len(asked)} prompts"
print(json.dumps(found))
"""
_THAI = "scores of Thai text need the package pythainlp: pip install pythainlp after 0 prompts"
_LANGUAGE = "scores that depend on the language of an answer need the package py3langid: pip install py3langid after 0 prompts"
_OUTCOMES = {
    "runs": [
        *("sea_belebele_th_to_ppl", "sea_belebele_th_litilo_gen", "sea_wisesight_th", "sea_tydiqa_id", "sea_mgsm_th"),
        *("sea_indosum_id", "sea_helm_id_sentiment", "sea_helm_id_sentiment_ppl", "sea_helm_id_qa"),
        *("sea_helm_id_summarization", "sea_helm_th_translation_en_xx", "sea_helm_id_mt_bench_turn_1"),
    ],
    # an answer to Vietnamese questions may be in Thai
    _THAI: [
        *("sea_xquad_th", "sea_xquad_vi", "sea_flores_en_th", "sea_thaisum_th", "sea_helm_th_qa", "sea_helm_th_summarization")
    ],
    _LANGUAGE: ["sea_flores_en_id", "sea_flores_th_en", "sea_helm_id_ifeval", "sea_helm_th_ifeval"],
}
_TASKS = {task: outcome for outcome, tasks in _OUTCOMES.items() for task in tasks}


@pytest.mark.slow
def test_a_missing_package_stops_only_the_tasks_that_need_it():
    command, environment = [sys.executable, "-c", _SCRIPT, json.dumps(list(_TASKS))], os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    assert json.loads(run.stdout.splitlines()[-1]) == _TASKS


@pytest.mark.parametrize("package", sorted(AT_LEAST))
def test_a_package_that_is_too_old_stops_them_too(package, monkeypatch):
    """lm-eval alone may stand beside any version; where the pack is installed, pip has asked for one that serves."""
    setup, least = configparser.ConfigParser(), AT_LEAST[package]
    setup.read(ROOT / "setup.cfg")
    assert f"{package}>={least}" in setup["options"]["install_requires"].split()
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.2.2")
    required.cache_clear()
    with pytest.raises(ImportError) as raised:
        required(package, "scores")
    required.cache_clear()
    assert str(raised.value) == f"scores need {package} {least} or later, not 0.2.2: pip install '{package}>={least}'"


def test_a_package_whose_import_fails_is_named_with_the_reason(monkeypatch):
    """A newer version may help, and the message says so."""
    monkeypatch.setitem(sys.modules, "pythainlp", None)
    required.cache_clear()
    with pytest.raises(ImportError, match="^scores need the package pythainlp; its import fails: .*; pip install -U pythainlp$"):
        required("pythainlp", "scores")
    required.cache_clear()


@pytest.mark.parametrize("place", ["home", "file/home"])
def test_thai_words_need_no_home_and_leave_nothing_there(place, tmp_path):
    """PyThaiNLP makes a folder in it as it is imported; a home below a file cannot be made."""
    (tmp_path / "file").write_text("")
    home = tmp_path / place
    if home.parent.is_dir():
        home.mkdir()
    code = "from lm_eval_sea.tasks._shared.metrics.words import newmm_words; print(newmm_words('กิน', keep_blanks=False))"
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHAINLP_")}
    environment = known | {"HOME": str(home), "PYTHONPATH": str(ROOT)}
    process = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (process.stdout, process.returncode) == ("['กิน']\n", 0), process.stderr[-2000:]
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(["file", *(["home"] if home.exists() else [])])
