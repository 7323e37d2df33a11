"""Plain texts in several languages: which ones are asked, and what is made of their log-likelihoods."""

import math

import numpy as np
import pytest

from lm_eval_sea.make.on_demand import select
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.texts import texts_section
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import table_of

from ..results.lm_eval_output import changed, logged, write_run
from .evaluation import evaluate, read_json_lines
from .planted_model import PlantedModel

LANGUAGES = ("en", "id", "th")


def test_real_texts_are_the_same_in_all_languages(in_hub_mirror):
    def rows_of(name):
        [task] = select([name])
        return task.load_rows().rows

    passages = {language: {row["id"] for row in rows_of(f"sea_belebele_{language}_text")} for language in LANGUAGES}
    assert passages["en"] == passages["id"] == passages["th"] and len(passages["en"]) == 488
    english, *others = (rows_of(f"sea_flores_{language}_text") for language in LANGUAGES)
    assert len(english) == 1012
    for language, sentences in zip(LANGUAGES[1:], others, strict=True):  # row by row, translations of the same English sentence
        pairs = {row["id"]: (row["english"], row["translation"]) for row in rows_of(f"sea_flores_{language}_en")}
        for row, own in zip(english, sentences, strict=True):
            assert row["id"] == own["id"] and pairs[own["id"]] == (row["text"], own["text"])


def test_every_text_is_asked_once_and_its_bits_are_those_of_the_model(samples):
    """A model that needs 3 nats a letter."""
    name = "sea_belebele_th_text"
    model = PlantedModel(lambda prompt, text: -3.0 * len(text))
    found = evaluate(samples, name, model)
    file = samples / "sail/Sailcompass_data/data/belebele/tha_Thai.jsonl"
    published = {row["link"]: row["flores_passage"].strip() for row in read_json_lines(file)}
    assert sorted(text for (text,) in model.requests) == sorted(published.values())
    bits, size = (np.array([measure(text) for text in published.values()]) for measure in (len, lambda text: len(text.encode())))
    bits = bits * 3 / math.log(2)
    scores = found["results"][name]
    assert scores["bits_per_byte,none"] == pytest.approx(bits.sum() / size.sum())
    rest = bits - size * bits.sum() / size.sum()
    count = len(published)
    expected = math.sqrt((rest**2).sum() * count / (count - 1)) / size.sum()
    assert scores["bits_per_byte_stderr,none"] == pytest.approx(expected)
    assert {row["doc"]["cluster"] for row in found["samples"][name]} == set(published)


def planted(folder, texts, of=None):
    """A run of texts, language → id → (nats, bytes); of so many, by default of these."""
    tasks = {}
    for language, told in texts.items():
        rows = logged("bits_per_byte", list(map(list, told.values())), {"id": [*told], "cluster": [*told]})
        facts = {"dataset": "belebele", "language": language, "variant": "text", "setting": "text", "headline_metric": "",
                 "version": 1.4, "rows": of or len(rows)}  # fmt: skip
        scores = {"bits_per_byte,none": 1.25, "bits_per_byte_stderr,none": 0.5}
        tasks[f"sea_belebele_{language}_text"] = {"scores": scores, "metadata": facts, "rows": rows, "num_fewshot": 0}
        ranked = facts | {"variant": "to_ppl", "setting": "base", "headline_metric": "acc_ppl", "rows": 900, "chance": 0.25}
        tasks[f"sea_belebele_{language}_to_ppl"] = {"scores": {"acc_ppl,none": 0.5}, "metadata": ranked}  # which has no texts
    write_run(folder, tasks, model="m")
    return read(folder).best()


def test_languages_are_compared_on_the_same_texts(tmp_path):
    draw = np.random.default_rng(2)
    english = {f"p{n}": (-float(draw.integers(50, 90)), 100) for n in range(60)}
    thai = {f"p{n}": (1.5 * english[f"p{n}"][0] + float(draw.normal(0, 5)), 300) for n in range(10, 60)}
    runs = planted(tmp_path, {"en": english, "th": thai | {"other": (-9000.0, 100)}})
    rows = texts_section(scores_of(runs)).tables[0].frame.set_index("language")
    found, nats = rows.loc["th"], sum(-told[0] for told in thai.values())
    assert found.bits == pytest.approx((nats + 9000) / math.log(2) / (50 * 300 + 100))
    assert found.beside == pytest.approx(nats / -sum(english[name][0] for name in thai))
    assert found.beside_low < found.beside < found.beside_high
    assert found.beside_low < 1.5 < found.beside_high
    assert (found.texts, found.common, rows.loc["en"].texts) == (51, 50, 60)
    assert math.isnan(rows.loc["en"].beside)
    shown = table_of(runs)
    assert "sea_belebele_th_text: 1.250 ± 0.500 (standard error) bits per byte, 51 texts" in shown
    assert "not of this pack" not in shown


def test_every_task_of_texts_has_a_line(tmp_path):
    """Also two of one language; a text is compared with the English one of its name in either."""
    planted(tmp_path / "a", {"en": {"a": (-40.0, 100)}, "th": {"a": (-80.0, 300), "b": (-10.0, 300)}})
    with changed(tmp_path / "a") as content:
        for part in ("results", "configs", "n-shot", "versions", "n-samples"):
            content[part]["sea_belebele_en_text_more"] = content[part]["sea_belebele_en_text"]
    [samples] = (tmp_path / "a").glob("samples_sea_belebele_en_text_*")
    more = samples.read_text().replace('"a"', '"b"').replace("-40.0", "-20.0")
    samples.with_name(samples.name.replace("_text_", "_text_more_")).write_text(more)
    table = texts_section(scores_of(read(tmp_path).best())).tables[0].frame.set_index("task")
    bits = {"sea_belebele_en_text": 40 / 100, "sea_belebele_en_text_more": 20 / 100, "sea_belebele_th_text": 90 / 600}
    assert (table.bits * math.log(2)).to_dict() == pytest.approx(bits)
    assert (table.common.sea_belebele_th_text, table.beside.sea_belebele_th_text) == (2, pytest.approx(90 / 60))


def test_bits_of_a_part_of_the_texts_are_marked(tmp_path):
    """They do not compare with those of all texts."""
    runs = planted(tmp_path, {"en": {f"p{n}": (-50.0 - n, 100) for n in range(20)}}, of=488)
    [(_, cells)] = texts_section(scores_of(runs)).tables[0].cells()
    assert [cell.text for cell in cells if "†" in cell.text] == [cells[3].text]


@pytest.mark.parametrize("told", [[-3.0, 0], [-3.0], ["x", 4], None, [float("-inf"), 4]])
def test_what_is_no_log_likelihood_is_left_out(tmp_path, told):
    runs = planted(tmp_path, {"en": {"a": (-3.0, 4), "b": (-5.0, 4)}, "id": {"a": (-3.0, 4), "b": told or ()}})
    [table] = texts_section(scores_of(runs)).tables
    assert table.frame.set_index("language").texts.to_dict() == {"en": 2, "id": 1}
