"""The task class that ranks labels and removes a model's bias towards some of them (`metrics/calibration.py`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .lm_eval_private import another_request
from .metrics.calibration import content_free_log_shares, log_softmax, pooled_content_free_log_shares, subtract_bias
from .metrics.classification_metrics import Choice, Evidence
from .metrics.ranking import OptionScore, first_maximum
from .ranking_task import RankingTask


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lm_eval.api.instance import Instance


# Metrics that depend on all rows. lm-eval cannot compute their standard errors.
_OF_ALL_ROWS = ("f1", "f1_cc", "f1_pmi", "acc_bc", "acc_bc_mean_p", "f1_bc")


class CalibratedRankingTask(RankingTask):
    """Ranks labels, or the letters of options, with contextual calibration.

    Besides the requests of `RankingTask`, it asks for the log-likelihood of the labels after prompts without content and, if a
    metric is a PMI, after the answer cue alone. `content_free_inputs` of the facts replace every field of the row. With fixed
    exemplars, these prompts are the same for all rows. So each distinct one is asked once per process, with the first row that
    needs it (`Instance.idx` 2k+1 and up). lm-eval has no hook for such requests.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(config)
        self._uses_cue = "acc_pmi" in self._wanted_metrics
        self._asked: set[tuple[str, str]] = set()
        self._contexts: dict[tuple[str, ...], list[str]] = {}

    def build_all_requests(self, **kwargs: Any) -> None:
        """Builds the requests of all rows."""
        self._asked.clear()
        self._contexts.clear()
        super().build_all_requests(**kwargs)

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> list[Instance]:
        """The requests of one row, and those for prompts without content that no earlier row has asked for."""
        requests = super().construct_requests(doc, ctx, **kwargs)
        choices = len(self.doc_to_choice(doc))
        endings = [instance.arguments[1] for instance in requests[:choices]]
        # An attribute, because --cache_requests stores the requests but not the task.
        prompt = requests[0].arguments[0]
        # A cut prompt is compared with content-free prompts that lack the same exemplars.
        prompt = prompt if self.doc_to_text(doc) in prompt else ctx
        requests[0].content_free_contexts = self._content_free_contexts(doc, prompt, endings)
        new = [
            (context, ending)
            for context in requests[0].content_free_contexts
            for ending in endings
            if (context, ending) not in self._asked
        ]
        self._asked.update(new)
        return requests + [
            another_request(requests[0], arguments, 2 * choices + 1 + number)
            for number, arguments in enumerate(dict.fromkeys(new))
        ]

    def _content_free_contexts(self, doc: dict[str, Any], prompt: str, endings: Sequence[str]) -> list[str]:
        """The prompts without content for a row's prompt, one for each input; last the cue alone, if it is used."""
        block = self.doc_to_text(doc)
        before, found, after = prompt.rpartition(block)
        if not found:
            raise ValueError(
                f"{self.task_name}: the chat template changes the question's text, so that no content-free prompt can be made; "
                "run without --apply_chat_template"
            )
        blocks = [self.doc_to_text(self._without_content(doc, text)) for text in self.facts["content_free_inputs"]]
        key = (before, after, *blocks, *endings)
        if key not in self._contexts:  # rows share the same strings, because a thousand copies would be large
            contexts = [before + block + after for block in blocks]
            if self._uses_cue:
                cue = self.facts["answer_cue"]
                # after a chat template, answers begin without a space; lm-eval moves a space from the context to the answer
                contexts.append(cue if endings[0][:1].isspace() else cue + self.config.target_delimiter)
            if self._tokenizer is not None:
                contexts = [self._tokenizer.cut_to_fit(context, endings) for context in contexts]
            self._contexts[key] = contexts
        return self._contexts[key]

    def _without_content(self, doc: dict[str, Any], text: str) -> dict[str, Any]:
        """A row in which every field and option is `text`; fields that only choose a word stay."""
        fields: dict[str, Any] = dict.fromkeys(self.facts["content_fields"], text)
        if "options" in doc:
            fields["options"] = [text] * len(doc["options"])
            fields["lettered_options"] = [f"{letter}. {text}" for letter in doc["letters"]]
        return doc | fields

    def apply_filters(self) -> None:
        """Adds the model's scores of the options without the row to each row's `OptionScore`s."""
        super().apply_filters()
        without_content: dict[tuple[str, str, str], float] = {}
        rows: dict[int, dict[int, Instance]] = {}
        for instance in self.instances:
            for name, answer in instance.filtered_resps.items():
                if isinstance(answer, OptionScore):
                    rows.setdefault(instance.doc_id, {})[instance.idx] = instance
                else:
                    without_content[(name, *instance.arguments)] = answer[0]
        for options in rows.values():
            contexts = options[0].content_free_contexts
            for instance in options.values():
                ending = instance.arguments[1]
                for name, score in instance.filtered_resps.items():
                    content_free = [without_content[name, context, ending] for context in contexts]
                    cue = content_free.pop() if self._uses_cue else None
                    instance.filtered_resps[name] = score._replace(content_free=content_free, cue=cue)

    def process_results(self, doc: dict[str, Any], results: Sequence[OptionScore]) -> dict[str, Any]:
        """What each metric needs of one row: 0 or 1 for an accuracy, choices or evidence for metrics of all rows.

        Besides what `RankingTask` writes into `doc`, this writes p and q: the shares of the labels with and without the row.
        """
        metrics = super().process_results(doc, results)
        scores = results[: len(self.doc_to_choice(doc))]
        loglikelihoods = [score.loglikelihood for score in scores]
        content_free = list(zip(*(score.content_free for score in scores), strict=True))
        log_q = content_free_log_shares(content_free)
        doc["p"] = [math.exp(share) for share in log_softmax(loglikelihoods)]
        doc["q"] = [math.exp(share) for share in log_q]
        biases = {"cc": log_q}
        if "acc_cc_zhao" in self._wanted_metrics:
            biases["cc_zhao"] = pooled_content_free_log_shares(content_free)
        if self._uses_cue:
            biases["pmi"] = [score.cue for score in scores if score.cue is not None]
        gold, labels = doc["gold"], len(scores)
        for method, bias in biases.items():
            chosen = first_maximum(subtract_bias(loglikelihoods, bias))
            doc["predictions"][f"acc_{method}"] = chosen
            metrics |= {f"acc_{method}": float(chosen == gold), f"f1_{method}": Choice(gold, chosen, labels)}
        metrics["f1"] = Choice(gold, doc["predictions"]["acc"], labels)
        metrics |= dict.fromkeys(("acc_bc", "acc_bc_mean_p", "f1_bc"), Evidence(gold, loglikelihoods))
        metrics |= {f"{name}_stderr": metrics[name] for name in _OF_ALL_ROWS if name in metrics}
        return {name: value for name, value in metrics.items() if name in self._wanted_metrics}
