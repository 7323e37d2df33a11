"""The comparison of exemplars with test rows: its measures, its table, and what it says of the pack's own."""

import re
import shutil
import sys

import compare_exemplars
import pytest
import yaml
from compare_exemplars import compare
from exemplar_measures import OVERLAP, QUESTION_WORDS, measure, nearest, ngrams, of_rows, overlaps, share_found
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.catalogue.kinds import JUDGED
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER as TASKS
from tests.tasks.evaluation import read_json_lines, write_json_lines

LETTERS = st.text("abcde", min_size=1, max_size=3)


@given(st.lists(LETTERS, min_size=1, max_size=12), st.lists(LETTERS, max_size=12), st.integers(1, 4))
def test_share_of_words_found(text, source, length):
    """Against a search for each run of words in the other text, blanks around both."""
    runs = {" ".join(text[start : start + length]) for start in range(len(text) - length + 1)}
    found = sum(f" {run} " in f" {' '.join(source)} " for run in runs)
    expected = found / len(runs) if runs else None
    assert share_found(" ".join(text), " ".join(source), "id", length) == expected


def test_words_of_languages_without_blanks():
    assert ngrams("แมวกินปลา", "th", 1) == {("แมว",), ("กิน",), ("ปลา",)}
    assert ngrams("天气很好", "zh", 1) == {("天", "气"), ("气", "很"), ("很", "好")}


@pytest.mark.parametrize(
    ("language", "units", "separator"),
    [
        ("id", [f"kata{number}" for number in range(OVERLAP)], " "),
        ("th", ["แมว", "หมา", "ปลา", "นก", "ช้าง", "ม้า", "วัว", "ควาย"], " "),
        ("zh", [f"{number}" for number in range(10, 10 + OVERLAP)], ""),
        ("km", [f"{number}" for number in range(1010, 1010 + OVERLAP)], ""),
    ],
)
def test_overlaps_begin_at_eight_words(language, units, separator):
    row = {"id": "1", "cluster": "1", "passage": separator.join(["啊", *units, "吧"]), "answers": ["x"]}
    assert overlaps([{"question": separator.join(units[:-1])}], [row], language) == []
    assert overlaps([{"question": separator.join(units)}], [row], language) == [separator.join(units)]
    assert overlaps([{"options": ["A", separator.join(units)]}], [row], language)


def question(text, *options, gold=0):
    return {"question": text, "options": list(options), "gold": gold}


ROWS = [
    question("Apa sebutan kegiatan menjaga keamanan kampung pada malam hari?", "Ronda malam", "Arisan"),
    question("Di mana orang membeli sayur?", "Pasar", "Kantor"),
    question("Siapa yang mengajar murid di sekolah?", "Guru", "Masinis"),
    question("Kapan orang biasanya tidur?", "Malam hari", "Siang hari"),
    question("Di mana orang naik kereta api?", "Stasiun", "Pelabuhan"),
]


def test_an_exemplar_that_asks_what_a_row_asks_in_other_words_is_too_near():
    paraphrase = question(
        "Warga bergiliran menjaga keamanan kampung; apa sebutan kegiatan itu?", "Kerja bakti", "Ronda malam", gold=1
    )
    (found,) = nearest([paraphrase], ROWS, ["question"], "id")
    assert found.is_too_near and found.has_same_answer and found.row.startswith("Apa sebutan kegiatan menjaga")
    for other in (question("Di mana orang menonton film?", "Bioskop"), question("Apa warna langit saat cerah?", "Biru")):
        (found,) = nearest([other], ROWS, ["question"], "id")
        assert not found.is_too_near


@given(st.sampled_from(ROWS), st.permutations(ROWS))
def test_a_row_is_nearest_to_itself(row, rows):
    (found,) = nearest([row], rows, ["question"], "id")
    assert found.likeness == pytest.approx(1) and found.row.startswith(row["question"])


def test_options_questions_and_answers_are_counted():
    def row(passage, question, options, gold):
        return {"passage": passage, "question": question, "options": options, "letters": list("ABCD"), "gold": gold}

    rows = [
        row("Rice is food.", "According to the passage, what is food?", ["Rice", "Tea", "Sand", "Iron"], 0),
        row("It rains in May.", "Which month is not dry?", ["June", "May", "July", "April is"], 1),
        row("Ann left.", "Who came?", ["Nobody at all", "Ann", "Bo", "Cy"], 0),
        row("Bo sat.", "Who sat?", ["Ann", "Bo", "Bo Lee", "Cy"], 2),
    ]
    found = {name: of_rows(one) for name, one in measure(rows, "mcq", ["passage", "question"], "en", ()).items()}
    assert found == {
        "passage": "11",  # (13 + 16 + 9 + 7) / 4
        "question": "20",  # (39 + 23 + 9 + 8) / 4
        "option": "4",  # 64 / 16
        "options": "4: 100 %",
        "right answer": "A: 50, B: 25, C: 25, D: 0 %",
        "names passage": "25 %",
        "negated": "25 %",
        "words of answer in passage": "62 %",  # (1 + 1 + 0 + 1/2) / 4
        "look-up": "50 %",
    }


INDOSUM, ROWS_OF_INDOSUM = "prompts/indosum/prompts/id.yml", "hub/sail/Sailcompass_data/data/indosum/trunc_test_1000.jsonl"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two rows of IndoSum, whose first summary copies five of its seven words, and prompt files."""
    first = {"input": "satu dua tiga empat lima enam", "target": "satu dua tiga empat lima x y"}
    write_json_lines(tmp_path / ROWS_OF_INDOSUM, [first, {"input": "a b", "target": "c d e f"}])
    shutil.copytree(TASKS / "indosum", tmp_path / "prompts" / "indosum")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder, monkeypatch, *arguments):
    monkeypatch.chdir(folder)
    command = ["compare_exemplars.py", "--data", "hub", "--prompts", "prompts", "--data_sets", "indosum", *arguments]
    monkeypatch.setattr(sys, "argv", command)
    return compare_exemplars.main()


def test_table_of_a_summary(folder, monkeypatch, capsys):
    words = yaml.safe_load((folder / INDOSUM).read_text(encoding="utf-8"))
    exemplars = words["exemplars"]
    for exemplar in exemplars[1:]:
        exemplar["summary"] = "baru sekali isi ringkasan ini"
    exemplars[0] |= {"document": "pagi ini hujan turun di kota", "summary": "hujan turun di kota besar"}
    (folder / INDOSUM).write_text(yaml.safe_dump(words, allow_unicode=True), encoding="utf-8")
    assert run(folder, monkeypatch) == 0
    lines = [re.split(r" *\| *", line)[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert lines[0] == ["", "document", "summary", "copied 4-grams", "8-word overlaps"]
    # 2 of 4 runs and 0 of 1; 28 and 7 characters
    assert lines[2] == ["id, 2 of 1,000 rows", "16", "18", "25 %", "0"]
    # 1 of 2 runs
    assert lines[3] == ["id, first 1", "28 (+75 %)", "25 (+43 %)", "50 %", ""]
    assert lines[4][0] == "id, all 5" and lines[4][3] == "10 %"


def test_page_says_when_and_of_what_it_was_made(folder, monkeypatch):
    assert run(folder, monkeypatch, "--out", "page.md") == 0
    text = (folder / "page.md").read_text(encoding="utf-8")
    assert re.search(r"Made on \d{4}-\d\d-\d\d", text)
    assert "\n| IndoSum, first 1 | id (2 rows) | document " in text and "all 5" not in text
    assert str(folder) not in text


def test_an_exemplar_taken_from_the_rows_is_found(folder, monkeypatch, capsys):
    document = yaml.safe_load((folder / INDOSUM).read_text(encoding="utf-8"))["exemplars"][2]["document"]
    write_json_lines(folder / ROWS_OF_INDOSUM, [{"input": document, "target": "ringkasan"}])
    assert run(folder, monkeypatch) == 1
    assert "indosum, id: an exemplar and a row have in common: " in capsys.readouterr().err


def test_errors_are_one_line(folder, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(folder, monkeypatch, "--data", "nowhere")
    assert capsys.readouterr().err.endswith("--data nowhere: no such folder\n")
    assert run(folder, monkeypatch, "--data", "prompts") == 2
    assert capsys.readouterr().err == "prompts: no rows of these data sets; expected a folder laid out like the hub\n"
    (folder / INDOSUM).write_text("exemplars: [{document: x}]", encoding="utf-8")
    assert run(folder, monkeypatch) == 2
    assert capsys.readouterr().err == "indosum/prompts/id.yml: exemplars 1: 'summary' is missing or empty\n"


def languages(data_set):
    """Those with prompts of their own."""
    return [code for code, data in data_sets()[data_set].languages.items() if not data.prompts_in]


# How far the mean length of the exemplars' texts may be from that of the rows, and those texts.
LENGTHS = {
    **dict.fromkeys(("xnli", "indonli", "myxnli"), (0.15, ["premise", "hypothesis"])),
    **dict.fromkeys(("wisesight", "indolem", "vsmec", "emot", "smsa"), (0.15, ["text"])),
    **dict.fromkeys(("xquad", "tydiqa"), (0.15, ["passage", "question", "answer"])),
    **dict.fromkeys(("indosum", "thaisum", "xlsum"), (0.15, ["summary"])),  # the instruction asks for their length and manner
    "belebele": (0.25, ["passage", "question", "option"]),
    "m3exam": (0.25, ["question", "option"]),
    "xcopa": (0.15, ["premise", "option"]),
    "flores": (0.15, ["english", "translation"]),
}


WITH_EXEMPLARS = [name for name, data_set in data_sets().items() if data_set.kind != JUDGED]


@pytest.mark.slow
@pytest.mark.parametrize("data_set", WITH_EXEMPLARS)
def test_exemplars_are_like_the_rows_and_none_is_one_of_them(data_set, in_hub_mirror):
    """No eight words in common and not the same question; texts as long, of the exemplars shown by default and of all."""
    share, texts = LENGTHS.get(data_set, (0, []))
    compared = {code: one for code in languages(data_set) if (one := compare(data_set, code, TASKS)).rows}
    assert compared or data_set not in LENGTHS
    for code, found in compared.items():
        assert (list(found.overlaps), [near for near in found.nearest if near.is_too_near]) == ([], []), code
        for which, measures in found.of_exemplars.items() if texts else ():
            for text in texts:
                assert measures[text].value == pytest.approx(found.of_rows[text].value, rel=share), (code, which, text)
            for name, bounds in {"translation / English": {"rel": 0.05}, "copied 4-grams": {"abs": 0.15}}.items():
                if name in measures:
                    assert measures[name].value == pytest.approx(found.of_rows[name].value, **bounds), code


def test_questions_and_letters_of_belebele(tmp_path, monkeypatch):
    """Of five questions one is negated and one or two name the passage; of three answers no two have the same letter."""
    monkeypatch.chdir(tmp_path)  # without rows
    seen = set()
    for language in languages("belebele"):
        found = compare("belebele", language, TASKS)
        assert len(found.of_exemplars) == 4
        for which, measures in found.of_exemplars.items():
            if which.endswith("all 5"):
                assert measures["negated"].value == 0.2, language
                assert measures["names passage"].value in (0.2, 0.4), language
            else:
                assert max(measures["right answer"].values()) == 1, language
        seen |= {letter for letter, count in found.of_exemplars["first 3"]["right answer"].items() if count}
    assert seen == set("ABCD")


@pytest.mark.parametrize("kind", [0, 1], ids=["names passage", "negated"])
def test_word_lists_agree_with_english(kind, hub_mirror):
    """Belebele has the same questions in all languages."""
    codes = {"id": "ind_Latn", "ms": "zsm_Latn", "vi": "vie_Latn", "th": "tha_Thai", "my": "mya_Mymr", "km": "khm_Khmr"}
    codes |= {"lo": "lao_Laoo", "ta": "tam_Taml", "zh": "zho_Hans"}

    def verdicts(language, code):
        rows = read_json_lines(hub_mirror / "facebook" / "belebele" / "data" / f"{code}.jsonl")
        pattern = QUESTION_WORDS[language][kind]
        return {(row["link"], row["question_number"]): bool(re.search(pattern, row["question"].casefold())) for row in rows}

    english = verdicts("en", "eng_Latn")
    for language, code in codes.items():
        found = verdicts(language, code)
        assert sum(found[key] == english[key] for key in english) / len(english) >= (0.97, 0.91)[kind], language
