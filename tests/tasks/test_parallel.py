"""The same questions in every language: published rows, pairs of two languages, English exemplars, a model's translations."""

import json
import re
import shutil
import unicodedata
from collections import Counter
from operator import itemgetter
from pathlib import Path

import pytest

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make.on_demand import tasks_on_demand
from lm_eval_sea.make.prompt_files import read_prompts
from lm_eval_sea.tasks._shared.rows import DataError, iterate_rows

from ..sea_helm.planted_answers import write_run
from .evaluation import TASKS, evaluate, read_json_lines
from .planted_model import PlantedModel
from .prompt_texts import SAMPLES
from .test_rows import belebele

RECORD = data_sets()["belebele"]
PARALLEL = RECORD.parallel
CODES = {language: data.code for language, data in RECORD.languages.items()}
ANSWERS = belebele.ANSWERS
WITHOUT_PROMPTS = ["kac", "shn"]
PROMPTS = read_prompts(TASKS, "belebele")


def read(folder: Path, code: str) -> list[dict]:
    path = folder / PARALLEL["source"] / PARALLEL["path"].format(code=code)
    if not path.exists():
        pytest.skip(f"{path} is not in the mirror")
    return read_json_lines(path)


def by_key(rows: list[dict]) -> dict[tuple, dict]:
    return {belebele.key_of(row): row for row in rows}


@pytest.fixture(scope="module")
def published(hub_mirror) -> dict[str, list[dict]]:
    """The rows of each language that the mirror has, by code."""
    path = PARALLEL["path"]
    there = [code for code in CODES.values() if (hub_mirror / PARALLEL["source"] / path.format(code=code)).exists()]
    assert len(there) >= 10
    return {code: read(hub_mirror, code) for code in there}


class TestRealRows:
    def test_every_language_has_the_900_questions_and_488_passages_of_english(self, published):
        english = by_key(published["eng_Latn"])
        for code, rows in published.items():
            found = by_key(rows)
            assert len(found) == 900 and found.keys() == english.keys(), code
            assert [key for key in english if found[key]["correct_answer_num"] != english[key]["correct_answer_num"]] == [], code
            made = [belebele.process_row(row) for row in rows]
            pairs = {(row["cluster"], row["passage"]) for row in made}
            assert len(pairs) == len({cluster for cluster, _ in pairs}) == len({passage for _, passage in pairs}) == 488, code

    def test_options_stand_in_the_order_of_the_english_ones(self, published):
        """Where the four options can be told apart by their numbers, which translators kept, each is at the English place."""

        def numbers(row: dict) -> list[tuple[str, ...]]:
            digits = ["".join(str(unicodedata.decimal(character, character)) for character in row[answer]) for answer in ANSWERS]
            return [tuple(sorted(re.findall(r"\d+", text))) for text in digits]

        english = {key: numbers(row) for key, row in by_key(published["eng_Latn"]).items()}
        for code, rows in published.items():
            found = {key: numbers(row) for key, row in by_key(rows).items()}
            comparable = [key for key, own in english.items() if len(set(own)) == 4 and set(own) == set(found[key])]
            assert len(comparable) >= 28, code
            assert [key for key in comparable if found[key] != english[key]] == [], code

    def test_faults_of_the_published_rows(self, published):
        """CSV quoting in passages, blanks at the edges of options, questions with equal options: counted in the README."""
        mended = {
            "ind_Latn": 183, "zsm_Latn": 0, "tha_Thai": 175, "vie_Latn": 114, "mya_Mymr": 193, "khm_Khmr": 109, "lao_Laoo": 0,
            "tam_Taml": 167, "zho_Hans": 8, "eng_Latn": 170,
        }  # fmt: skip
        edges = {"ind_Latn": 97, "khm_Khmr": 101, "mya_Mymr": 98, "tam_Taml": 97}
        for code, raw in published.items():
            rows = [belebele.process_row(row) for row in raw]
            unlike = sum(row["passage"] != old["flores_passage"].strip() for row, old in zip(rows, raw, strict=True))
            assert unlike == mended[code], code
            assert sum(any(row[answer] != row[answer].strip() for answer in ANSWERS) for row in raw) == edges.get(code, 99), code
            texts = [text for row in rows for text in (row["passage"], row["question"], *row["options"])]
            assert not any('""' in text or text != text.strip() or not text or "\n" in text for text in texts), code
            assert sum(len(set(row["options"])) < 4 for row in rows) == (3 if code == "zsm_Latn" else 2), code

    def test_texts_for_translation(self, published):
        for code, rows in published.items():
            process = belebele.process_texts({"english": published["eng_Latn"]})
            texts = [text for row in rows for text in process(row)]
            assert len(texts) == PARALLEL["texts"], code
            counts = {"flores_passage": 488} | dict.fromkeys(["question", *ANSWERS], 900)
            assert Counter(text["column"] for text in texts) == counts, code
            assert len({text["id"] for text in texts}) == len(texts), code
            # an answer may be as long as the longest English text
            assert max(len(text["english"].split()) for text in texts) * 1.5 < PARALLEL["max_new_tokens"], code


@pytest.mark.parametrize("language", RECORD.suite_languages)
def test_the_rows_of_sailcompass_are_the_same(hub_mirror, language):
    data = RECORD.languages[language]
    published = [{column: row[column] for column in row if column != "ds"} for row in read(hub_mirror, data.code)]
    assert read_json_lines(hub_mirror / data.source / data.files["test"]) == published


def test_the_samples_are_parallel():
    files = sorted((SAMPLES / PARALLEL["source"] / "data").glob("*.jsonl"))
    assert {path.stem for path in files} == {CODES[language] for language in CODES.keys() - set(WITHOUT_PROMPTS)}
    golds = [{key: row["correct_answer_num"] for key, row in by_key(read_json_lines(path)).items()} for path in files]
    assert all(found == golds[0] for found in golds)
    for data in map(RECORD.languages.get, RECORD.suite_languages):
        rows = read_json_lines(SAMPLES / data.source / data.files["test"])
        assert [row | {"ds": None} for row in rows] == read(SAMPLES, data.code)


def pairs(passages, questions):
    return list(iterate_rows({"test": passages, "questions": questions}, belebele.process_pairs, "data/tha_Thai.jsonl"))


def test_paired_questions_are_found_in_any_order_and_must_be_there_once():
    """Each fault is one line that names file, row and key or column."""
    thai, english = read(SAMPLES, "tha_Thai"), read(SAMPLES, "eng_Latn")
    made = pairs(thai, english)
    assert pairs(thai, english[::-1]) == made
    turned = [dict(zip(ANSWERS, [row[answer] for answer in reversed(ANSWERS)], strict=True)) for row in english]
    turned = [
        row | own | {"correct_answer_num": 5 - int(row["correct_answer_num"])} for row, own in zip(english, turned, strict=True)
    ]
    found = [(row["options"], row["gold"]) for row in pairs(thai, turned)]
    assert found == [(row["options"][::-1], 3 - row["gold"]) for row in made], "gold is that of the question and its options"
    faults = [row for row in pairs(thai, english[1:]) if isinstance(row, DataError)]
    link = "link https://example.org/rafflesia with question_number 1"
    assert list(map(str, faults)) == [f"data/tha_Thai.jsonl, row 0: no counterpart in eng_Latn: it lacks {link}"]
    (fault,) = pairs(thai, [*english, english[0]])
    assert f"eng_Latn has {link} twice" in str(fault)
    (fault,) = pairs(thai, [{name.replace("mc_answer2", "answer2"): value for name, value in row.items()} for row in english])
    assert str(fault) == "data/tha_Thai.jsonl: a file that its rows are joined with has no column 'mc_answer2'"


def test_the_tag_of_a_language_has_its_tasks_alone_and_english_prompts_are_marked(manager):
    for language in RECORD.languages:
        cfgs = {name: manager.task_index[name].cfg for name in manager.task_index[f"sea_{language}"].tags}
        assert {cfg["metadata"].get("setting", "base") for cfg in cfgs.values()} == {"base"}
        if language in WITHOUT_PROMPTS:
            cfgs = {name: cfg for name, cfg in cfgs.items() if name.startswith("sea_belebele_")}
            assert len(cfgs) > 5 and all(name.endswith("_enprompt") for name in cfgs)
            for cfg in cfgs.values():
                assert {"sea_prompt_en", "sea_exemplars_en"} <= set(cfg["tag"]) and "sea_prompt_native" not in cfg["tag"]
                assert (cfg["metadata"]["prompt_language"], cfg["metadata"]["exemplar_language"]) == ("en", "en")
    marked = {manager.task_index[name].cfg["metadata"]["language"] for name in manager.task_index["sea_exemplars_en"].tags}
    assert {name for name in marked if f"sea_belebele_{name}_to_ppl" not in manager.all_subtasks} == set(WITHOUT_PROMPTS)


def test_english_exemplars_before_a_row_in_another_language(load_tasks):
    """Five English exemplars by default, as in the paper; all words are English."""
    task, khmer = load_tasks("sea_belebele_km_enshots_litilo_ppl", "sea_belebele_km_litilo_ppl").values()
    assert task.config.num_fewshot == 5
    english = PROMPTS["en"]
    blocks, shown = [english["instruction"]], [*english["exemplars"], khmer.test_docs()[0]]
    for row in shown:
        options = "".join(f"{letter}. {option}\n" for letter, option in zip("ABCD", row["options"], strict=True))
        answer = f" {'ABCD'[row['gold']]}" if row is not shown[-1] else ""
        blocks.append(f"Passage: {row['passage']}\nQuestion: {row['question']}\n{options}Answer:{answer}")
    task.set_config("num_fewshot", 5)
    assert task.fewshot_context(task.test_docs()[0], 5) == "\n\n".join(blocks)


@pytest.mark.parametrize(("passages", "questions"), [("th", "en"), ("en", "th")])
def test_a_pair_shows_two_languages(folder, monkeypatch, manager, passages, questions):
    monkeypatch.chdir(folder)
    names = [f"sea_belebele_{name}_litilo_gen" for name in (f"{passages}-{questions}", passages, questions)]
    loaded = manager.load([tasks_on_demand(names)[names[0]], *names[1:]])["tasks"]
    pair, first, second = (loaded[name] for name in names)
    for own, passage, question in zip(pair.test_docs(), first.test_docs(), second.test_docs(), strict=True):
        for source, keys in ((passage, ("id", "passage", "cluster")), (question, ("question", "options", "gold"))):
            assert [own[key] for key in keys] == [source[key] for key in keys]
    prompt = PROMPTS[questions]
    context = pair.fewshot_context(pair.test_docs()[0], 1)
    assert context.startswith(f"{prompt['instruction']}\n\n{prompt['row'].format(**prompt['exemplars'][0])}\n")
    assert context.endswith(f"\n{prompt['cue']}")


class TestTranslations:
    """From the texts of a language by a model's translations to rows that are asked in English."""

    @pytest.fixture
    def mirror(self, folder, tmp_path) -> Path:
        ignored = shutil.ignore_patterns(RECORD.parallel["translated"])
        return Path(shutil.copytree(folder, tmp_path / "mirror", ignore=ignored))

    def translate(self, mirror: Path, output: Path, translation) -> None:
        """Runs the translating task and writes its output as lm-eval does."""
        name = "sea_belebele_vi_to_en"
        results = evaluate(mirror, name, PlantedModel(generation=translation))
        write_run(output, name, results["configs"][name]["metadata"], results["samples"][name])

    def test_translations_become_rows(self, mirror, tmp_path, capsys, monkeypatch):
        """The planted translator knows the English rows, so the rows it makes are those, its empty answers aside."""
        files = [mirror / "facebook/belebele/data" / f"{code}.jsonl" for code in ("vie_Latn", "eng_Latn")]
        vietnamese, english = map(read_json_lines, files)
        columns = ("flores_passage", "question", *ANSWERS)
        known = {a[c]: b[c] for a, b in zip(vietnamese, english, strict=True) for c in columns}
        forgotten = vietnamese[1]["mc_answer2"]

        def translation(prompt: str) -> str:
            text = prompt.split("Vietnamese: ")[1].removesuffix("\nEnglish:")
            return "" if text == forgotten else f" {known[text]}\n\nVietnamese: …"

        self.translate(mirror, tmp_path / "results", translation)
        monkeypatch.chdir(mirror)
        assert main(["make", "--translated", str(tmp_path / "results"), "--out", RECORD.parallel["translated"]]) == 0
        out, err = capsys.readouterr()
        assert out == "belebele_translated/data/vie_Latn.jsonl: 4 rows\n"
        assert "1 empty translations, replaced by the original: https://example.org/rafflesia#2#mc_answer2" in err
        written = read_json_lines(Path("belebele_translated/data/vie_Latn.jsonl"))
        english[1]["mc_answer2"] = forgotten
        for row in english:
            row["dialect"] = "vie_Latn translated to eng_Latn"
            del row["ds"]
        key = itemgetter("link", "question_number")
        assert sorted(written, key=key) == sorted(english, key=key)
        model = PlantedModel(generation=lambda prompt: "C")
        scores = evaluate(mirror, "sea_belebele_vi_translated_chat", model)["results"]["sea_belebele_vi_translated_chat"]
        assert scores["exact_match,none"] == 1 / 4
        assert written[0]["question"] in model.requests[0][0]

    def test_output_that_lacks_translations_is_refused(self, mirror, tmp_path, capsys):
        command = ["make", "--translated", str(tmp_path / "results"), "--out", str(tmp_path / "out")]
        self.translate(mirror, tmp_path / "results", lambda prompt: " word")
        (path,) = (tmp_path / "results").rglob("samples_*.jsonl")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:4]), encoding="utf-8")
        assert main(command) == 2
        error = capsys.readouterr().err
        first = json.loads(lines[0])["doc"]
        assert f"of link {first['link']}, question_number {first['question_number']} was not translated; run" in error
        path.unlink()
        assert main(command) == 2
        assert "no samples of a task sea_belebele_<language>_to_en" in capsys.readouterr().err

    def test_a_folder_that_the_user_has_not_made(self, mirror, monkeypatch, capsys):
        monkeypatch.chdir(mirror)
        main(["data", "check", "--tasks", "sea_belebele_vi_translated_to_ppl"])
        assert "belebele_translated: not in the current folder; its tasks are not checked" in capsys.readouterr().out
        (mirror / "belebele_translated").mkdir()
        assert main(["data", "check", "--tasks", "sea_belebele_vi_translated_to_ppl"]) == 1
        assert "the folder belebele_translated has no data/vie_Latn.jsonl. The README" in capsys.readouterr().out
