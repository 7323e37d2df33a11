"""Flags that would give another number than the user thinks."""

import os
import pickle
import sqlite3

import pytest
from transformers import AutoTokenizer

from lm_eval_sea.commands.cli import main
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.answer_cache import check_trusted
from lm_eval_sea.run.chat_template import check_chat_template
from lm_eval_sea.run.request import RunError, check_request, check_samples
from lm_eval_sea.tasks._shared.tokenization import find_tokenizer

TASKS = {"sea_a": 4, "sea_b": 2}
TASK = "sea_xcopa_vi_to_ppl"
NO_MODEL = ["run", "--model", "hf", "--model_args", "pretrained=no/such-model"]


def refusal(capsys, *arguments):
    """What is said of a run that is refused; a model is never asked for."""
    assert main([*NO_MODEL, *map(str, arguments)]) == 2
    said = capsys.readouterr().err.rpartition("lm-eval-sea: ")[2].strip()
    assert said and "Traceback" not in said and "no/such-model" not in said
    return said


# tokenizers


class Encoder:
    """A model that encodes its requests, as far as a task asks it."""

    max_length = 100

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def tok_encode(self, text):
        return self.tokenizer.encode(text)


@pytest.fixture(scope="session")
def other_tokenizer(tmp_path_factory):
    from make_tiny_model import train_tokenizer

    folder = tmp_path_factory.mktemp("other")
    train_tokenizer(["Kota ini ramai."] * 3, bos=False, vocabulary=300).save_pretrained(folder)
    return folder


def test_another_tokenizer_is_refused(tiny_model, other_tokenizer):
    """`--metadata tokenizer=OTHER` beside a model that has one"""
    model = Encoder(AutoTokenizer.from_pretrained(tiny_model))
    with pytest.raises(ValueError, match="encodes text otherwise than the model's own"):
        find_tokenizer(model, {"tokenizer": str(other_tokenizer), "pretrained": str(tiny_model)}, "x")


def test_none_does_not_take_the_models_own_away(tiny_model):
    """`--metadata tokenizer=none` beside a model that has one"""
    model = Encoder(AutoTokenizer.from_pretrained(tiny_model))
    with pytest.raises(ValueError, match="leave it out"):
        find_tokenizer(model, {"tokenizer": "none"}, "x")


def test_a_model_of_another_name_does_not_count(tiny_model, other_tokenizer):
    """`--metadata pretrained=OTHER` beside a model"""
    own = find_tokenizer(Encoder(AutoTokenizer.from_pretrained(tiny_model)), {"pretrained": str(other_tokenizer)}, "x")
    assert own.name == str(tiny_model)


def test_a_tokenizer_that_is_no_folder(tiny_model):
    model = Encoder(AutoTokenizer.from_pretrained(tiny_model))
    with pytest.raises(ValueError, match="cannot be loaded") as caught:
        find_tokenizer(model, {"tokenizer": "no/such-tokenizer"}, "x")
    assert "\n" not in str(caught.value)


# answers of an earlier run


def model_folder(tmp_path, name="model"):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"w" * 100)
    return folder


BASE = {"dtype": "float32", "max_length": 512}
OTHERS = [
    {"dtype": "bfloat16"},
    {"revision": "step1000"},
    {"tokenizer": "org/other"},
    {"peft": "org/adapter"},
    {"delta": "org/delta"},
    {"max_length": 256},
    {"softmax_dtype": "float32"},
    {"load_in_4bit": True},
    {"add_bos_token": True},
    {"pretrained": "org/other"},
]


def test_answers_of_another_model_backend_or_other_tasks(tmp_path):
    base = BASE | {"pretrained": str(model_folder(tmp_path))}
    runs = [
        ("hf", base, ["a"]),
        ("vllm", base, ["a"]),
        ("hf", base, ["a", "b"]),
        *(("hf", base | other, ["a"]) for other in OTHERS),
    ]
    assert len({answer_cache.key_of(*run) for run in runs}) == len(runs)


@pytest.mark.parametrize("name", ["model.safetensors", "adapter_model.safetensors", "tokenizer.json", "sub/config.json"])
def test_answers_of_weights_that_changed(name, tmp_path):
    """Size and time stamp stay."""
    folder = model_folder(tmp_path)
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"v" * 100)
    os.utime(path, (1, 1))
    before = answer_cache.key_of("hf", {"pretrained": str(folder)}, ["sea_a"])
    path.write_bytes(b"u" * 100)
    os.utime(path, (1, 1))
    assert answer_cache.key_of("hf", {"pretrained": str(folder)}, ["sea_a"]) != before


def database(path, rows=500):
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "unnamed" (key TEXT PRIMARY KEY, value BLOB)')
    connection.executemany('INSERT INTO "unnamed" VALUES (?, ?)', [(f"{n:064d}", pickle.dumps(n)) for n in range(rows)])
    connection.commit()
    connection.close()


def _half(path):
    database(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _other_table(path):
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "unnamed" (x)')
    connection.close()


BROKEN = {
    "half": _half,
    "text": lambda path: path.write_text("no database " * 200),
    "folder": lambda path: path.mkdir(),
    "zeros": lambda path: path.write_bytes(b"\0" * 5000),
    "first page only": lambda path: (database(path), path.write_bytes(path.read_bytes()[:4096])),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_file_of_answers_that_is_none(broken, tmp_path):
    broken(tmp_path / "answers_rank0.db")
    with pytest.raises(RunError, match="cannot be read .*delete the file") as caught:
        answer_cache.check_databases(str(tmp_path / "answers"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702], ids=oct)
def test_a_folder_of_pickles_that_others_can_write_to(mode, tmp_path):
    folder = tmp_path / answer_cache.FOLDER
    folder.mkdir()
    folder.chmod(mode)
    for use in (lambda: check_trusted(folder, "--use_cache"), lambda: answer_cache.prepare(str(tmp_path), "0123")):
        with pytest.raises(RunError, match=f"others may write to {folder}.*chmod go-w"):
            use()


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--cache_requests", "--use_cache"])
def test_a_run_with_pickles_that_others_can_write(flag, tmp_path, mirror, monkeypatch, capsys):
    """`--cache_requests` and `--use_cache`."""
    import lm_eval.caching.cache

    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    own = {"--cache_requests": ["true"], "--use_cache": [str(folder / "answers")]}[flag]
    monkeypatch.setattr(lm_eval.caching.cache, "PATH", str(folder))
    said = refusal(capsys, "--tasks", TASK, flag, *own)
    assert said.startswith(f"{flag}: others may write to {folder}")


def test_a_folder_of_pickles_that_is_made_is_ones_own(tmp_path):
    before = os.umask(0)
    try:
        check_trusted(tmp_path / "a" / "b", "--cache_requests")
    finally:
        os.umask(before)
    assert not (tmp_path / "a" / "b").stat().st_mode & 0o077


def test_a_file_for_a_folder_of_pickles(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="cannot be used"):
        check_trusted(tmp_path / "file", "--cache_requests")


# chat templates

LOOP = "{{% for m in messages %}}[{{{{ m.role }}}}]{}{{% endfor %}}"
UNFAIR = {
    "HELLO": "HELLO",
    "cut": LOOP.format("{{ m.content[:20] }}"),
    "cut at the end": LOOP.format("{{ m.content[:-3] }}"),
    "upper case": LOOP.format("{{ m.content | upper }}"),
    "title case": LOOP.format("{{ m.content | title }}"),
    "escaped": LOOP.format("{{ m.content | replace('?', '&#63;') | replace('.', '&#46;') }}"),
    "first message": "{{ messages[0].role }}{{ messages[0].content }}",
    "last message": "{{ messages[-1].content }}",
    "other key": LOOP.format("{{ m.text }}"),
    "lines joined to nothing": LOOP.format("{{ m.content | replace('\\n', '') }}"),
    "reversed": LOOP.format("{{ m.content | reverse }}"),
    "nothing": "",
    "roles only": LOOP.format(""),
}
FAILING = ["{{ raise_exception('no') }}", "{% for %}", "{{ messages[9].content }}", "{{ 1 / 0 }}"]


@pytest.fixture
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.mark.parametrize("template", [*UNFAIR.values(), *FAILING], ids=[*UNFAIR, *FAILING])
def test_a_template_that_drops_or_changes_the_question_or_fails(template, tokenizer, mirror, load_task):
    tokenizer.chat_template = template
    said = None if template in FAILING else r"drops or changes a question.*\| The prompt: "
    with pytest.raises(RunError, match=said) as caught:
        check_chat_template(tokenizer, {TASK: load_task(TASK)}, apply=True, settings={}, multiturn=True)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}",
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{% for m in messages %}{{ m.content }}{% endfor %}",
    ],
    ids=["left out", "refused"],
)
def test_a_template_that_drops_the_instruction(template, tokenizer, mirror, load_task, caplog):
    """It has no place for it, which is said."""
    tokenizer.chat_template = template
    check_chat_template(tokenizer, {TASK: load_task(TASK)}, apply=True, settings={}, multiturn=True)
    assert "drops system messages, and with them the instruction of 1 tasks" in caplog.text


# samples, limits, names

SAMPLES = [{}, [], None, "x", 5, {"sea_a": []}, {"sea_c": [0]}, {"sea_a": [-1]}, {"sea_a": [4]}, {"sea_a": [0, 0]}]
SAMPLES += [{"sea_a": [0.0]}, {"sea_a": [True]}, {"sea_a": ["0"]}, {"sea_a": {"0": 1}}, {"sea_a": 0}, {"sea_a": [None]}]
SAMPLES += [{"sea_a": [[0]]}, {"sea_a": [0], "sea_c": [0]}, {"sea_a": [10**30]}, {"sea_a": [float("nan")]}]


def test_samples_that_would_evaluate_other_rows():
    for samples in SAMPLES:
        with pytest.raises(RunError, match="--samples") as caught:
            check_samples(samples, TASKS)
        assert "\n" not in str(caught.value), samples


def test_a_limit_that_leaves_nothing():
    for limit in (0, -1, -0.5, float("nan"), float("-inf")):
        with pytest.raises(RunError, match="--limit"):
            check_request([TASK], None, limit)


def test_exemplars_that_do_not_exist():
    for shots in (-1, 6, 10**9):
        with pytest.raises(RunError, match="choose 0 to 5"):
            check_request([TASK], shots, None)


@pytest.mark.parametrize(
    "name", ["sea_xcopa_xx_to_ppl", "sea_", "sea_*_nothing", "sea_xcopa_vi_to_ppl\n", "sea_\x1b[31m"], ids=repr
)
def test_names_that_do_not_exist(name, capsys):
    assert "\x1b" not in refusal(capsys, "--tasks", name)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--language", "xx"],
        ["--language", "th", "--tasks", TASK],
        ["--tasks", TASK, "--seeds", "0", "--output_path", "x"],
        ["--tasks", TASK, "--seeds", "2"],
        pytest.param(["--tasks", TASK, "--resume"], marks=pytest.mark.slow),
        ["--tasks", TASK, "--include_path", "no/folder"],
        pytest.param(["--tasks", TASK, "--samples", '{"sea_other": [0]}'], marks=pytest.mark.slow),
        pytest.param(["--tasks", TASK, "--samples", '{"sea_xcopa_vi_to_ppl": []}'], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_flags_that_contradict(arguments, mirror, capsys):
    """Or name nothing: one line before a model is asked for."""
    assert "\n" not in refusal(capsys, *arguments)
