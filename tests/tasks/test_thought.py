"""Thought, answer and state of what reasoning models write, in the forms of their chat templates."""

import pytest

from lm_eval_sea.tasks._shared.reading.thought import MARKS, take_apart

THOUGHT = "The passage says B.\nAnswer: A? No."


@pytest.mark.parametrize("marks", MARKS, ids=lambda marks: marks.begin)
class TestEveryFamily:
    def test_closed(self, marks):
        """The template may have opened it, which the prompt need not tell."""
        behind = f"{THOUGHT}\n{marks.end}\n\nB"
        for text in (f"{marks.begin}\n{behind}", f"{marks.begin}\n{behind}".replace("\n\nB", "B"), behind):
            assert take_apart(text) == (THOUGHT, "B", "closed")
        assert take_apart(behind, prompt=f"user: Which one?\nassistant: {marks.begin}\n") == (THOUGHT, "B", "closed")

    def test_cut_and_stopped(self, marks):
        prompt = f"user: Which one?\nassistant: {marks.begin}"
        for text, shown in ((f"{marks.begin}\n{THOUGHT}", None), (THOUGHT, prompt)):
            assert take_apart(text, prompt=shown, finished=False) == (THOUGHT, "", "cut")
            assert take_apart(text, prompt=shown, finished=True) == (THOUGHT, "", "stopped in the thought")
            assert take_apart(text, prompt=shown) == (THOUGHT, "", "cut")

    def test_no_thought(self, marks):
        """An empty pair, one that the template closed, and marks that are quoted."""
        assert take_apart(f"{marks.begin}\n\n{marks.end}\n\nB") == ("", "B", "no thought")
        prompt = f"assistant: {marks.begin}\n\n{marks.end}\n\n"
        assert take_apart("The answer is B.", prompt=prompt) == ("", "The answer is B.", "no thought")
        text = f"The mark `{marks.end}` ends it, `{marks.begin}` begins it. B"
        assert take_apart(text, prompt="assistant: ") == ("", text, "no thought")


# Text → answer; those that are whole have no thought.
CLOSED = {
    "<think>a</think>I closed it with </think> as told: B": "I closed it with </think> as told: B",
    "<think>`</think>` ends it. B?</think>C": "C",
    **dict.fromkeys(
        [
            "<think>a</think>B</think>",
            "<think>a</think>\n</think>\nB",
            "<think>a\n</think>\nno, wait\n</think>\nB",
            "<think>a</think>B\n<think>is that right?",
            "<think>a</think>A\n<think>b</think>B",
            "Sure.\n<think>a</think>\nB",
            "<think>a</think>\n<answer>\nB\n</answer>",
            "<think>a</think>B<|im_end|>",
            "analysisThe passage says A.assistantfinalB",
            "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>",
            "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>B<|close|>response<|sep|>",
            "<thinking>a</thinking>\n[BEGIN FINAL RESPONSE]\nB\n[END FINAL RESPONSE]",
            "<|think|>a<|end|><|begin|>assistant<|content|>B<|end|>",
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
        ],
        "B",
    ),
}
WHOLE = ["The answer is B.", "", "A page ends with </think> in some formats: B"]
# words, and no mark of gpt-oss, which is written together with what follows it
WHOLE += ["analysis of it shows B", "analysis.", "analysis: So.\nAnswer: B", "analysis, B"]


def test_single_forms():
    found = {text: take_apart(text) for text in [*CLOSED, *WHOLE]}
    assert {text: (found[text].answer, found[text].state) for text in CLOSED} == {
        text: (answer, "closed") for text, answer in CLOSED.items()
    }
    assert [found[text] for text in WHOLE] == [("", text, "no thought") for text in WHOLE]
    assert take_apart("analysisThe passage says A") == ("The passage says A", "", "cut")
