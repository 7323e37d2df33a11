"""From published rows to processed rows of data sets of translation, by hand and on the real files; which reference is scored."""

import re
from unicodedata import normalize

import pytest

from lm_eval_sea.tasks._shared.generation_scores import translation
from lm_eval_sea.tasks._shared.row_language import other_language

from .evaluation import read_json_lines
from .test_rows import _utils
from .test_rows_of_regional_sets import PARQUET, _parquet, _rows


class TestNtrex:
    LANGUAGES = {
        "indonesian": ("ind_Latn", 0), "malay": ("zsm_Latn", 0), "filipino": ("fil_Latn", 0), "vietnamese": ("vie_Latn", 12),
        "thai": ("tha_Thai", 0), "khmer": ("khm_Khmr", 55), "lao": ("lao_Laoo", 649), "tamil": ("tam_Taml", 2),
    }  # fmt: skip

    def test_real_rows(self, hub_mirror):
        published = _parquet(hub_mirror / "mteb/NTREX/data" / PARQUET)
        french = []
        for language, (column, changed) in self.LANGUAGES.items():
            rows = _rows("ntrex", published, f"process_{language}")
            assert [row["english"] for row in rows] == [row["eng_Latn"] for row in published]
            kept = [row["translation"] == old[column] for row, old in zip(rows, published, strict=True)]
            assert kept.count(False) == changed, "counted in the README"
            assert all(row["translation"] == old[column].replace("\u200b", "") for row, old in zip(rows, published, strict=True))
            french += [language for row in rows if row["translation"] == row["english"] and "bien le faire" in row["english"]]
        assert french == ["indonesian", "malay", "filipino", "thai", "tamil"], "named in the README"
        # Zawgyi writes the vowel E before its consonant, at the beginning of a word, where Unicode text never has it.
        assert sum(re.search(r"(^|\s)\u1031", row["mya_Mymr"]) is not None for row in published) > 1000

    @pytest.mark.parametrize("column", ["msa_Latn", "zsm_Latn"])
    def test_the_column_of_malay_has_two_names(self, column):
        made = _rows("ntrex", [{"eng_Latn": "Rain ", column: " Hu\u200bjan"}], "process_malay")
        assert made == [{"english": "Rain", "translation": "Hujan"}]


class TestTico:
    LANGUAGES = ("id", "ms", "tl", "my", "km", "ta")

    def test_real_rows(self, hub_mirror):
        """A part of the rows, without the names of their articles; the whole is read in the form of the samples."""
        for language in self.LANGUAGES:
            published = read_json_lines(hub_mirror / f"gmnlp/tico19/data/en-{language}/test.jsonl")
            rows = _rows("tico19", [row | {"stringID": f"PubMed_6:{number}"} for number, row in enumerate(published)])
            for row, old in zip(rows, published, strict=True):
                texts = [normalize("NFC", old[name].replace("\u200b", "")) for name in ("sourceString", "targetString")]
                assert [row["english"], row["translation"]] == texts
            assert not any(re.search(r"(^|\s)\u1031", row["translation"]) for row in rows), "no Zawgyi"

    def test_another_language_under_the_right_name_is_noticed(self, hub_mirror):
        files = {name: read_json_lines(hub_mirror / f"gmnlp/tico19/data/en-{name}/test.jsonl") for name in self.LANGUAGES}
        rows = {name: _rows("tico19", [row | {"stringID": "wiki_1:1"} for row in file]) for name, file in files.items()}
        alike = {("id", "ms"), ("ms", "id")}  # too close to be told apart by a word list
        for found in self.LANGUAGES:
            for named in (*self.LANGUAGES, "vi", "zh"):
                assert (other_language(rows[found], named) is None) == (found == named or (found, named) in alike), (found, named)

    def test_rows_of_an_article_belong_together_and_those_of_conversations_do_not(self):
        clusters = {"CMU_1:1": "CMU_1:1", "CMU_1:2": "CMU_1:2", "wiki_9:7": "wiki_9", "wiki_9:8": "wiki_9"}
        texts = {"sourceString": " Rain ", "targetString": "Hu\u200bjan "}
        rows = _rows("tico19", [{"stringID": name} | texts for name in clusters])
        assert {row["id"]: row["cluster"] for row in rows} == clusters
        assert {(row["english"], row["translation"]) for row in rows} == {("Rain", "Hujan")}


class TestNusaxTranslation:
    LANGUAGES = (
        *("javanese", "sundanese", "acehnese", "balinese", "toba_batak", "banjarese", "buginese", "madurese", "minangkabau"),
        "ngaju",
    )

    def test_real_rows(self, hub_mirror):
        folder = hub_mirror / "indonlp/NusaX-MT/data/parallel"
        published = read_json_lines(folder / "test.jsonl")
        made = {name: _rows("nusaxmt", published, f"process_{name}") for name in self.LANGUAGES}
        sources = [row["ind"].strip() for row in published]
        assert all([row["indonesian"] for row in rows] == sources for rows in made.values())
        named = [made["toba_batak"][40]["translation"], made["banjarese"][262]["translation"]]
        assert named == ["ingananna ba", "Menu"], "named in the README"
        assert not {row["ind"].strip() for row in read_json_lines(folder / "validation.jsonl")} & {*sources}

    @pytest.mark.parametrize(("number", "source", "target"), [("", "indonesian", "acehnese"), ("id", "ind", "ace")])
    def test_exemplars_are_chosen_rows_of_the_other_split(self, number, source, target):
        examples = [{number: str(place), source: f"kalimat {place} ", target: f" kalimat {place}"} for place in range(70)]
        process = _utils("nusaxmt").process_acehnese({"test": [], "examples": examples})
        chosen = [f"kalimat {place}" for place in (7, 27, 28, 51, 63)]
        assert list(filter(None, map(process, examples))) == [{"indonesian": text, "translation": text} for text in chosen]
        with pytest.raises(KeyError, match="acehnese"):
            process({number: "0", source: "lain"})

    @pytest.mark.parametrize(("language", "reference"), [("ace", "jih"), ("id", "dia"), ("jv", "dheweke")])
    def test_the_reference_is_in_the_language_of_the_answer(self, language, reference):
        doc = {"indonesian": "dia", "translation": "dheweke" if language == "jv" else "jih"}
        doc["scoring"] = {"answer_cue": "Jawaban:", "answer_language": language}
        scores = translation.process_results(doc, ["Jawaban"])
        assert scores["bleu"] == (reference, "jawaban")
        assert ("off_target_rate" in scores) == (language != "ace"), "the identifier does not know Acehnese well enough"
