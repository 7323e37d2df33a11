"""The folders of `lm-eval-sea upstream`: lm-eval's own tests and linters on them, and the pack's requests and scores."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import lm_eval
import pytest
import yaml
from lm_eval.tasks import TaskManager

from lm_eval_sea.cli import main
from lm_eval_sea.upstream.records import names, read_record
from tests.tasks.evaluation import TASKS
from tests.tasks.planted_model import PlantedModel

ROWS = 200
# Rows that SailCompass leaves out: repeated ones, and most of those on the longest passages.
NOT_IN_THE_PACK = {"indonli_lay": 2, "indonli_expert": 1, "xquad_sea_th": 41, "xquad_sea_vi": 21}
FOLDERS = names()
LEAVES = [(folder, leaf) for folder in FOLDERS for leaf in read_record(folder).leaves]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with those of all data sets."""
    out = tmp_path_factory.mktemp("upstream")
    assert main(["upstream", *FOLDERS, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def manager(written):
    return TaskManager(include_path=str(written), include_defaults=False)


@pytest.fixture(scope="module")
def pack():
    return TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"tokenizer": "none"})


def test_a_folder_stands_alone(written):
    for folder in FOLDERS:
        texts = {path.name: path.read_text(encoding="utf-8") for path in (written / folder).iterdir() if path.is_file()}
        assert {"README.md", "utils.py", "_generate_configs.py", f"_{folder}_yaml"} < texts.keys()
        for name, text in texts.items():
            assert "-" not in name
            assert "lm_eval_sea" not in text
            assert text.endswith("\n") and not text.endswith("\n\n")
            assert all(line == line.rstrip() for line in text.splitlines()), name
        assert len(texts["utils.py"].splitlines()) <= 66  # a page
        assert "\nAbstract: https://" in texts["README.md"]
        assert len(re.findall(r"^ *\* \[[ x]\] ", texts["README.md"], re.MULTILINE)) == 6  # all of lm-eval's template
        yamls = [yaml.safe_load(text) for name, text in texts.items() if name.endswith(".yaml")]
        assert len(yamls) >= 2
        assert not {"class", "custom_dataset", "metadata"} & {key for leaf in yamls for key in leaf}


def test_the_script_writes_the_tasks(written, tmp_path):
    for folder in FOLDERS:
        copy = shutil.copytree(written / folder, tmp_path / folder)
        leaves = {path.name: path.read_bytes() for path in copy.glob("*.yaml")}
        for name in leaves:
            (copy / name).unlink()
        subprocess.run([sys.executable, "_generate_configs.py"], cwd=copy, check=True)
        assert {path.name: path.read_bytes() for path in copy.glob("*.yaml")} == leaves


def test_an_existing_folder_is_kept(written, capsys):
    assert main(["upstream", FOLDERS[0], "--out", str(written)]) == 2
    assert "remove it" in capsys.readouterr().err


@pytest.mark.slow
def test_no_name_is_taken(written, manager):
    own = TaskManager()
    taken = {*own.all_tasks, *(path.name for path in (Path(lm_eval.__file__).parent / "tasks").iterdir())}
    assert "xcopa_th" in taken
    assert not taken & {*manager.all_tasks, *FOLDERS}


def rules_of_lm_eval() -> Path:
    """Its pyproject.toml: that of the checkout, else that of the pre-release."""
    found = [os.environ[name] for name in ("LM_EVAL_CHECKOUT", "LM_EVAL_NEXT") if name in os.environ]
    if not found:
        pytest.skip("needs lm-eval's rules: set LM_EVAL_CHECKOUT to a checkout of EleutherAI/lm-evaluation-harness")
    return Path(found[0]) / "pyproject.toml"


def releases() -> dict[str, Path]:
    """The installed lm-eval, the checkout, and the pre-release, where these are there."""
    found = {"installed": Path(lm_eval.__file__).parent}
    for name in ("LM_EVAL_CHECKOUT", "LM_EVAL_NEXT"):
        if name in os.environ:
            found[name] = Path(os.environ[name]) / "lm_eval"
    return found


@pytest.mark.slow
def test_ruff_with_the_rules_of_lm_eval(written):
    rules = rules_of_lm_eval()
    for command in (["check"], ["format", "--check", "--diff"]):
        files = [str(written / folder) for folder in FOLDERS]
        subprocess.run([sys.executable, "-m", "ruff", *command, "--no-cache", "--config", str(rules), *files], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("release", releases())
def test_lm_evals_own_tests(release, written, hub_mirror, tmp_path):
    """As its workflow runs them for the tasks of a pull request, in a copy without the other tasks."""
    package = releases()[release]
    if release == "installed" and "LM_EVAL_CHECKOUT" not in os.environ:  # it has no tests; those of the pre-release do not fit it
        pytest.skip("needs the tests of this release: set LM_EVAL_CHECKOUT to a checkout of EleutherAI/lm-evaluation-harness")
    source = Path(os.environ["LM_EVAL_CHECKOUT"]) if release == "installed" else package.parent
    task_tests = source / "tests" / "test_tasks.py"
    if not task_tests.is_file():
        pytest.skip(f"{release} has no tests/test_tasks.py; unpack a source distribution there")
    tasks = tmp_path / "lm_eval" / "tasks"

    def other_tasks(folder, entries):
        inside = Path(folder) == package / "tasks"
        return [name for name in entries if name == "__pycache__" or (inside and not name.endswith(".py"))]

    shutil.copytree(package, tasks.parent, ignore=other_tasks)
    changed = []
    for folder in FOLDERS:
        shutil.copytree(written / folder, tasks / folder)
        leaves = sorted((tasks / folder).glob("*.yaml"))
        changed += [path.stem for path in leaves if has_rows(path, hub_mirror)]
    assert len(changed) > len(FOLDERS)
    (tmp_path / "tests").mkdir()
    shutil.copy(task_tests, tmp_path / "tests")
    (tmp_path / "tests" / "__init__.py").touch()
    # source distributions lack this file, which finds the names of the tasks in the list of files that the workflow makes
    (tmp_path / "tests" / "utils.py").write_text(f"def new_tasks():\n    return {changed}\n")
    for owner in hub_mirror.iterdir():
        if owner.is_dir() and not (tmp_path / owner.name).exists():
            (tmp_path / owner.name).symlink_to(owner)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path),
         "-k", "TestNewTasksElseDefault", "tests/test_tasks.py"],
        cwd=tmp_path, env=dict(os.environ) | {"PYTHONPATH": str(tmp_path), "HF_HOME": str(tmp_path / "home")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    tests = task_tests.read_text().partition("class BaseTasks")[2].count("\n    def test_")
    assert tests > 10
    assert f"{tests * len(changed)} passed" in run.stdout


def has_rows(path: Path, hub_mirror: Path) -> bool:
    """Whether the mirror has the rows of a task: it lacks some languages of large data sets."""
    config = {}
    for part in [*yaml.safe_load(path.read_text())["include"], path.name]:
        config |= yaml.load((path.parent / part).read_text(), Loader=Plain)
    repository = hub_mirror / config["dataset_path"]
    if "dataset_kwargs" in config:
        return (repository / config["dataset_kwargs"]["data_files"]["test"]).is_file()
    return f"config_name: {config['dataset_name']}\n" in (repository / "README.md").read_text()


class Plain(yaml.SafeLoader):
    """Reads the names of functions as texts."""


Plain.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def loaded(manager, name):
    return manager.load(name)["tasks"][name]


def pair(manager, pack, folder, leaf, hub_mirror, rows=ROWS):
    """lm-eval's task and the pack's, and the positions of the first rows: in lm-eval's order → in the pack's."""
    if not has_rows(Path(manager._index[leaf].yaml_path), hub_mirror):
        pytest.skip(f"the mirror has no rows of {leaf}")
    theirs = loaded(manager, leaf)
    of = read_record(folder).leaves[leaf.removesuffix("_en_prompt")]["of"]
    ours = loaded(pack, of + "_enprompt" * leaf.endswith("_en_prompt"))
    fields = sorted({*theirs.test_docs()[0]} & {*ours.test_docs()[0]})
    assert len(fields) >= 2  # the right answer is one of them: some rows are published twice with different answers

    def key(doc):
        return json.dumps([doc[field] for field in fields])

    free = {}
    for place, doc in enumerate(ours.test_docs()):
        free.setdefault(key(doc), []).append(place)
    found = [(row, free.get(key(doc))) for row, doc in enumerate(theirs.test_docs())]
    shared = {row: of_key.pop(0) for row, of_key in found if of_key}
    assert len(found) - len(shared) == NOT_IN_THE_PACK.get(leaf.removesuffix("_en_prompt"), 0)
    assert len(shared) >= min(rows, len(ours.test_docs()))
    return theirs, ours, dict(islice(shared.items(), rows))


def requests(task, rows) -> dict[int, list]:
    """The requests of rows by their positions; lm-eval numbers those it is asked for anew, in their order."""
    chosen = sorted(set(rows))
    task.build_all_requests(samples=chosen, rank=0, world_size=1)
    found = {}
    for instance in task.instances:
        found.setdefault(chosen[instance.doc_id], []).append((instance.request_type, instance.arguments))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "leaf"), LEAVES, ids=[leaf for _, leaf in LEAVES])
@pytest.mark.parametrize("english", [False, True], ids=["native", "english"])
def test_requests_are_the_packs(folder, leaf, english, manager, pack, hub_mirror, monkeypatch):
    monkeypatch.chdir(hub_mirror)
    name = leaf + "_en_prompt" * english
    if name not in manager.all_subtasks:
        pytest.skip("has an English prompt only, or English rows")
    theirs, ours, places = pair(manager, pack, folder, name, hub_mirror)
    found, expected = requests(theirs, places), requests(ours, places.values())
    for row, place in places.items():
        assert found[row]
        assert found[row] == expected[place][: len(found[row])]


def loglikelihood(prompt, answer):
    return -random.Random(prompt + answer).random()


def planted_answer(prompt, reference):
    """The reference, a part of it, its words in other forms, something else, or nothing."""
    half = reference[: len(reference) // 2]
    forms = [reference, half, f" {reference.upper()}.", f"\n{reference} {half}\n{prompt[:40]}", f"{half} 1, 2", ""]
    return random.Random(prompt).choice(forms)


# Every data set, with the metrics that the pack computes in the same way.
SCORED = [
    ("wisesight", "wisesight", ["acc", "f1"]),
    ("indonli", "indonli_lay", ["acc", "f1"]),
    ("indonli", "indonli_expert", ["acc", "f1"]),
    ("indolem_sentiment", "indolem_sentiment", ["acc", "f1"]),
    ("vsmec", "vsmec", ["acc", "f1"]),
    ("m3exam", "m3exam_vi", ["acc"]),
    ("tydiqa_id", "tydiqa_id", ["exact_match", "f1"]),
    ("xquad_sea", "xquad_sea_vi", ["exact_match", "f1"]),
    ("xquad_sea", "xquad_sea_th", ["exact_match"]),
    ("belebele_sea", "belebele_sea_th", ["acc"]),
    ("flores_sea", "flores_sea_en_id", ["bleu"]),
    ("flores_sea", "flores_sea_th_en", ["bleu"]),
    ("indosum", "indosum", ["bleu"]),
    ("thaisum", "thaisum", ["bleu"]),
    ("xlsum_vi", "xlsum_vi", ["bleu"]),
    ("seahelm", "seahelm_toxicity_id", ["acc", "f1"]),
    ("seahelm", "seahelm_lindsea_pragmatics_single_id", ["acc"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "leaf", "metrics"), SCORED, ids=[leaf for _, leaf, _ in SCORED])
def test_scores_are_the_packs(folder, leaf, metrics, manager, pack, hub_mirror, monkeypatch):
    monkeypatch.chdir(hub_mirror)
    theirs, ours, places = pair(manager, pack, folder, leaf, hub_mirror, rows=60)
    prompts = {place: arguments[0] for place, [(_, arguments), *_] in requests(ours, places.values()).items()}
    docs = list(ours.test_docs())
    targets = {prompt: ours.doc_to_target(docs[place]) for place, prompt in prompts.items()}

    def generation(prompt):
        target = targets[prompt]
        return planted_answer(prompt, target[-1] if isinstance(target, list) else target)

    scores = {}
    for which, index, task, rows in (("theirs", manager, theirs, places), ("ours", pack, ours, places.values())):
        name = task.config.task
        model = PlantedModel(loglikelihood, generation)
        results = lm_eval.simple_evaluate(
            model, tasks=[name], task_manager=index, samples={name: sorted(rows)}, bootstrap_iters=0
        )
        scores[which] = {metric: results["results"][name][f"{metric},none"] for metric in metrics}
        highest = 100 if "bleu" in metrics else 1
        assert all(0 < score < highest for score in scores[which].values())
    assert scores["theirs"] == pytest.approx(scores["ours"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "leaf"), [("wisesight", "wisesight"), ("m3exam", "m3exam_vi"), ("seahelm", "seahelm_toxicity_id")]
)
def test_a_model_answers_each_row_alike(folder, leaf, manager, pack, hub_mirror, tiny_model, monkeypatch):
    monkeypatch.chdir(hub_mirror)
    theirs, ours, places = pair(manager, pack, folder, leaf, hub_mirror, rows=20)
    answers = []
    for index, task, rows in (
        (manager, theirs, list(places)),
        (TaskManager(include_path=str(TASKS), include_defaults=False), ours, list(places.values())),
    ):
        name = task.config.task
        results = lm_eval.simple_evaluate(
            "hf", f"pretrained={tiny_model}", tasks=[name], task_manager=index, samples={name: sorted(rows)}, device="cpu",
            batch_size=8, bootstrap_iters=0,
        )  # fmt: skip
        samples = {sample["doc_id"]: sample for sample in results["samples"][name]}
        answers.append([(samples[row]["acc"], [float(answer[0][0]) for answer in samples[row]["resps"]]) for row in rows])
    for (their_acc, of_options), (our_acc, of_all) in zip(*answers, strict=True):
        assert their_acc == our_acc
        assert len(set(of_options)) > 1
        assert of_options == pytest.approx(of_all[: len(of_options)], abs=1e-4)
