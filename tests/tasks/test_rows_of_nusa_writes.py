"""NusaParagraph and NusaTranslation: from published rows to processed rows, and which published rows are exemplars."""

import statistics

import pytest

from lm_eval_sea.catalogue.data_sets import data_sets

from .evaluation import read_json_lines
from .test_rows_of_regional_sets import _rows, processor

LABELLED = {"nusatopic": "nusaparagraph_topic", "nusaemotion": "nusaparagraph_emot", "nusasentiment": "nusatranslation_senti"}


@pytest.mark.parametrize("name", LABELLED)
def test_real_rows_of_every_language_have_their_texts_and_labels(name, hub_mirror):
    labels = data_sets()[name].labels
    for language, data in data_sets()[name].languages.items():
        published = read_json_lines(hub_mirror / f"indonlp/{LABELLED[name]}/data/{data.config}/test.jsonl")
        made = _rows(name, published)
        assert [(row["id"], row["text"], labels[row["gold"]]) for row in made] == [
            (row["id"], row["text"].strip(), row["label"]) for row in published
        ]
        assert len(made) == 100 < data.rows, language


def test_real_rows_of_translations(hub_mirror):
    for data in data_sets()["nusatranslation"].languages.values():
        published = read_json_lines(hub_mirror / f"indonlp/nusatranslation_mt/data/{data.config}/test.jsonl")
        made = _rows("nusatranslation", published)
        assert [(row["indonesian"], row["translation"]) for row in made] == [
            (row["ind_text"].strip(), row["tgt_text"].strip()) for row in published
        ]


def _published(labels, lengths, start=0):
    return [
        {"id": f"e{number}", "text": "x" * length + f" {number}", "label": label}
        for number, (label, length) in enumerate(zip(labels, lengths, strict=True), start)
    ]


def test_exemplars_show_the_most_frequent_labels_one_each_with_texts_of_common_length():
    labels = ["fear"] * 5 + ["sad"] * 4 + ["happy"] * 3 + ["angry"] * 2 + ["shame"] * 2 + ["surprise"]
    examples = _published(labels, [10, 20, 30, 40, 50, 1, 2, 4, 9, 7, 8, 99, 5, 6, 5, 6, 3])
    test = [{"id": "t1", "text": "uji", "label": "sad"}]
    process = processor("nusaemotion")({"test": test, "examples": examples})
    made = [row for published in examples for row in process(published)]
    names = data_sets()["nusaemotion"].labels
    assert [names[row["gold"]] for row in made] == ["fear", "sad", "happy", "angry", "shame"]
    of_fear = [row["text"] for row in examples if row["label"] == "fear"]
    assert len(made[0]["text"]) == statistics.median(map(len, of_fear))
    assert process(test[0]) == [{"id": "t1", "text": "uji", "gold": names.index("sad")}]


def test_no_exemplar_has_the_text_of_a_test_row():
    examples = _published(["positive", "negative", "positive", "negative"], [10, 10, 11, 11])
    test = [{"id": "t1", "text": examples[0]["text"], "label": "positive"}]
    process = processor("nusasentiment")({"test": test, "examples": examples})
    made = [row for published in examples for row in process(published)]
    assert examples[0]["text"] not in [row["text"] for row in made]
    assert len(process(test[0])) == 1
