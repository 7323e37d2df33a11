"""Answers as people of each language say them are read alike in all, and nothing else is."""

import json
import re
import unicodedata
from collections.abc import Sequence
from itertools import product

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_sea.catalogue.data_sets import data_sets
from lm_eval_sea.make.prompt_files import read_prompts
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER
from lm_eval_sea.tasks._shared.reading.answer_phrases import PHRASES, WRITTEN_TOGETHER
from lm_eval_sea.tasks._shared.reading.letter_answer import extract_letter
from lm_eval_sea.tasks._shared.reading.sea_helm_answer import strict_label

from .answer_sentences import LETTERS, OPTIONS, SENTENCES, alphabets, rates, read, say
from .prompt_texts import ROOT

PROMPTS = read_prompts(TASKS_FOLDER, "belebele")
SEA_HELM_PROMPTS = read_prompts(TASKS_FOLDER, "sea_helm")
SEA_HELM = yaml.safe_load((ROOT / "lm_eval_sea/tasks/sea_helm/data_set.yml").read_text(encoding="utf-8"))["tasks"]
LABELS = {
    language: [
        labels
        for task in SEA_HELM.values()
        if language in task["languages"] and (labels := task["languages"][language].get("labels") or task.get("labels"))
    ]
    for language in SEA_HELM_PROMPTS
}


def said(language: str, labels: Sequence[str] = LETTERS, named: int = 1) -> list[str]:
    """The sentences that name a label."""
    return [say(sentence, labels, named) for sentence in SENTENCES[language]["read"].values()]


def pieces(language: str, place: str) -> list[str]:
    """The pieces of a place, but those that begin with a letter: the Burmese mark of the subject is also the first letter."""
    found = [piece.strip() for piece in getattr(PHRASES[language], place).split("|")]
    return [piece for piece in found if piece and not (piece[0] in PHRASES[language].letters and piece[1:2] == " ")]


def test_every_language_says_the_same():
    assert SENTENCES.keys() == PHRASES.keys() == PROMPTS.keys() | {"kac", "shn"}
    for kind, fewest in (("read", 12), ("refused", 12)):
        keys = {tuple(SENTENCES[language][kind]) for language in SENTENCES}
        assert len(keys) == 1
        assert len(keys.pop()) >= fewest


def test_rates():
    for language in PHRASES:
        assert rates(language) == {"read": 1, "read, own letters": 1, "wrongly read": 0, "wrongly read, own letters": 0}


def test_more_ways_to_say_it():
    for language in PHRASES:
        assert [text for text in map(say, SENTENCES[language]["also"]) if read(text, language) != 1] == []


def test_every_letter_is_read():
    """Each sentence with each letter in turn, so that none is read for its place or by its sound."""
    for language in SENTENCES:
        said_with = {
            say(template, labels, position): position
            for template, labels, position in product(SENTENCES[language]["read"].values(), alphabets(language), range(4))
        }
        assert [text for text, position in said_with.items() if read(text, language) != position] == []


def test_marks_and_blanks_do_not_matter():
    for language in SENTENCES:
        changed = []
        for template in SENTENCES[language]["read"].values():
            sentence = say(template)
            changed += [
                f"\n\n  {sentence}  \n",
                f"> {sentence}",
                sentence.replace(" ", "  "),
                unicodedata.normalize("NFD", sentence),
            ]
            for marks in ("**{}**", "({})", "“{}”", "`{}`", "\u200b{}", "[{}]"):
                changed.append(say(template, [marks.format(letter) for letter in LETTERS]))
            changed.append(say(template, "ＡＢＣＤ"))
            if "\n" not in sentence:
                changed.append(f"**{sentence}**")
        assert [text for text in changed if read(text, language) != 1] == []


def test_two_answers_are_none():
    for language in PHRASES:
        for labels in alphabets(language):
            for first, second in product(said(language, labels)[:5], said(language, labels, 2)):
                for joint in (" ", "\n", "\n\n", ". ", ", "):
                    assert read(first + joint + second, language) is None, first + joint + second
            for template in SENTENCES[language]["read"].values():
                for joint in (" / ", ", ", "", "-", " "):
                    text = say(template, [labels[0], f"{labels[1]}{joint}{labels[2]}", *labels[2:]])
                    assert read(text, language) is None, text


def test_a_quoted_list_of_the_options_is_none():
    for language in PHRASES:
        lead_in = say(SENTENCES[language]["read"]["next_line"]).partition("\n")[0]
        for labels in alphabets(language):
            for mark, end in product((". ", ") ", ": ", " - "), ("\n", " ", ", ", "; ")):
                listed = end.join(letter + mark + option for letter, option in zip(labels, OPTIONS, strict=True))
                assert read(listed, language) is None, listed
                assert read(f"{lead_in}\n{listed}", language) is None, listed


def test_a_reason_behind_an_answer():
    """It is not read, unless it names another label or is the text of an option."""
    for language in PHRASES:
        behind = say(SENTENCES[language]["read"]["is_the_correct_answer"]).rstrip(".។။。")
        for word in [*pieces(language, "because"), *pieces("en", "because")]:
            for start in ("B", "**B**", "(B).", "B -", f"{behind}"):
                for joint in (" ", ", "):
                    text = f"{start}{joint}{word} 1902"
                    assert read(text, language) == 1, text
                    assert read(f"{text} C", language) is None, text
                    assert read(f"{text}\nC", language) is None, text
            reasons = [f"{word} 1895", f"{word} 1902", "1911", "1926"]
            for own in range(4):
                # also if the text breaks off
                for text in (f"{LETTERS[own]}. {word} 1902", f"{LETTERS[own]}. {word} 190"):
                    assert extract_letter(text, LETTERS, reasons, language=language) == (1 if own == 1 else None), text
            assert read(word, language) is None, word


def test_what_leads_to_an_answer_is_none():
    """Each sentence cut off before its letter, and each piece alone; a letter may touch it where blanks do not part words."""
    for language in PHRASES:
        for template in SENTENCES[language]["read"].values():
            text = say(template.partition("{B}")[0])
            assert read(text, language) is None, text
        for piece in pieces(language, "before"):
            assert read(piece, language) is None, piece
            assert read(f"{piece}B", language) == (1 if language in WRITTEN_TOGETHER else None), piece
        for piece in pieces(language, "after"):
            assert read(piece, language) is None, piece


def test_forms_of_all_languages():
    """A letter bare, in brackets, in bold, with the option's text, on its own line, behind the cue with any mark."""
    for language in PROMPTS:
        cue = PROMPTS[language]["cue"]
        for text in (
            "B",
            "\nB",
            "  B",
            "B.",
            " (b)",
            "[B]",
            "**B**",
            "B: {b}",
            "B) {b}",
            "B – {b}",
            "\n\nB\n\nExplanation: A",
            "Option B",
        ):
            assert read(text.replace("{b}", OPTIONS[1]), language) == 1, text
        words = cue.rstrip(":：៖- ")
        for mark in (":", " :", "：", "៖", " ៖", " -", " - ", "- ", " –", ""):
            for name in (words, words.upper(), f"**{words}**"):
                text = f"{name}{mark} B"
                assert extract_letter(text, LETTERS, OPTIONS, language=language, cue=cue) == 1, text
        assert extract_letter(f"{cue} {cue}\n(B)", LETTERS, OPTIONS, language=language, cue=cue) == 1


def test_sentences_behind_a_tag():
    """SEA-HELM's strict reading knows the same sentences, behind the tag and without one."""
    for language in SEA_HELM_PROMPTS:
        tag = SEA_HELM_PROMPTS[language]["cue"]
        for labels in LABELS[language]:
            if len(labels) < 2 or any(len(label) > 1 for label in labels) or "Y" in labels:
                continue
            for template in SENTENCES[language]["read"].values():
                sentence = say(template, labels)
                for text in (f"{tag} {sentence}", f"**{tag}** {sentence}", f"{tag}\n{sentence}"):
                    assert strict_label(text, tag, labels, language) == labels[1], text
                if "{b}" not in template:
                    assert strict_label(sentence, tag, labels, language) == labels[1], sentence
            for template in SENTENCES[language]["refused"].values():
                sentence = say(template, labels)
                assert strict_label(f"{tag} {sentence}", tag, labels, language) is None, sentence
                assert strict_label(sentence, tag, labels, language) is None, sentence


def test_sentences_with_words_for_labels():
    for language in SEA_HELM_PROMPTS:
        tag = SEA_HELM_PROMPTS[language]["cue"]
        for labels in LABELS[language]:
            if len(labels[0]) == 1:
                continue
            for one, two in product(labels, repeat=2):
                for key in ("the_answer", "correct_answer", "my_answer", "therefore"):
                    sentence = say(SENTENCES[language]["read"][key], labels, labels.index(one))
                    assert strict_label(f"{tag} {sentence}", tag, labels, language) == one, sentence
                    assert strict_label(sentence, tag, labels, language) == one, sentence
                if one != two:
                    assert strict_label(f"{tag} {one} {two}", tag, labels, language) is None
                    assert strict_label(f"{tag} {one}\n{two}", tag, labels, language) is None
                    assert strict_label(f"{tag} {one}/{two}", tag, labels, language) is None
                for key in ("not", "answer_is_not", "is_not_correct", "question"):
                    sentence = say(SENTENCES[language]["refused"][key], labels, labels.index(one))
                    assert strict_label(f"{tag} {sentence}", tag, labels, language) is None, sentence


@pytest.mark.parametrize("language", ["en", "id", "km", "lo", "ms", "my", "ta", "th", "vi", "zh"])
def test_real_questions_and_options(hub_mirror, language):
    """What stands in the rows of Belebele is read as an answer only behind a label, and then as the option it is."""
    code = data_sets()["belebele"].languages[language].code
    lines = (hub_mirror / "facebook/belebele/data" / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[::30]]
    assert rows
    for row in rows:
        options = [row[f"mc_answer{number}"] for number in range(1, 5)]
        for text in (row["question"], row["flores_passage"], *options):
            assert extract_letter(text, LETTERS, options, language=language) is None, text
        for position, (letter, option) in enumerate(zip(LETTERS, options, strict=True)):
            for text in (f"{letter}. {option}", f"({letter}) {option}", f"{letter} – {option}", f"**{letter}: {option}.**"):
                assert extract_letter(text, LETTERS, options, language=language) == position, text
            for other in {*options} - {option}:
                assert extract_letter(f"{letter}. {other}", LETTERS, options, language=language) is None, other


@settings(max_examples=400)
@given(language=st.sampled_from(sorted(PHRASES)), text=st.text())
def test_any_text_is_read_or_not(language, text):
    found = extract_letter(text, LETTERS, OPTIONS, language=language)
    assert found in (None, *range(4))
    assert extract_letter(f"\n {text}\n", LETTERS, OPTIONS, language=language) == found


@settings(max_examples=600)
@given(language=st.sampled_from(sorted(PHRASES)), data=st.data())
def test_pieces_in_any_order_name_one_letter_or_none(language, data):
    """Whatever is read is the only letter that stands in the text as a word."""
    around = [piece for code in (language, "en") for place in ("before", "after") for piece in pieces(code, place)]
    parts = st.sampled_from([*LETTERS, *around, ".", ",", ":", "(", ")", "\n", "**", "-"])
    text = " ".join(data.draw(st.lists(parts, max_size=8)))
    found = read(text, language)
    assert read(text.replace("**", ""), language) == found
    if found is not None:
        first_lines = text.replace("**", "").strip()
        assert LETTERS[found] in re.findall(r"(?<!\w)[A-D](?!\w)", first_lines)
        line = next(line for line in first_lines.splitlines() if re.search(r"(?<!\w)[A-D](?!\w)", line))
        assert set(re.findall(r"(?<!\w)[A-D](?!\w)", line)) == {LETTERS[found]}


@settings(max_examples=400)
@given(
    language=st.sampled_from(sorted(PROMPTS)),
    letters=st.text(alphabet=st.characters(categories=["Lu", "Ll"]), min_size=2, max_size=12),
)
def test_no_answer_is_found_inside_a_word(language, letters):
    assert read(letters, language) is None


def test_the_table_is_well_formed():
    """Pieces are in Unicode NFC, once each, and none is a label; a national language is known."""
    for language in PHRASES:
        phrases = PHRASES[language]
        labels = {label.casefold() for group in [LETTERS, phrases.letters, *LABELS.get(language, [])] for label in group}
        # it ends a sentence in Indonesian, and is a label of one task, where it is not read behind another label
        labels -= {"benar"}
        assert phrases.also in ("", *PHRASES)
        for text in (phrases.before, phrases.after, phrases.because):
            found = [" ".join(piece.split()) for piece in text.split("|")]
            assert unicodedata.is_normalized("NFC", text)
            assert len(set(found)) == len(found)
            assert labels.isdisjoint(piece.casefold() for piece in found)
