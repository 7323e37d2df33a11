"""From published rows to processed rows of data sets outside SailCompass: the known faults, by hand and on the real files.

And what every data_set.yml says of its rows, on the real ones.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.tasks._shared.published.json_rows import read_json_rows
from lm_eval_sea.tasks._shared.published.table_rows import read_table_rows
from lm_eval_sea.tasks._shared.rows import RowProcessor, function_of_row

from .evaluation import read_json_lines
from .test_rows import _utils


def processor(dataset: str) -> RowProcessor:
    """The processor of the data set's first task."""
    of = data_sets()[dataset]
    return read_tasks().tasks[of.names(next(iter(of.languages)))[0]].processor


def _made(dataset: str, published: list[dict], function: str = "") -> list[list[dict]]:
    """What a task of the data set makes of each published row; a function of its utils.py, in place of the task."""
    process = function_of_row(getattr(_utils(dataset), function) if function else processor(dataset), {"test": published})
    return [made if isinstance(made, list) else [made] for made in map(process, published)]


def _rows(dataset: str, published: list[dict], function: str = "") -> list[dict]:
    """All that is made of the published rows."""
    return [row for rows in _made(dataset, published, function) for row in rows]


def _parquet(path: Path) -> list[dict]:
    return pq.read_table(path).to_pylist()


def _published(path: Path) -> list[dict]:
    """The rows of a file, or of several with `*` in the path."""
    readers = {".csv": read_table_rows, ".parquet": _parquet, ".jsonl": read_json_rows}
    return [row for file in sorted(Path("/").glob(str(path)[1:])) for row in readers[path.suffix](file)]


def _right(row: dict) -> str:
    return row["options"][row["gold"]]


def _times_of_right(row: dict) -> int:
    return row["options"].count(_right(row))


def _lettered(letter: str, choices: list[str]) -> str:
    return next(choice for choice in choices if choice.strip().strip("(").startswith(letter))


def _reread(text: str) -> str:
    return re.sub("[\x80-\x9f]", lambda found: found[0].encode("latin-1").decode("cp1252"), text)


# Data set → file, the right option by the published row, rows with equal options, rows left out; as the READMEs say.
PARQUET = "test-00000-of-00001.parquet"
OF_MMLU = "CohereLabs/Global-MMLU-Lite/{}/" + PARQUET
RIGHT = {
    "copal": ("haryoaw/COPAL/test_copal.csv", lambda row: row[f"choice{int(row['label']) + 1}"], 0, 0),
    "copalcolloquial": ("haryoaw/COPAL/test_copal_colloquial.csv", lambda row: row[f"choice{int(row['label']) + 1}"], 0, 0),
    "vmlu": ("tridm/VMLU/valid.jsonl", lambda row: _lettered(row["answer"], row["choices"])[2:], 2, 0),
    "tatabahasa": (
        "mesolitica/malaysian-dataset/llm-benchmark/Tatabahasa/tatabahasa.jsonl",
        # the text was once read in the wrong encoding
        lambda row: next(_reread(choice["text"]) for choice in row["choices"].values() if choice["answer"]), 2, 12,
    ),
    "indommlu": ("indolem/IndoMMLU/data/test.jsonl", lambda row: _lettered(row["answer"], row["options"])[2:], 5, 0),
    "indocloze": ("indolem/indo_story_cloze/test.csv", lambda row: " ".join(row["Correct Ending"].split()), 0, 0),
    **{
        f"csqa {language}": (
            f"rifkiaputri/{language}-csqa/human_gen/{PARQUET}",
            lambda row: row["choices"]["text"]["ABCDE".index(row["answer_majority"])], equal, 0,
        )
        for language, equal in (("id", 2), ("su", 3))
    },
    "sgeval": ("SeaEval/sg_eval_v1/data/test.jsonl", lambda row: row["answer"][3:], 0, 0),
    "pheval": ("SeaEval/ph_eval/data/test.jsonl", lambda row: row["answer"][3:], 1, 0),
    "thaiexam": ("typhoon-ai/thai_exam/data/*/*_test.jsonl", lambda row: row[row["answer"]], 0, 0),
    **{
        f"globalmmlulite {language}": (OF_MMLU.format(language), lambda row: row[f"option_{row['answer'].lower()}"], 0, empty)
        for language, empty in (("id", 0), ("my", 1), ("zh", 0), ("en", 0))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_option_is_that_of_the_published_row(name, hub_mirror):
    file, right, equal, left_out = RIGHT[name]
    published = _published(hub_mirror / file)
    made = _made(name.split()[0], published)
    pairs = [(right(old).strip().rstrip("."), row) for old, rows in zip(published, made, strict=True) for row in rows]
    assert [(_right(row).rstrip("."), _times_of_right(row)) for _, row in pairs] == [(text, 1) for text, _ in pairs]
    assert sum(len(set(row["options"])) < len(row["options"]) for _, row in pairs) == equal
    assert len(published) - len(pairs) == left_out
    assert all(text == text.strip() for _, row in pairs for text in row["options"])


class TestWinograd:
    def test_the_pronoun_is_replaced_where_it_stands_and_a_possessive_keeps_its_of(self):
        text = "เขาให้มานพยืมรถของเขาเพราะเขาใจดี"
        first, second = text.index("ของเขา"), text.rindex("เขา")
        shared = {"text": text, "quote": "", "options": ["ก้อง ", "มานพ"], "label": 0}
        published = [shared | {"pronoun": "ของเขา", "pronoun_loc": first}, shared | {"pronoun": "เขา", "pronoun_loc": second}]
        assert [row["options"] for row in _rows("winograd", published)] == [
            ["เขาให้มานพยืมรถของก้องเพราะเขาใจดี", "เขาให้มานพยืมรถของมานพเพราะเขาใจดี"],
            ["เขาให้มานพยืมรถของเขาเพราะก้องใจดี", "เขาให้มานพยืมรถของเขาเพราะมานพใจดี"],
        ]

    def test_real_rows(self, hub_mirror):
        published = _parquet(hub_mirror / "pakphum/winograd_th/data" / PARQUET)
        rows = _rows("winograd", published)
        assert sum(old["text"].count(old["pronoun"]) > 1 for old in published) == 52
        assert sum(old["pronoun"].startswith("ของ") for old in published) == 24
        assert sum(option != option.strip() for old in published for option in old["options"]) == 19
        for old, row in zip(published, rows, strict=True):
            before = old["text"][: old["pronoun_loc"]].lstrip()
            behind = old["text"][old["pronoun_loc"] + len(old["pronoun"]) :].rstrip()
            for referent, option in zip(old["options"], row["options"], strict=True):
                possessive = "ของ" if old["pronoun"].startswith("ของ") else ""
                assert option == before + possessive + referent.strip() + behind


def test_contradicting_rows_of_tatabahasa_are_left_out_and_repeated_ones_stay():
    def published(sentence, right, options=("satu", "dua", "tiga", "empat")):
        choices = {letter: {"text": text, "answer": letter == right} for letter, text in zip("ABCD", options, strict=True)}
        return {"instruction": "Isi tempat kosong.", "question": sentence, "choices": choices}

    sentences = [("Ada __ .", "A"), ("Ada __ .", "B"), ("Buah __ itu \x96 manis.", "C")]
    sentences += [(None, "D", ("satu", "dua", "empat", "empat")), *[("Buah __ itu.", "C")] * 2]
    first, shortened, *repeated = _rows("tatabahasa", [published(*sentence) for sentence in sentences])
    assert first["question"] == "Isi tempat kosong.\nBuah __ itu \u2013 manis."
    assert (shortened["question"], shortened["options"]) == ("Isi tempat kosong.", ["satu", "dua", "empat"])
    assert [row["question"].split("\n")[1:] for row in repeated] == [["Buah __ itu."]] * 2
    assert [_right(row) for row in (first, shortened, *repeated)] == ["tiga", "empat", "tiga", "tiga"]
    assert all(row["options"] == ["satu", "dua", "tiga", "empat"] for row in (first, *repeated))


INDOMMLU = {"question": "2 + 2 = ...", "options": ["A. tiga", "B. empat", "C. lima", "atau lebih"], "answer": "B"}


def test_options_of_indommlu_are_a_list_or_a_list_in_a_text_and_may_have_several_lines():
    """Exemplars and rows without their answer are left out."""
    listed, written = _rows("indommlu", [INDOMMLU, INDOMMLU | {"options": str(INDOMMLU["options"]), "is_for_fewshot": "0"}])
    assert listed == written
    assert (listed["options"], listed["letters"]) == (["tiga", "empat", "lima\natau lebih"], ["A", "B", "C"])
    assert listed["gold"] == 1
    for change in ({"is_for_fewshot": "1"}, {"answer": "D"}, {"options": ["A. tiga", "B. ", "C. lima"]}):
        assert _rows("indommlu", [INDOMMLU | change]) == [], change


def test_the_order_of_endings_depends_on_the_story_alone(hub_mirror):
    published = read_table_rows(hub_mirror / "indolem/indo_story_cloze/test.csv")
    golds = [row["gold"] for row in _rows("indocloze", published)]
    assert [row["gold"] for row in _rows("indocloze", published[::-1])] == golds[::-1]


class TestMyXNLI:
    def test_texts_are_mended(self):
        mended = {
            "# မနေ့က": "မနေ့က",
            "ဖလိုက် #၉၃": "ဖလိုက် #၉၃",
            "\u200cအ\u200bနီ": "အနီ",
            "အ ေတာ် ေကြာင်း": "အ တော် ကြောင်း",
            "ငါ့အဖေေလာက်": "ငါ့အဖေလောက်",
            "ကျေးဇူး နေ": "ကျေးဇူး နေ",
        }
        rows = _rows("myxnli", [{"sentence1_my": text, "sentence2_my": text, "label": "neutral"} for text in mended])
        assert [(row["premise"], row["cluster"], row["hypothesis"]) for row in rows] == [(text,) * 3 for text in mended.values()]

    def test_real_rows(self, hub_mirror):
        published = read_json_lines(hub_mirror / "akhtet/myXNLI/data/test.jsonl")
        rows = _rows("myxnli", published)
        assert Counter(Counter(row["premise"] for row in rows).values()) == {3: 1670}
        texts = [row["sentence1_my"] for row in published[::3]] + [row["sentence2_my"] for row in published]
        mended = [row["premise"] for row in rows[::3]] + [row["hypothesis"] for row in rows]
        beginning = sum(text.startswith("#") for text in texts)
        unseen = sum(not {"\u200b", "\u200c"}.isdisjoint(text) for text in texts)
        order = sum(sorted(old) == sorted(new) and old != new for old, new in zip(texts, mended, strict=True))
        assert (beginning, unseen, order) == (68, 44, 60), "counted in the README"
        assert sum(old != new for old, new in zip(texts, mended, strict=True)) == 171, "one of them with two faults"
        labels = Counter((row["premise"], row["hypothesis"]) for row in rows)
        assert [number for number, row in enumerate(rows) if labels[row["premise"], row["hypothesis"]] > 1] == [2901, 2902]


@pytest.mark.parametrize(("name", "column"), [("emot", "tweet"), ("smsa", "text"), ("nusax", "text")])
def test_labels_may_be_numbers_or_words_and_others_are_refused(name, column):
    """Numbers on the hub, words in the authors' repository; labels that are masked are refused, too."""
    labels = list(data_sets()[name].labels)
    published = [{"id": 7, column: f" teks {each} ", "label": each} for each in (*labels, *range(len(labels)))]
    assert [(row["text"], row["gold"]) for row in _rows(name, published)] == [
        (old[column].strip(), place % len(labels)) for place, old in enumerate(published)
    ]
    for label in ("Netral", None, True, -1, 5, 1.0):
        with pytest.raises(ValueError, match="field 'label' is"):
            _rows(name, [published[0], published[1] | {"label": label}])
    if name != "nusax":
        with pytest.raises(ValueError, match="the same in every row"):
            _rows(name, [{column: text, "label": 0} for text in ("satu", "dua")])


def _blend(*answers: tuple[list[str], list[str], object], **idks: int) -> dict:
    annotations = [{"answers": own, "en_answers": english, "count": count} for own, english, count in answers]
    counts = {"idk": 0, "no-answer": 0, "not-applicable": 0} | idks
    return {"ID": "a", "question": " Q? ", "en_question": "", "annotations": annotations, "idks": counts}


class TestBlend:
    def test_answers_with_their_votes(self):
        (row,) = _rows("blend", [_blend((["és teh"], ["iced tea"], 4), (["cai-cai", "és teh"], [], 1))])
        assert (row["id"], row["question"]) == ("a", "Q?")
        assert dict(zip(row["answers"], row["votes"], strict=True)) == {
            "és teh": 4, "és-teh": 4, "es teh": 4, "es-teh": 4, "iced tea": 4, "iced-tea": 4, "cai-cai": 1, "cai cai": 1,
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("idks", "scored"),
        [({"no-answer": 1, "not-applicable": 1, "idk": 4}, 1), ({"no-answer": 2, "not-applicable": 1}, 0), ({"idk": 5}, 0)],
    )
    def test_questions_that_the_authors_do_not_score_are_left_out(self, idks, scored):
        assert len(_rows("blend", [_blend((["ya"], [], 1), **idks)])) == scored
        assert _rows("blend", [_blend(**idks)]) == []

    @pytest.mark.parametrize(("place", "empty", "scored"), [("Indonesia", 5, 480), ("West_Java", 35, 458)])
    def test_real_rows(self, hub_mirror, place, empty, scored):
        published = read_json_rows(next((hub_mirror / "nayeon212/BLEnD/data/annotations_hf").glob(f"{place}_data.json*")))
        assert (len(published), sum(not row["annotations"] for row in published)) == (500, empty), "counted in the README"
        rows = {row["id"]: row for row in _rows("blend", published)}
        assert len(rows) == scored, "counted in the README"
        for old in published:
            if old["ID"] in rows:
                row = rows[old["ID"]]
                votes = dict(zip(row["answers"], row["votes"], strict=True))
                assert row["question"] == unicodedata.normalize("NFC", old["question"])
                counts = [annotation["count"] for annotation in old["annotations"]]
                assert max(votes.values()) == counts[0] == max(counts), "the authors take the first for the most popular one"
                for annotation in old["annotations"]:
                    answers = annotation["answers"] + annotation["en_answers"]
                    assert all(votes[answer] >= annotation["count"] for answer in answers)


def test_options_without_text_are_left_out_and_the_others_labelled_anew():
    (row,) = _rows("thaiexam", [{"question": " ถาม ", "a": "ก", "b": " ", "c": None, "d": "ง", "answer": "d"}])
    assert row == {"question": "ถาม", "options": ["ก", "ง"], "letters": ["A", "B"], "gold": 1}


MMLU = {"sample_id": "s", "question": "Q?", "option_a": "a", "option_b": "b", "option_c": "c", "option_d": "d"}


def test_a_repeated_option_moves_the_right_one():
    """Rows without a question are left out."""
    published = MMLU | {"answer": "D", "option_d": "c"}
    (row,) = _rows("globalmmlulite", [published, published | {"question": None}, published | {"question": " "}])
    assert row == {"id": "s", "question": "Q?", "options": ["a", "b", "c"], "letters": ["A", "B", "C"], "gold": 2}


# NusaParagraph and NusaTranslation, of which published rows are exemplars

# Data set → folder, and published → processed columns.
NUSA = dict.fromkeys(("nusatopic", "nusaemotion", "nusasentiment"), {"id": "id", "text": "text", "label": "gold"})
NUSA["nusatranslation"] = {"ind_text": "indonesian", "tgt_text": "translation"}
FOLDERS = dict(
    zip(NUSA, ("nusaparagraph_topic", "nusaparagraph_emot", "nusatranslation_senti", "nusatranslation_mt"), strict=True)
)


@pytest.mark.parametrize("name", NUSA)
def test_real_rows_of_every_language_have_their_texts_and_labels(name, hub_mirror):
    labels = data_sets()[name].labels
    for language, data in data_sets()[name].languages.items():
        published = read_json_lines(hub_mirror / f"indonlp/{FOLDERS[name]}/data/{data.config}/test.jsonl")
        made = _rows(name, published)
        assert len(made) == 100 < data.rows, language
        for old, row in zip(published, made, strict=True):
            found = row | ({"gold": labels[row["gold"]]} if "gold" in row else {})
            assert {new: found[new] for new in NUSA[name].values()} == {new: old[own].strip() for own, new in NUSA[name].items()}


@pytest.mark.parametrize(
    ("others", "shown"),
    [
        ("sad sad sad sad happy happy happy angry angry shame shame surprise", "sad happy angry shame"),
        ("sad happy", "happy sad fear fear"),  # one each, and those of the most frequent one again
    ],
)
def test_exemplars_show_the_most_frequent_labels_with_texts_of_common_length_that_no_test_row_has(others, shown):
    told = [*zip(["fear"] * 6, [10, 20, 30, 30, 40, 50], strict=True), *((label, 5) for label in others.split())]
    examples = [{"id": f"e{n}", "text": "x" * length + f" {n}", "label": label} for n, (label, length) in enumerate(told)]
    test = examples[2] | {"id": "t1", "label": "sad"}
    process, names = processor("nusaemotion")({"test": [test], "examples": examples}), data_sets()["nusaemotion"].labels
    made = [row for published in examples for row in process(published)]
    assert [names[row["gold"]] for row in made] == ["fear", *shown.split()]
    assert made[0]["text"] == examples[3]["text"], "the length in the middle, and another text than that of the test row"
    assert process(test) == [{"id": "t1", "text": test["text"], "gold": names.index("sad")}]


# Data set → a row, the field that is refused, and values of it.
THAI_EXAM = {"question": "ถาม", "a": "ก", "b": "", "c": "ค", "d": "ง"}
PRONOUN = {"text": "เขาให้มานพยืมรถ", "quote": "", "options": ["ก้อง ", "มานพ"], "label": 0, "pronoun": "เขา"}
VNHSGE = {"ID": "MET_1", "Image_Question": "", "Question": "Câu 1: Số?\nA. 1\nB. 2\nC. 3\nD. 4"}
REFUSED = {
    "globalmmlulite": (MMLU, "answer", ["E", "", None, "AB"]),
    "thaiexam": (THAI_EXAM, "answer", ["b", "e", "A", None]),  # b has no text
    "winograd": (PRONOUN, "pronoun_loc", [1]),
    "indommlu": ({"question": "2 + 2 = ...", "answer": "B"}, "options", ["A. tiga\nB. empat"]),
    "myxnli": ({"sentence1_my": "နေသည်။", "sentence2_my": "နေသည်။"}, "label", [1]),
    "vnhsge": (VNHSGE, "Choice", ["E"]),
    "multijail": ({"id": "0"}, "en", ["", " ", None]),
    "nusatopic": ({"id": "1", "text": "teks"}, "label", ["cats"]),
}


@pytest.mark.parametrize("name", [*REFUSED, "blend"])
def test_what_cannot_be_scored_is_refused(name):
    row, field, values = REFUSED.get(name, ({}, "count", [0, -1, None, True, "1", 1.0]))
    for value in values:
        faulty = _blend((["ya"], [], value)) if name == "blend" else row | {field: value}
        with pytest.raises(ValueError, match=f"(field )?'{field}' is {re.escape(repr(value))}"):
            _rows(name, [faulty])


def test_real_rows_of_multijail(hub_mirror):
    folder, process_row = hub_mirror / "DAMO-NLP-SG/MultiJail", _utils("multijail").process_row
    path = folder / "MultiJail.csv"
    published = read_table_rows(path) if path.exists() else read_json_rows(folder / "data/test.jsonl")
    assert Counter(row["source"] for row in published) == {"anthropics": 300, "openai": 15}, "counted in the README"
    blanks, zero_width = Counter(), Counter()
    for language in ("en", "zh", "vi", "th", "jv"):
        rows = [process_row(row, language) for row in published]
        assert len({row["prompt"] for row in rows}) == len({row["id"] for row in rows}) == 315
        blanks[language] = sum(row[language] != row[language].strip() for row in published)
        zero_width[language] = sum("\u200b" in row[language] for row in published)
        assert not any("\u200b" in row["prompt"] for row in rows)
    assert +blanks == {"vi": 4, "jv": 4} and +zero_width == {"vi": 1}, "counted in the README"


# rows of sets that are too large for a mirror, or that only their authors' repository has whole
IN_PART = {"indommlu": 1000, "thaisum": 12, "xlsum": 100}
IN_PART |= dict.fromkeys(("nusaemotion", "nusamode", "nusasentiment", "nusatopic", "nusatranslation"), 100)
# .json, .csv, .tsv, another split on the hub; tests of their own read what there is
OTHERWISE_NAMED = {"blend", "multijail", "seabench", "tico19"}


@pytest.mark.slow
@pytest.mark.parametrize("name", data_sets())
def test_rows_are_as_data_set_yml_says(name, in_hub_mirror):
    """Chance is the mean over rows of one divided by the number of options, or of labels."""
    if name in OTHERWISE_NAMED:
        pytest.skip("the mirror names its files otherwise")
    data_set, loaded = data_sets()[name], 0
    for language, data in data_set.languages.items():
        task = read_tasks().tasks[data_set.names(language)[0]]
        folder = Path(task.source.repository)
        if not folder.is_dir() or not all((folder / path).is_file() for _, path in task.source.files):
            continue
        rows = task.load_rows().rows
        if len(rows) == IN_PART.get(name):
            pytest.skip(f"the mirror has {len(rows):,} of {data.rows:,} rows")
        assert len(rows) == data.rows, language
        loaded += 1
        if data_set.kind in ("mcq", "classification"):
            choices = [len(row["options"]) if "options" in row else len(data_set.labels) for row in rows]
            assert data.chance == pytest.approx(sum(1 / count for count in choices) / len(rows), abs=5e-5), language
        assert {key: _counted(rows, key) for key in data.expect} == data.expect, language
    if not loaded and not any(data.on_hub for data in data_set.languages.values()):
        pytest.skip(f"the mirror has no rows of {name}")
    assert loaded


def _counted(rows: Sequence[dict], key: str) -> int | Counter:
    if key == "clusters":
        return len({row["cluster"] for row in rows})
    return Counter(len(row["options"]) if key == "options" else row[key] for row in rows)
