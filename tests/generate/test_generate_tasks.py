"""From prompt books to task files."""

import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
import yaml

from lm_eval_sea.cli import main

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ROOT / "lm_eval_sea" / "prompts"


def run(*arguments: str | Path) -> subprocess.CompletedProcess:
    """`lm-eval-sea tasks make` in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main(["tasks", "make", *map(str, arguments)])
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@pytest.fixture
def books(tmp_path) -> Path:
    return Path(shutil.copytree(PROMPTS, tmp_path / "books"))


def change(path: Path, edit) -> None:
    book = yaml.safe_load(path.read_text(encoding="utf-8"))
    edit(book)
    path.write_text(yaml.safe_dump(book, allow_unicode=True), encoding="utf-8")


def test_the_tasks_of_the_pack_agree_with_its_books():
    result = run("--check")
    assert result.returncode == 0, result.stdout


def test_check_names_what_differs_and_writes_nothing(tmp_path, books):
    out = tmp_path / "tasks"
    assert run("--prompts", books, "--out", out).returncode == 0
    task = out / "xcopa" / "vi" / "to_ppl.yaml"
    (out / "xcopa" / "id" / "to_ppl.yaml").unlink()
    task.write_text(task.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    (out / "xcopa" / "vi" / "old.yaml").write_text(task.read_text(encoding="utf-8"), encoding="utf-8")
    result = run("--prompts", books, "--out", out, "--check")
    assert result.returncode == 1
    assert "xcopa/vi/to_ppl.yaml: differs from its book" in result.stdout
    assert "xcopa/id/to_ppl.yaml: missing" in result.stdout
    assert "xcopa/vi/old.yaml: no book makes this file any more" in result.stdout
    assert "# edited" in task.read_text(encoding="utf-8")


def test_another_set_of_books_makes_a_complete_folder(tmp_path, books):
    change(books / "xcopa.yaml", lambda book: book["languages"]["vi"].update(instruction="Một chỉ dẫn khác."))
    out = tmp_path / "tasks"
    assert run("--prompts", books, "--out", out).returncode == 0
    assert "Một chỉ dẫn khác." in (out / "xcopa" / "vi" / "to_ppl.yaml").read_text(encoding="utf-8")
    here = {
        path.relative_to(ROOT / "lm_eval_sea" / "tasks") for path in (ROOT / "lm_eval_sea" / "tasks").rglob("*") if path.is_file()
    }
    there = {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
    assert {path for path in here if "__pycache__" not in path.parts} == there


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda book: book["languages"]["th"]["words"].pop("premise"), "xcopa.yaml: th: words: 'premise' is missing"),
        (lambda book: book["languages"]["en"].pop("cue"), "xcopa.yaml: en: 'cue' is missing"),
        (lambda book: book["languages"]["th"]["exemplars"].pop(), "xcopa.yaml: th: 4 exemplars; expected 5"),
        (
            lambda book: book["languages"]["id"]["exemplars"][1].update(gold=2),
            "xcopa.yaml: id: exemplar 2: 'gold' is 2; expected 0 to 1",
        ),
        (lambda book: book["languages"].pop("vi"), "xcopa.yaml: 'vi' is missing"),
    ],
)
def test_a_faulty_book_is_named_in_one_line(tmp_path, books, edit, message):
    change(books / "xcopa.yaml", edit)
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_label_word_is_named_with_book_language_and_label(tmp_path, books):
    change(books / "vsmec.yaml", lambda book: book["languages"]["vi"]["labels"].pop("anger"))
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert result.stderr == "lm-eval-sea: vsmec.yaml: vi: labels: 'anger' is missing or empty\n"


def test_an_exemplar_with_an_unknown_label_is_named(tmp_path, books):
    change(books / "indolem.yaml", lambda book: book["languages"]["id"]["exemplars"][2].update(label="sad"))
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert result.stderr == "lm-eval-sea: indolem.yaml: id: exemplar 3: 'label' is 'sad'; expected one of positive, negative\n"


BOOKS = sorted(path.relative_to(PROMPTS) for path in PROMPTS.glob("**/*.yaml"))


def languages_of(path: Path) -> dict[str, dict]:
    """The words and exemplars of a book by language; a book in a folder is of one language."""
    book = yaml.safe_load((PROMPTS / path).read_text(encoding="utf-8"))
    return book.get("languages", {path.stem: book})


@pytest.mark.parametrize("path", BOOKS, ids=str)
def test_gold_positions_of_the_exemplars_are_balanced(path):
    """Of the first three exemplars, which are shown by default, no two share a position where there are enough options."""
    for language, book in languages_of(path).items():
        exemplars = book.get("exemplars", [])
        if not exemplars or "gold" not in exemplars[0]:
            continue
        golds = [exemplar["gold"] for exemplar in exemplars]
        positions = min(len(exemplars), max(len(exemplar["options"]) for exemplar in exemplars))
        assert len(set(golds)) == positions, (path.stem, language)
        assert len(set(golds[:3])) == min(3, positions), (path.stem, language)


@pytest.mark.parametrize("path", BOOKS, ids=str)
def test_exemplars_show_as_many_labels_as_five_can(path):
    for language, book in languages_of(path).items():
        if "labels" in book and "exemplars" in book:
            shown = {exemplar["label"] for exemplar in book["exemplars"]}
            assert len(shown) == min(5, len(book["labels"])), (path.stem, language)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda book: book.pop("cue"), "sea_helm/id.yaml: 'cue' is missing or empty"),
        (lambda book: book["tasks"].pop("qa"), "sea_helm/id.yaml: 'qa' is missing or empty"),
        (lambda book: book["tasks"]["nli"].pop("instruction"), "sea_helm/id.yaml: nli: 'instruction' is missing or empty"),
        (lambda book: book["tasks"]["nli"].update(format="A B C"), "nli: 'format' lacks {cue} or the word ANSWER"),
        (lambda book: book["tasks"]["nli"].update(template="{sentence1}"), "nli: 'template' lacks {sentence2}"),
        (
            lambda book: book["tasks"]["sentiment"].update(format="{cue} ANSWER: Positif, Negatif"),
            "sentiment: 'format' does not name the label 'Netral'",
        ),
    ],
)
def test_a_faulty_book_of_sea_helm_is_named_in_one_line(tmp_path, books, edit, message):
    change(books / "sea_helm" / "id.yaml", edit)
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_book_of_sea_helm_is_named(tmp_path, books):
    (books / "sea_helm" / "lo.yaml").unlink()
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert "sea_helm/lo.yaml: no prompt book of SEA-HELM for language 'lo'" in result.stderr


def test_the_documentation_has_the_tables_of_tasks():
    script = ROOT / "scripts" / "update_readme.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", ["xquad", "tydiqa"])
def test_answers_of_exemplars_stand_in_their_passages(name):
    for book in yaml.safe_load((PROMPTS / f"{name}.yaml").read_text(encoding="utf-8"))["languages"].values():
        for exemplar in book.get("exemplars", []):
            assert all(answer in exemplar["passage"] for answer in exemplar["answers"])


@pytest.mark.parametrize(
    ("name", "edit", "message"),
    [
        (
            "flores",
            lambda book: book["languages"]["th"]["instructions"].pop("th_en"),
            "th: instructions: 'th_en' is missing or empty",
        ),
        ("flores", lambda book: book["languages"]["en"]["words"].pop("vi"), "en: words: 'vi' is missing or empty"),
        (
            "flores",
            lambda book: book["languages"]["id"]["exemplars"][0].pop("translation"),
            "id: exemplar 1: 'translation' is missing or empty",
        ),
        (
            "xquad",
            lambda book: book["languages"]["vi"]["exemplars"][4].update(answers=[]),
            "vi: exemplar 5: 'answers' is missing or empty",
        ),
        (
            "xlsum",
            lambda book: book["languages"]["vi"]["exemplars"][1].pop("summary"),
            "vi: exemplar 2: 'summary' is missing or empty",
        ),
    ],
)
def test_a_faulty_book_of_generated_answers_is_named(tmp_path, books, name, edit, message):
    change(books / f"{name}.yaml", edit)
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert (result.returncode, result.stderr) == (2, f"lm-eval-sea: {name}.yaml: {message}\n")


def test_a_pair_of_languages_is_made_on_demand(tmp_path):
    out = tmp_path / "tasks"
    assert run("--belebele_pairs", "th-vi,jv-id", "--out", out).returncode == 0
    here, there = (
        {path.relative_to(folder).as_posix() for path in (folder / "belebele").rglob("*yaml")}
        for folder in (ROOT / "lm_eval_sea" / "tasks", out)
    )
    variants = ("to_ppl", "litilo_ppl", "litilo_gen")
    assert there - here == {f"belebele/pairs/{variant}/{pair}.yaml" for pair in ("th-vi", "jv-id") for variant in variants}
    assert here <= there
    task = yaml.safe_load((out / "belebele/pairs/to_ppl/th-vi.yaml").read_text(encoding="utf-8"))
    word = languages_of(Path("belebele/vi.yaml"))["vi"]["words"]["passage"]
    assert task["task"] == "sea_belebele_th-vi_to_ppl"
    assert task["doc_to_text"].startswith(f"{word} {{{{passage}}}}"), "the prompt is in the language of the question"
    assert task["metadata"]["data_files"] == {"test": "data/tha_Thai.jsonl", "questions": "data/vie_Latn.jsonl"}
    assert task["metadata"]["language"] == "th-vi"


@pytest.mark.parametrize("pair", ["th-xx", "th-th", "th", "th-vi-id"])
def test_a_pair_of_unknown_languages_is_named(tmp_path, pair):
    result = run("--belebele_pairs", pair, "--out", tmp_path / "tasks")
    assert result.returncode == 2
    assert result.stderr.startswith(f"lm-eval-sea: belebele: no pair {pair!r}; expected X-Y with two of id, jv, ")
    assert result.stderr.count("\n") == 1


def test_a_book_in_a_folder_may_lack_what_a_file_may_lack(tmp_path, books):
    change(books / "belebele" / "my.yaml", lambda book: book.pop("chat_instruction"))
    result = run("--prompts", books, "--out", tmp_path / "tasks")
    assert (result.returncode, result.stderr) == (2, "lm-eval-sea: belebele: my: 'chat_instruction' is missing or empty\n")
    (books / "belebele" / "my.yaml").unlink()
    assert run("--prompts", books, "--out", tmp_path / "tasks").stderr == "lm-eval-sea: belebele: 'my' is missing or empty\n"
