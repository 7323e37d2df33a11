"""Kept answers of an earlier run: those of another model are not used, and code in them is not run."""

import errno
import fcntl
import os
import pickle
import sqlite3
from pathlib import Path

import pytest
from huggingface_hub import constants

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.written_folder import lock
from lm_eval_sea.run import answer_cache
from lm_eval_sea.run.answer_cache import check_trusted
from lm_eval_sea.run.request import RunError

from ..catalogue.hub_server import serving_hub


def model_folder(tmp_path, name="model"):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"w" * 100)
    return folder


BASE = {"dtype": "float32", "max_length": 512}
OTHERS = {"dtype": "bfloat16", "revision": "step1000", "tokenizer": "org/other", "peft": "org/adapter", "delta": "org/delta"}
OTHERS |= {"max_length": 256, "softmax_dtype": "float32", "load_in_4bit": True, "add_bos_token": True, "pretrained": "org/other"}


def test_answers_of_another_model_backend_or_other_tasks(tmp_path):
    base = BASE | {"pretrained": str(model_folder(tmp_path))}
    runs = [("hf", base, ["a"]), ("vllm", base, ["a"]), ("hf", base, ["a", "b"])]
    runs += [("hf", base | {name: other}, ["a"]) for name, other in OTHERS.items()]
    keys = [answer_cache.key_of(*run) for run in runs]
    assert len(set(keys)) == len(runs)
    assert keys == [answer_cache.key_of(*run) for run in runs]


def test_settings_that_change_no_answer_keep_the_answers(tmp_path):
    base = BASE | {"pretrained": str(model_folder(tmp_path)), "num_concurrent": 8, "token": "one"}
    others = [{"num_concurrent": 2}, {"max_retries": 9}, {"timeout": 900}, {"gpu_memory_utilization": 0.5}, {"max_num_seqs": 8}]
    others += [{"token": "another"}]
    for backend in ("hf", "vllm", "chat-api", "local-completions"):
        assert len({answer_cache.key_of(backend, base | other, ["a"]) for other in [{}, *others]}) == 1


def test_the_model_name_of_a_server_is_not_looked_up_on_the_hub(tmp_path, monkeypatch):
    """A new commit there would lose the answers, and the name may be private."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with serving_hub(tmp_path) as hub:
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", f"{hub.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}")
        for backend, argument, is_asked in (("chat-api", "model", False), ("hf", "pretrained", True)):
            answer_cache.key_of(backend, {argument: "org/model"}, ["a"])
            assert bool(hub.requests) == is_asked


@pytest.mark.parametrize("name", ["model.safetensors", "adapter_model.safetensors", "tokenizer.json", "sub/config.json"])
def test_answers_of_weights_that_changed(name, tmp_path):
    """Size and time stamp stay the same; any argument may name the folder."""
    folder = model_folder(tmp_path)
    path = folder / name
    path.parent.mkdir(exist_ok=True)

    def states(content):
        path.write_bytes(content)
        os.utime(path, (1, 1))
        named = [{argument: str(folder)} for argument in ("pretrained", "delta", "peft", "lora_local_path", "model")]
        return [(answer_cache.key_of("hf", each, ["sea_a"]), repr(answer_cache.files_of_model(each))) for each in named]

    assert all(one[0] != other[0] for one, other in zip(states(b"v" * 100), states(b"u" * 100), strict=True))
    before = states(b"v" * 99)
    assert all(one[1] != other[1] for one, other in zip(before, states(b"w"), strict=True))


def database(path, answers=range(500)):
    """A file of answers as lm-eval keeps them."""
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "unnamed" (key TEXT PRIMARY KEY, value BLOB)')
    pickled = [(f"{number:064d}", pickle.dumps(answer)) for number, answer in enumerate(answers)]
    connection.executemany('INSERT INTO "unnamed" VALUES (?, ?)', pickled)
    connection.commit()
    connection.close()


def _cut(size):
    return lambda path: (database(path), path.write_bytes(path.read_bytes()[:size]))


BROKEN = {
    "half": _cut(40_000),
    "first page only": _cut(4096),
    "text": lambda path: path.write_text("no database " * 200),
    "folder": lambda path: path.mkdir(),
    "zeros": lambda path: path.write_bytes(b"\0" * 5000),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_an_unreadable_file_of_answers(broken, tmp_path):
    """The file is that of the second of two processes."""
    database(tmp_path / "answers_rank0.db")
    assert answer_cache.check_databases(str(tmp_path / "answers")) == 500
    broken(tmp_path / "answers_rank1.db")
    with pytest.raises(RunError, match="answers_rank1.db cannot be read .*delete the file") as caught:
        answer_cache.check_databases(str(tmp_path / "answers"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["run#1/answers", "a%41?mode=memory/answers", "out/[a]*"])
def test_names_with_special_characters_of_urls_and_globs(name, tmp_path, monkeypatch):
    """The name is relative. Nothing else is created, and answers under longer names are another run's."""
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir()
    database(Path(f"{name}_rank0.db"))
    for other in (Path(name).with_name("a_rank0.db"), Path(f"{name}b_rank0.db")):
        database(other)
    assert answer_cache.check_databases(name) == 500
    answer_cache.remove(name, [])
    assert answer_cache.check_databases(name) == 500
    assert [path.name for path in tmp_path.iterdir()] == [Path(name).parent.name]


def test_pickled_code_in_kept_answers_is_not_run(tmp_path):
    class Program:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "run"),)

    database(tmp_path / "answers_rank0.db", [Program()])
    (tmp_path / "answers_rank1.db").write_bytes(b"")  # of a process that was killed before its first answer
    assert answer_cache.check_databases(str(tmp_path / "answers")) == 1
    assert not (tmp_path / "run").exists()


def test_a_disk_without_file_locks(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", flock)
    with answer_cache.alone_with(str(tmp_path / "answers")), (tmp_path / "of a sweep").open("wb") as file:
        lock(file, patience=60)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702], ids=oct)
def test_a_folder_of_pickles_writable_by_others(mode, tmp_path):
    """`mistakes.yml` shows that the flags check it."""
    folder = Path(answer_cache.prepare(str(tmp_path), "0123")).parent
    assert folder == tmp_path / answer_cache.FOLDER
    folder.chmod(mode)
    for use in (lambda: check_trusted(folder, "--use_cache"), lambda: answer_cache.prepare(str(tmp_path), "0123")):
        with pytest.raises(RunError, match=f"others may write to {folder}.*chmod go-w"):
            use()


def test_a_disk_where_every_folder_is_writable_by_all(samples, tiny_model, tmp_path, monkeypatch, capsys, caplog):
    """A Windows disk in WSL is such a disk. Without the flag the run keeps no answers."""
    make = os.mkdir

    def mkdir(path, mode=0o777, **options):
        make(path, mode, **options)
        os.chmod(path, 0o777)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.chdir(samples)
    command = ["run", "--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu", "--limit", "1"]
    command += ["--tasks", "sea_xcopa_th_to_ppl", "--output_path", str(tmp_path / "out")]
    assert main([*command, "--resume"]) == 2
    assert "others may write to" in capsys.readouterr().err
    assert main(command) == 0
    assert "answers are not kept" in caplog.text
    assert list((tmp_path / "out").rglob("results_*.json"))


def test_a_new_folder_of_pickles_is_private(tmp_path):
    before = os.umask(0)
    try:
        check_trusted(tmp_path / "a" / "b", "--cache_requests")
    finally:
        os.umask(before)
    assert not (tmp_path / "a" / "b").stat().st_mode & 0o077
