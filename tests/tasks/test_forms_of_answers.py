"""An answer in the forms in which chat models write one: around it, before it and behind it. None is read as another answer."""

import pytest

from lm_eval_sea.tasks._shared.reading.answer_phrases import LABEL_WORDS, WRITTEN_TOGETHER

from .evaluation import chat_words
from .test_labelled_answers import bare, read

LANGUAGES = ("id", "km", "th", "ms", "vi", "tl", "my", "lo", "ta", "jv", "zh", "en", "ceb", "ilo")
AROUND = [
    "{}", "**{}**",
    "`{}`", '"{}"', "“{}”", "'{}'", "{}.", "{}!", "{}\n", "✅ {}", "{} ✅", "\\boxed{{{}}}", "_{}_", "***{}***", "→ {}",
]  # fmt: skip
OF_A_LETTER = [
    "({})", "[{}]", "{})", "${}$", "\\({}\\)", "<{}>", "{}. coffee", "{}) coffee", "{}: coffee", "{} – coffee", "{} (coffee)",
    "**{}.** coffee", "coffee ({})", "\\boxed{{\\text{{{}}}}}", "{}\n\ncoffee", "\n\n**{}. coffee**",
]  # fmt: skip
OF_A_LABEL = ["({})", "[{}]", "<{}>", "- {}", "1. {}", "\\boxed{{\\text{{{}}}}}"]
OF_A_NUMBER = ["({})", "[{}]", "= {}", "≈ {}", "x = {}", "${}$", "\\boxed{{{}\\text{{ kg}}}}", "{} kg", "**{} kg**"]
OF_A_SPAN = ["[{}]", "<{}>", "«{}»", "- {}", "1. {}", "\\boxed{{\\text{{{}}}}}"]
OF_A_TEXT = ["«{}»", "{} 😊", "- {}", "> {}", "```\n{}\n```", "\n\n{}"]
PLACES = [
    "{tag}: {answer}", "**{tag}:** {answer}", "**{tag}**: {answer}", "{tag} : {answer}", "### {tag}\n{answer}",
    "**{tag}**\n\n{answer}",
    "Answer: {answer}", "**Final Answer:** {answer}", "{answer}", "<answer>{answer}</answer>", "```\n{tag}: {answer}\n```",
    "It is not 7, for the text says so.\n\n{tag}: {answer}", "{tag}: {answer}\n\nThe text says so.", '{{"answer": "{answer}"}}',
    "<think>It may be A, or 7. Answer: 7</think>\n\n{tag}: {answer}", "Sure!\n\n{tag}: {answer}\n\nI hope this helps!",
]  # fmt: skip
PLACES_OF_TEXTS = [
    "{tag}: {answer}", "**{tag}:** {answer}", "{answer}", "### {tag}\n\n{answer}", "Sure! Here it is:\n\n{answer}",
    "{tag}: {answer}\n\nNote: this keeps the tone.", "---\n{tag}: {answer}\n---", "<{kind}>{answer}</{kind}>",
]  # fmt: skip
NUMBERS = ("1250", "12.5", "-12", "−12", "12%", "$12")
VALUES = dict(zip(NUMBERS, (1250, 12.5, -12, -12, 12, 12), strict=True))
DECIMAL_COMMA = ("id", "vi", "jv")
SENTENCES = {
    "id": "Rumah itu besar dan tua.",
    "th": "บ้านหลังนั้นใหญ่และเก่า",
    "vi": "Ngôi nhà đó to và cũ.",
    "zh": "那座房子又大又旧。",
    "my": "အိမ်က ကြီးပြီး ဟောင်းနေသည်။",
    "km": "ផ្ទះនោះធំ ហើយចាស់។",
    "lo": "ເຮືອນຫຼັງນັ້ນໃຫຍ່ ແລະ ເກົ່າ",
    "ta": "அந்த வீடு பெரியது, பழையது.",
    "en": "The house is big and old.",
}


def texts_of(said, forms, places, **words):
    """What a model may write to say something."""
    for form in forms:
        for place in places:
            answer = form.format(said)
            if "{{" not in place or not set('\\\n"') & set(answer):  # no escapes in JSON
                yield place.format(answer=answer, **words)


def asked(kind, language):
    """What is asked of a kind → what answers say, and what is to be read: of each kind the answer is in the middle."""
    row = {"language": language, "kind": kind}
    if kind == "letter":
        return row | {"options": ["rice", "corn", "coffee"]}, {"C": "C"}, AROUND[:-1] + OF_A_LETTER
    if kind == "label":
        words = [LABEL_WORDS[label].get(language, label).split("|")[0] for label in ("positive", "neutral", "negative")]
        return row | {"options": words}, {words[2]: words[2]}, AROUND + OF_A_LABEL
    if kind == "number":
        said = {number.replace(".", ",") if language in DECIMAL_COMMA else number: VALUES[number] for number in NUMBERS}
        return row, said, AROUND + OF_A_NUMBER
    name = "ភ្នំពេញ" if language in WRITTEN_TOGETHER else "Phnom Penh"
    return row, {name: name, "1911": "1911"}, AROUND + OF_A_SPAN


@pytest.mark.parametrize("kind", ["letter", "label", "number", "span"])
def test_an_answer_in_any_form(kind, everything):
    """One in a hundred may not be read."""
    wrong, unread, count = [], [], 0
    for language in LANGUAGES if everything else LANGUAGES[:2]:
        row, meant, forms = asked(kind, language)
        tags = chat_words(language)["tags"]
        tag = tags.get(kind, tags["answer"]).rstrip(":៖： ")
        for said, right in meant.items():
            for text in texts_of(said, forms, PLACES, tag=tag):
                found = read(row | {"answer": text})
                count += 1
                if found is None:
                    unread.append(text)
                elif float(found) != right if kind == "number" else bare(found) != bare(right):
                    wrong.append((text, found))
    assert wrong == []
    assert len(unread) <= count / 100, unread


@pytest.mark.parametrize("kind", ["translation", "summary"])
def test_a_text_in_any_form(kind, everything):
    for language, text in SENTENCES.items() if everything else list(SENTENCES.items())[:2]:
        row = {"language": language, "kind": kind}
        tag = chat_words(language)["tags"][kind].rstrip(":៖： ")
        found = {
            answer: read(row | {"answer": answer})
            for answer in texts_of(text, AROUND[:6] + OF_A_TEXT, PLACES_OF_TEXTS, tag=tag, kind=kind)
        }
        assert {answer: said for answer, said in found.items() if bare(said or "") != bare(text)} == {}
