"""A model whose log-probabilities and generations are planted, so that the right scores are known by hand."""

from collections.abc import Callable

from lm_eval.api.model import LM
from lm_eval.models.utils import postprocess_generated_text


class PlantedModel(LM):
    """Answers every request with what two functions say, and remembers the requests."""

    def __init__(
        self,
        loglikelihood: Callable[[str, str], float] | None = None,
        generation: Callable[[str], str] | None = None,
        max_length: int | None = None,
    ) -> None:
        """The context is `max_length` tokens of whatever tokenizer the task is told of."""
        super().__init__()
        self.max_length = max_length
        self._loglikelihood = loglikelihood
        self._generation = generation
        self.requests: list[tuple] = []

    def loglikelihood(self, requests):
        self.requests += [request.args for request in requests]
        return [(self._loglikelihood(*request.args), False) for request in requests]

    def generate_until(self, requests):
        self.requests += [request.args for request in requests]
        return [self._generation(request.args[0]) for request in requests]

    def loglikelihood_rolling(self, requests):
        self.requests += [request.args for request in requests]
        return [self._loglikelihood("", *request.args) for request in requests]


def right_of(row: dict) -> str:
    """The right answer to a row: its label, letter or number, or the first reference."""
    if "label" in row:  # of SEA-HELM
        return row["label"][0] if isinstance(row["label"], list) else row["label"]
    if "gold" in row:
        return (row.get("letters") or row["scoring"]["label_words"])[row["gold"]]
    if "answers" in row:
        return row["answers"][0]
    translation = "english" if row["scoring"].get("answer_language") == "en" else "translation"
    return next(row[field] for field in ("solution", "summary", translation) if field in row)


class RowModel(PlantedModel):
    """Knows the row that a request is of: `write` makes the text of it, which is cut at the stop strings as lm-eval cuts."""

    def __init__(self, write: Callable[[dict], str]) -> None:
        super().__init__()
        self._write = write

    def generate_until(self, requests):
        self.requests += [request.args for request in requests]
        return [postprocess_generated_text(self._write(each.doc), each.args[1]["until"], None) for each in requests]
