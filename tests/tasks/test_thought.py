"""Thought, answer and state of what reasoning models write, in the forms of their chat templates."""

import pytest

from lm_eval_sea.models.generated_text import GeneratedText
from lm_eval_sea.tasks._shared.prompted_answers import taken_apart
from lm_eval_sea.tasks._shared.reading.thought import MARKS, parts_as_written, take_apart

THOUGHT, STOPPED = "The passage says B.\nAnswer: A? No.", "stopped in the thought"


@pytest.mark.parametrize("marks", MARKS, ids=lambda marks: marks.begin)
class TestEveryFamily:
    def test_an_answer_behind_a_thought(self, marks):
        """The chat template may have opened the thought, and the prompt need not show it."""
        behind = f"{THOUGHT}\n{marks.end}\n\nB"
        for text in (f"{marks.begin}\n{behind}", f"{marks.begin}\n{behind}".replace("\n\nB", "B"), behind):
            assert take_apart(text) == (THOUGHT, "B", "closed")
            assert parts_as_written(f"{text} </s>\n") == (THOUGHT, f"{text.rpartition(marks.end)[2]} </s>\n", "closed")
        assert take_apart(behind, prompt=f"user: Which one?\nassistant: {marks.begin}\n") == (THOUGHT, "B", "closed")

    def test_a_thought_without_an_end_is_cut_or_stopped(self, marks):
        prompt = f"user: Which one?\nassistant: {marks.begin}"
        begun = f"{marks.begin}\nOkay, "  # a template may write the first words of the thought, too
        opened = [(f"{marks.begin}\n{THOUGHT}", None), (f"Sure! {marks.begin}\n{THOUGHT}", None)]
        opened += [(f"assistant\n\n{marks.begin}\n{THOUGHT}", None), (f"\u200b{marks.begin.upper()}\n{THOUGHT}", None)]
        is_sentence = marks.begin[0].isalpha()
        for text, shown in (*opened, (THOUGHT, prompt), (THOUGHT, f"<|im_start|>assistant\n{begun}")):
            assert take_apart(text, prompt=shown, finished=False) == (THOUGHT, "", "cut")
            if shown is None and is_sentence:  # which may begin an answer, too
                assert {take_apart(text, finished=finished).state for finished in (True, None)} == {"no thought"}
                continue
            assert take_apart(text, prompt=shown, finished=True) == (THOUGHT, "", STOPPED)
            assert take_apart(text, prompt=shown) == (THOUGHT, "", "cut")

    def test_nothing_behind_the_thought(self, marks):
        """As when a server separates thought and answer, and sends no answer."""
        for text in (f"{marks.begin}\n{THOUGHT}\n{marks.end}", f"{THOUGHT}\n{marks.end}\n</s>\n"):
            states = {finished: take_apart(text, finished=finished) for finished in (None, True, False)}
            assert states == {None: (THOUGHT, "", STOPPED), True: (THOUGHT, "", STOPPED), False: (THOUGHT, "", "cut")}

    def test_an_end_of_another_family_ends_nothing(self, marks):
        for end in [other.end for other in MARKS if other.end != marks.end]:
            thought = f"{THOUGHT} {end}\nAnswer: A"
            assert take_apart(thought, prompt=f"assistant: {marks.begin}\n", finished=False) == (thought, "", "cut")
            assert take_apart(f"{marks.begin}{thought}{marks.end}B") == (thought, "B", "closed")

    def test_no_thought(self, marks):
        """An empty pair, one that the template closed, and marks that are quoted."""
        assert take_apart(f"{marks.begin}\n\n{marks.end}\n\nB") == ("", "B", "no thought")
        prompt = f"assistant: {marks.begin}\n\n{marks.end}\n\n"
        assert parts_as_written(f"{marks.begin}\n\n{marks.end}\n\nB") == ("", "\n\nB", "no thought")
        assert take_apart("The answer is B.", prompt=prompt) == ("", "The answer is B.", "no thought")
        text = f"The mark `{marks.end}` ends it, `{marks.begin}` begins it. B"
        assert take_apart(text, prompt="assistant: ") == ("", text, "no thought")


# Text → answer; those that are whole have no thought.
CLOSED = {
    "<think>a</think>I closed it with </think> as told: B": "I closed it with </think> as told: B",
    "<think>`</think>` ends it. B?</think>C": "C",
    **dict.fromkeys(
        [
            "<think>a</think>B</think>", "<think>a</think>\n</think>\nB", "<think>a\n</think>\nno, wait\n</think>\nB",
            "<think>a</think>B\n<think>is that right?", "<think>a</think>A\n<think>b</think>B", "Sure.\n<think>a</think>\nB",
            "<think>a</think>\n<answer>\nB\n</answer>", "<think>a</think>B<|im_end|>", "Sure! <think>a</think>B",
            "<think>a</think>B</think></think>", "analysisThe passage says A.assistantfinalB",
            "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>",
            "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>B<|close|>response<|sep|>",
            "<thinking>a</thinking>\n[BEGIN FINAL RESPONSE]\nB\n[END FINAL RESPONSE]",
            "<|think|>a<|end|><|begin|>assistant<|content|>B<|end|>", "&lt;think&gt;a&lt;/think&gt;\n\nB",
            "<think>I am to answer. Here is my response: Answer: A. Not </thought> yet.</think>B",
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
        ],
        "B",
    ),
}  # fmt: skip
WHOLE = ["The answer is B.", "", "A page ends with </think> in some formats: B"]
WHOLE += ["Here is my thought process:\n1. The text says so.\n\nAnswer: B", "Sure! <think> marks where a thought begins. B"]
WHOLE += ["The mark <think> begins it. B", "Answer: B\n<think>or not"]
# words, and no mark of gpt-oss, which is written together with what follows it
WHOLE += ["analysis of it shows B", "analysis.", "analysis: So.\nAnswer: B", "analysis, B"]
# by answers that the limit cut
MENTIONS = ["Answer: B. A thought begins with <think>\nand", "Answer: B\n<think> begins a thought and"]
MENTIONS += ["Write:\n```\n<think>\nyour", "The marks are\n<think>, which begins it,"]
MENTIONS += ["Answer: B\nHere is my thought process:\nThe", "Write\n<think>\nor `</think>`"]


def test_single_forms():
    found = {text: take_apart(text) for text in [*CLOSED, *WHOLE]}
    assert {text: (found[text].answer, found[text].state) for text in CLOSED} == {
        text: (answer, "closed") for text, answer in CLOSED.items()
    }
    assert [found[text] for text in WHOLE] == [("", text, "no thought") for text in WHOLE]
    for text in ("&lt;think&gt;a", "<|im_start|>assistant\n<think>a", "<think>a\nHere is my response: A"):
        assert take_apart(text, finished=False).state == "cut"
    for preface in (
        "ได้เลยครับ",
        "I will read the passage with care, and then give the letter of the right option as I am asked to:",
    ):
        assert take_apart(f"{preface}\n<think>\nThe passage", finished=False) == ("The passage", "", "cut")
        assert take_apart(f"{preface}\n<think>\nThe passage", finished=True).state == "no thought"
    for text in MENTIONS:
        assert take_apart(text, finished=False) == ("", text, "no thought")
    assert take_apart("a</think>B\n<think>\nagain", finished=False) == ("a", "B", "closed")
    assert take_apart("a</think>\nB\n<think>again", prompt="<think>\n") == ("a", "B", "closed")
    for finished, state in {False: "cut", True: STOPPED}.items():  # a second thought that does not end, and no answer before it
        assert take_apart("<think>a</think>\n<think>\nB", finished=finished).answer == ""
        assert take_apart("<think>a</think>\n<think>\nB", finished=finished).state == state
    assert take_apart("<think>a</think>\n<thinking>b</thinking>\nB") == ("a\nb", "B", "closed")
    assert take_apart("a\n<think>b</think>B", prompt="<think>\n") == ("a\n<think>b", "B", "closed")
    for prompt in ("Think in\n<think> tags first.", "<think>\nOkay, so B.</think>", "Write:\n<think>\nassistant: "):
        assert take_apart("B", prompt=prompt) == ("", "B", "no thought")
    assert take_apart("analysisThe passage says A") == ("The passage says A", "", "cut")


@pytest.mark.parametrize("end", ["stop", "length", "content_filter", "no_word_for_it"])
def test_a_thought_is_cut_unless_the_model_is_known_to_have_ended_it(end):
    """The thought stands in the text, or the backend gives it apart."""
    state = STOPPED if end == "stop" else "cut"
    for told in (GeneratedText("<think>So B.", finish_reason=end), GeneratedText("", thought="So B.", finish_reason=end)):
        assert taken_apart(told) == ("So B.", "", state)
    framed = GeneratedText("<answer>A</answer><|im_end|>", thought="So B.", finish_reason=end)
    assert taken_apart(framed) == ("So B.", "A", "closed")
