"""A judge on the loopback interface that gives planted verdicts and plants faults."""

import json
import re
from collections.abc import Callable

from tests.models.toy_server import Status, serve

FAULTS = ("429", "500", "truncated", "cut", "no choices")


def serving(verdict: Callable[[dict], str], faults: dict[int, str] | None = None):
    """A running server: `verdict` makes the judge's words of a request's body, `faults` has one of `FAULTS` or an HTTP status
    for the number of a request, from 1.
    """

    def behave(body: dict, number: int) -> Status:
        fault = (faults or {}).get(number + 1)
        if fault == "no choices":
            return Status(200, {"id": "1"})
        if fault and fault not in ("cut", "truncated"):
            return Status(int(fault), {"error": {"message": "planted"}}, {"retry-after-ms": "1"})
        message = {"role": "assistant", "content": verdict(body)}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
        completion["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
        completion["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        content = json.dumps(completion).encode()
        sent = content[: len(content) // 2] if fault else content
        return Status(200, sent, {"Content-Length": str(len(content))} if fault == "cut" else {})

    return serve(behave)


def own_tag(body: dict) -> str:
    """The verdict's tag that a question of the pack's own names, which follows the texts that are judged."""
    return re.findall(r"<(verdict-\w+)>", body["messages"][1]["content"])[-1]
