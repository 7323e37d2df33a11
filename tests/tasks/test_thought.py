"""Thought, answer and state of what reasoning models write, in the forms of their chat templates."""

import pytest

from lm_eval_sea.tasks._shared.reading.thought import MARKS, open_thought, take_apart

THOUGHT = "The passage says B.\nAnswer: A? No."


@pytest.mark.parametrize("marks", MARKS, ids=lambda marks: marks.begin)
class TestEveryFamily:
    def test_closed(self, marks):
        text = f"{marks.begin}\n{THOUGHT}\n{marks.end}\n\nB"
        assert take_apart(text) == (THOUGHT, "B", "closed")
        assert take_apart(text.replace("\n\nB", "B")) == (THOUGHT, "B", "closed")

    def test_opened_by_the_template(self, marks):
        prompt = f"user: Which one?\nassistant: {marks.begin}\n"
        text = f"{THOUGHT}\n{marks.end}\n\nB"
        assert take_apart(text, prompt=prompt) == (THOUGHT, "B", "closed")
        assert take_apart(text) == (THOUGHT, "B", "closed")

    def test_cut_and_stopped(self, marks):
        prompt = f"user: Which one?\nassistant: {marks.begin}"
        for text, shown in ((f"{marks.begin}\n{THOUGHT}", None), (THOUGHT, prompt)):
            assert take_apart(text, prompt=shown, finished=False) == (THOUGHT, "", "cut")
            assert take_apart(text, prompt=shown, finished=True) == (THOUGHT, "", "stopped in the thought")
            assert take_apart(text, prompt=shown) == (THOUGHT, "", "cut")

    def test_empty_pair(self, marks):
        assert take_apart(f"{marks.begin}\n\n{marks.end}\n\nB") == ("", "B", "no thought")

    def test_pair_that_the_template_closed(self, marks):
        prompt = f"assistant: {marks.begin}\n\n{marks.end}\n\n"
        assert open_thought(prompt) is None
        assert take_apart("The answer is B.", prompt=prompt) == ("", "The answer is B.", "no thought")

    def test_quoted_mark_is_none(self, marks):
        text = f"The mark `{marks.end}` ends it, `{marks.begin}` begins it. B"
        assert take_apart(text, prompt="assistant: ") == ("", text, "no thought")


@pytest.mark.parametrize(
    ("text", "answer", "state"),
    [
        ("The answer is B.", "The answer is B.", "no thought"),
        ("", "", "no thought"),
        ("<think>a</think>B</think>", "B", "closed"),
        ("<think>a</think>\n</think>\nB", "B", "closed"),
        ("<think>a\n</think>\nno, wait\n</think>\nB", "B", "closed"),
        ("<think>a</think>I closed it with </think> as told: B", "I closed it with </think> as told: B", "closed"),
        ("<think>a</think>B\n<think>is that right?", "B", "closed"),
        ("<think>a</think>A\n<think>b</think>B", "B", "closed"),
        ("Sure.\n<think>a</think>\nB", "B", "closed"),
        ("<think>`</think>` ends it. B?</think>C", "C", "closed"),
        ("A page ends with </think> in some formats: B", "A page ends with </think> in some formats: B", "no thought"),
        ("<think>a</think>\n<answer>\nB\n</answer>", "B", "closed"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>", "B", "closed"),
        ("analysisThe passage says A.assistantfinalB", "B", "closed"),
        ("analysisThe passage says A", "", "cut"),
        ("analysis of the passage shows B", "analysis of the passage shows B", "no thought"),
        ("<think>a</think>B<|im_end|>", "B", "closed"),
        ("<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>B<|close|>response<|sep|>", "B", "closed"),
        ("<thinking>a</thinking>\n[BEGIN FINAL RESPONSE]\nB\n[END FINAL RESPONSE]", "B", "closed"),
        ("<|think|>a<|end|><|begin|>assistant<|content|>B<|end|>", "B", "closed"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B", "closed"),
    ],
)
def test_single_forms(text, answer, state):
    found = take_apart(text)
    assert (found.answer, found.state) == (answer, state)


def test_an_answer_never_holds_a_thought_that_was_cut():
    for cut in range(len(THOUGHT)):
        assert take_apart(f"<think>{THOUGHT[:cut]}").answer == ""


@pytest.mark.parametrize("text", ["analysis.", "analysis: The passage says so.\nAnswer: B", "analysis, synthesis"])
def test_a_word_that_begins_a_text_is_no_mark(text):
    """gpt-oss' channel, as transformers decodes it, is written together with what follows it."""
    assert take_apart(text) == ("", text, "no thought")
    assert take_apart("analysisThe passage says so.assistantfinalB") == ("The passage says so.", "B", "closed")
