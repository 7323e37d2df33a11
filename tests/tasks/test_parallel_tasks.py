"""The settings of a parallel test as lm-eval runs them: English exemplars, two languages, translations."""

import json
import shutil
from operator import itemgetter
from pathlib import Path

import pytest
from lm_eval.loggers import EvaluationTracker

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.commands.cli import main
from lm_eval_sea.make.on_demand import tasks_on_demand
from lm_eval_sea.make.prompt_files import read_prompts

from .evaluation import TASKS, evaluate, read_json_lines
from .planted_model import PlantedModel
from .prompt_texts import load_tasks

RECORD = data_sets()["belebele"]
WITHOUT_PROMPTS = ["kac", "shn"]
PROMPTS = read_prompts(TASKS, "belebele")


def test_a_language_without_prompts_is_marked(manager):
    for language in WITHOUT_PROMPTS:
        names = [name for name in manager.task_index[f"sea_{language}"].tags if name.startswith("sea_belebele_")]
        assert len(names) > 5 and all(name.endswith("_enprompt") for name in names)
        for cfg in (manager.task_index[name].cfg for name in names):
            assert {"sea_prompt_en", "sea_exemplars_en"} <= set(cfg["tag"]) and "sea_prompt_native" not in cfg["tag"]
            assert (cfg["metadata"]["prompt_language"], cfg["metadata"]["exemplar_language"]) == ("en", "en")
    marked = {manager.task_index[name].cfg["metadata"]["language"] for name in manager.task_index["sea_exemplars_en"].tags}
    assert {name for name in marked if f"sea_belebele_{name}_to_ppl" not in manager.all_subtasks} == set(WITHOUT_PROMPTS)


def test_tags_of_a_language_hold_the_tasks_in_that_language_alone(manager):
    for language in RECORD.languages:
        for name in manager.task_index[f"sea_{language}"].tags:
            assert manager.task_index[name].cfg["metadata"].get("setting", "base") == "base"


def test_english_exemplars_before_a_row_in_another_language(folder):
    """Five English exemplars by default, as in the paper; all words are English."""
    task, khmer = load_tasks(["sea_belebele_km_enshots_litilo_ppl", "sea_belebele_km_litilo_ppl"], folder)
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
        results = evaluate(mirror, "sea_belebele_vi_to_en", PlantedModel(generation=translation))
        samples = results.pop("samples")
        tracker = EvaluationTracker(output_path=str(output))
        tracker.general_config_tracker.model_name_sanitized = "planted"
        tracker.save_results_aggregated(results=results, samples=samples)
        for name, rows in samples.items():
            tracker.save_results_samples(task_name=name, samples=rows)

    def test_rows_from_output(self, mirror, tmp_path, capsys, monkeypatch):
        """The planted translator knows the English rows, so the rows it makes are those, its empty answers aside."""
        files = [mirror / "facebook/belebele/data" / f"{code}.jsonl" for code in ("vie_Latn", "eng_Latn")]
        vietnamese, english = map(read_json_lines, files)
        columns = ("flores_passage", "question", *(f"mc_answer{number}" for number in range(1, 5)))
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

    def test_rows_of_which_texts_lack_are_refused(self, mirror, tmp_path, capsys):
        self.translate(mirror, tmp_path / "results", lambda prompt: " word")
        (path,) = (tmp_path / "results").rglob("samples_*.jsonl")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[:4]), encoding="utf-8")
        assert main(["make", "--translated", str(tmp_path / "results"), "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        first = json.loads(lines[0])["doc"]
        assert f"of link {first['link']}, question_number {first['question_number']} was not translated; run" in error

    def test_output_without_translations(self, tmp_path, capsys):
        (tmp_path / "results_2026-01-02T03-04-05.678901.json").write_text('{"results": {}}', encoding="utf-8")
        assert main(["make", "--translated", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
        assert "no samples of a task sea_belebele_<language>_to_en" in capsys.readouterr().err

    def test_a_folder_that_the_user_has_not_made(self, mirror, monkeypatch, capsys):
        monkeypatch.chdir(mirror)
        main(["data", "check", "--tasks", "sea_belebele_vi_translated_to_ppl"])
        assert "belebele_translated: not in the current folder; its tasks are not checked" in capsys.readouterr().out
        (mirror / "belebele_translated").mkdir()
        assert main(["data", "check", "--tasks", "sea_belebele_vi_translated_to_ppl"]) == 1
        assert "the folder belebele_translated has no data/vie_Latn.jsonl. The README" in capsys.readouterr().out
