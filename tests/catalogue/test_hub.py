"""Data by way of the hub, its cache and a mirror folder, with a local server as the hub. Each run is a user's command."""

import json
import shutil
import socket
from pathlib import Path

import pytest
from huggingface_hub import constants
from lm_eval.tasks import TaskManager

from lm_eval_sea.commands.cli import main
from lm_eval_sea.tasks._shared import hub_files
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

from .hub_server import serving_hub

pytestmark = pytest.mark.slow

SOURCE = "sail/Sailcompass_data"
TASK = "sea_belebele_th_to_ppl"
FILE = "data/belebele/tha_Thai.jsonl"


@pytest.fixture(scope="session")
def no_network():
    """An endpoint that refuses connections."""
    with socket.socket() as reserved:  # bound and never listened on, so that no other process gets the port
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}"


@pytest.fixture
def evaluate(run_python, tiny_model, tmp_path):
    """Runs the task with `run`, or with plain lm_eval; returns the process and the results file's content, if there is one."""

    def evaluate(*, plain=False, **how):
        output = tmp_path / f"results_{len(list(tmp_path.iterdir()))}"
        command = ["lm_eval", "--include_path", TASKS_FOLDER / "belebele"] if plain else ["lm_eval_sea", "run"]
        process = run_python(
            *command, "--model", "hf", "--model_args", f"pretrained={tiny_model},dtype=float32", "--device", "cpu",
            "--tasks", TASK, "--limit", 2, "--output_path", output, **how,
        )  # fmt: skip
        return process, next((json.loads(path.read_text()) for path in output.rglob("results_*.json")), None)

    return evaluate


def scores(results):
    return {name: value for name, value in results["results"][TASK].items() if "," in name}


def data_metadata(results):
    provenance = results["configs"][TASK]["metadata"]["provenance"]
    return provenance["data_revision"], provenance["data_sha256"]


def test_what_was_fetched_or_run_once_needs_no_network(samples, evaluate, run_python, tmp_path, no_network):
    """`data fetch` and then `run`; and plain lm_eval from the hub, into a cache of its own, asks for the same rows."""
    with serving_hub(samples) as hub:
        process = run_python("lm_eval_sea", "data", "fetch", "--tasks", f"{TASK},sea_xcopa_th_to_ppl", online=hub.url)
        assert process.returncode == 0, process.stderr
        for path in (FILE, "data/xcopa/th_test.jsonl", "data/xcopa/vi_test.jsonl"):
            assert path in process.stdout
        said = f"HF_HUB_OFFLINE=1 lm_eval --model hf --model_args pretrained=MODEL --include_path {TASKS_FOLDER}"
        assert said in process.stdout
        fetched = len(hub.requests)
        process, plain = evaluate(plain=True, home=tmp_path / "another", online=hub.url)
        assert process.returncode == 0, process.stderr
        assert f"GET /datasets/{SOURCE}/resolve/main/{FILE}" in hub.requests[fetched:]
        assert data_metadata(plain)[0] == hub.repository(SOURCE).commit

    process, offline = evaluate()
    assert process.returncode == 0, process.stderr
    assert scores(offline) == scores(plain)
    assert data_metadata(offline) == data_metadata(plain)

    # what plain lm_eval has loaded; the hub is down, and nobody said so
    command = ["lm_eval_sea", "data", "check", "--tasks", TASK]
    assert "4 of 900 rows" in run_python(*command, home=tmp_path / "another", online=no_network).stdout


def test_fetched_mirror_runs_without_network_and_cache(samples, evaluate, run_python, tmp_path, no_network):
    """Also of rows by configuration, and what the hub does not have is said."""
    mirror, by_configuration = tmp_path / "my mirror", "sea_helm_id_sentiment,sea_helm_th_thai_exam_onet"
    tasks = f"{TASK},{by_configuration},sea_helm_tl_paraphrase"
    with serving_hub(samples) as hub:
        process = run_python("lm_eval_sea", "data", "fetch", "--tasks", tasks, "--to", mirror, online=hub.url)
    assert process.returncode == 0, process.stderr
    path = "SEA-HELM/seahelm_tasks/nlu/paraphrase_identification/data/tl_paws.jsonl"
    assert f"not on the hub, see tasks/sea_helm/README.md: {path}" in process.stdout
    assert f"cd '{mirror}' && lm_eval" in process.stdout
    assert (mirror / SOURCE / FILE).read_bytes() == (samples / SOURCE / FILE).read_bytes()

    process, results = evaluate(cwd=mirror, home=tmp_path / "other_home", online=no_network)
    assert process.returncode == 0, process.stderr
    assert data_metadata(results)[0] == "local folder"
    process = run_python("lm_eval_sea", "data", "check", "--tasks", by_configuration, cwd=mirror, home=tmp_path / "third_home")
    assert "ok     aisingapore/NLU-Sentiment-Analysis id/eval  3 of 400 rows" in process.stdout
    assert process.returncode == 0


def test_without_network_and_cache_files_are_named(tmp_path, monkeypatch, capsys):
    """There is no network in this process."""
    monkeypatch.chdir(tmp_path)
    said = f"cannot get {FILE} of {SOURCE}: the hub cannot be reached"
    manager = TaskManager(include_path=str(TASKS_FOLDER / "belebele"), include_defaults=False)
    with pytest.raises(ValueError, match=f"{said} and its cache lacks it.*lm-eval-sea data fetch") as error:
        manager.load([TASK])
    assert "\n" not in str(error.value)
    assert main(["data", "fetch", "--tasks", TASK]) == 1
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"lm-eval-sea: {said}") and "With a network, unset HF_HUB_OFFLINE and run `lm-eval-sea" in line
    monkeypatch.delenv("HF_HUB_OFFLINE")  # as where `run` has found no network and set it for itself
    assert main(["data", "fetch", "--tasks", TASK]) == 1
    assert "With a network, run `lm-eval-sea data fetch`" in capsys.readouterr().err
    assert main(["data", "fetch", "--tasks", TASK, "--to", "here/mirror"]) == 1
    assert not [*tmp_path.iterdir()]  # an empty folder OWNER/NAME would stand for the repository


@pytest.fixture
def online(monkeypatch):
    """A hub may be asked, and none has failed yet."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(hub_files, "_unreached", [])


@pytest.mark.parametrize(
    ("missing", "message"), [(FILE, "the repository on the hub has no such file"), (".", "the hub has no such repository")]
)
def test_the_hub_lacks_what_is_wanted(missing, message, tmp_path, online):
    folder = tmp_path / "mirror" / SOURCE
    if missing == FILE:
        folder.mkdir(parents=True)
    with (
        serving_hub(tmp_path / "mirror") as hub,
        pytest.raises(hub_files.DataError, match=f"^cannot get {FILE} of {SOURCE}: {message}"),
    ):
        hub_files.download(SOURCE, FILE, endpoint=hub.url, cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (401, "RepoNotFound", "the hub has no such repository, or it is private"),
        (403, "", "forbids it"),
        (200, "", "not from a hub"),  # a page of a proxy
    ],
)
def test_a_repository_that_the_hub_does_not_give(status, code, message, samples, tmp_path, online):
    """To fetch it again would not help; and another repository is asked for."""
    other = "indolem/IndoMMLU"
    with serving_hub(samples, {SOURCE: (status, code)}) as hub:
        where = {"endpoint": hub.url, "cache_dir": tmp_path}
        with pytest.raises(hub_files.DataError, match=message) as error:
            hub_files.download(SOURCE, FILE, **where)
        assert not error.value.to_fetch
        path = next(entry["path"] for entry in hub.repository(other).tree("", recursive=True) if entry["type"] == "file")
        if status != 200:
            assert hub_files.download(other, path, **where).is_file()


# What the hub refuses files with → what is said of a set that is read by configuration, and of one that is read by file.
REFUSALS = {
    "out of order": [(501, "")] * 2,
    "ask for access": [(401, "GatedRepo"), (403, "GatedRepo")],
    "the hub refuses the login": [(401, "")] * 2,  # with an expired token it does so for public sets, too
}


@pytest.mark.parametrize("said", REFUSALS)
def test_refused_data_sets_are_named_before_the_model_is_loaded(said, samples, run_python):
    """All of them with one reason; the commands that `data` has would fail alike."""
    sets = {"sea_helm_id_sentiment": "aisingapore/NLU-Sentiment-Analysis", TASK: SOURCE, "sea_xcopa_th_to_ppl": SOURCE}
    with serving_hub(samples, dict(zip(dict.fromkeys(sets.values()), REFUSALS[said], strict=True))) as hub:
        process = run_python("lm_eval_sea", "run", "--model", "dummy", "--tasks", ",".join(sets), online=hub.url)
    assert process.returncode == 2, process.stderr
    assert not any(words in process.stderr for words in ("loading dummy", "Traceback", "to fetch:", *(REFUSALS.keys() - {said})))
    lines = [line for line in process.stderr.splitlines() if said in line]
    for line, (task, name) in zip(lines, sets.items(), strict=True):
        assert f"{task}: " in line
        page = (f"{hub.url}/datasets/{name}, ", "`hf auth login`", "HF_TOKEN")
        assert said != "ask for access" or all(words in line for words in page)


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="it is Linux where not even root may make a folder in /sys")
def test_an_unwritable_cache_folder_is_named(samples, run_python):
    """As / is, which is the home of a container's user without a name."""
    said = "the hub's cache /sys/home cannot be used ("  # the reason depends on the user's rights
    with serving_hub(samples) as hub:
        for command, status in (("run --model dummy", 2), ("data fetch", 1)):
            process = run_python("lm_eval_sea", *command.split(), "--tasks", TASK, home="/sys/home", online=hub.url)
            assert process.returncode == status and said in process.stderr and "set HF_HOME" in process.stderr, process.stderr


@pytest.mark.parametrize(
    ("arguments", "refusal", "said"),
    [
        ("pretrained=me/none", None, "pretrained=me/none: the hub has no such repository"),
        ("pretrained=me/gated", (401, "GatedRepo"), "pretrained=me/gated: ask for access on http"),
        ("pretrained=me/expired", (401, ""), "pretrained=me/expired: the hub refuses the login"),
        ("pretrained=me/model,revision=step9", None, "revision=step9: the hub has no such branch, tag or commit of me/model"),
        ("pretrained=me/model,peft=me/none", None, "peft=me/none: the hub has no such repository"),
        ("pretrained=me/model,peft=me/model", None, "peft=me/model: the hub's repository has no adapter_config.json"),
    ],
)
def test_a_model_that_the_hub_does_not_give_is_named_before_the_rows(arguments, refusal, said, tiny_model, tmp_path, run_python):
    """No data set is there, which would be said first if rows came first."""
    shutil.copytree(tiny_model, tmp_path / "hub" / "me" / "model")
    refused = {} if refusal is None else {arguments.partition("=")[2]: refusal}
    with serving_hub(tmp_path / "hub", refused) as hub:
        command = ["--model", "hf", "--model_args", arguments, "--tasks", TASK]
        process = run_python("lm_eval_sea", "run", *command, online=hub.url)
    assert process.returncode == 2 and f"lm-eval-sea: {said}" in process.stderr, process.stderr
    assert TASK not in process.stderr


def test_an_unreachable_hub_is_tried_once(no_network, run_python, tmp_path):
    """A set of tasks wants several files: all are named, and the retries are made for the first one only."""
    tasks = "sea_belebele_th_to_ppl,sea_xcopa_vi_to_ppl,sea_xnli_th"
    process = run_python("lm_eval_sea", "data", "check", "--tasks", tasks, online=no_network)
    assert process.returncode == 1
    asked = {line.split("/resolve/")[1] for line in process.stderr.splitlines() if "thrown while requesting" in line}
    assert len(asked) == 1
    for path in (FILE, "data/xcopa/vi_test.jsonl", "data/xnli/th_xnli_test.jsonl"):
        assert f"cannot get {path} of {SOURCE}: the hub cannot be reached" in process.stdout + process.stderr
