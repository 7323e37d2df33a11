"""Finds secrets by their names and their form, and masks them.

lm-eval writes the arguments of a model as they are given, tokens and keys among them, into results, rows and logs.
"""

from __future__ import annotations

import base64
import copy
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

MASK = "***"
# Names that end in these words belong to secrets: api_key, X-Api-Key, clientSecret, WANDB_API_KEY …
_WORDS = (
    r"(?:api|access|secret|private|auth|subscription|functions?|account|client|service|signing|encryption)[_-]?keys?"
    r"|passw(?:or)?d|passphrase|pwd|secrets?|credentials?|authorization|auth|bearer|jwt|cookie|pat"
)
# … and so do names that end in "token", except those of a tokenizer's tokens, and of a metric.
_NO_SECRETS = (
    "bos", "eos", "bod", "eod", "pad", "unk", "sep", "cls", "mask", "start", "end", "begin", "stop", "think", "thinking",
    "thought", "reasoning", "prefix", "suffix", "middle", "fim", "image", "audio", "video", "speech", "special", "first",
    "last", "next", "new", "max", "min", "num", "boi", "eoi", "system", "user", "assistant", "turn", "text", "word",
    "decoder", "forced", "extra", "filler", "blank", "dummy", "draft", "tool", "bom", "eom", "eot", "eoh",
    "acc",
)  # fmt: skip
_TOKEN = "".join(rf"(?<!{word}[_-])" for word in _NO_SECRETS) + "token"
_SECRET_NAME = rf"(?<![A-Za-z])(?:{_WORDS}|{_TOKEN})"
_NAME = re.compile(rf".*{_SECRET_NAME}", re.IGNORECASE | re.DOTALL)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HEADERS = re.compile(r"(?:.*[^a-z])?headers?", re.IGNORECASE)
_PLAIN_HEADERS = {"content-type", "accept", "accept-encoding", "accept-language", "user-agent", "connection", "host"}
# Parts of lm-eval's results, and of their task configurations, that contain no arguments.
_SCORES = ("results", "groups", "group_subtasks", "versions", "n-shot", "n-samples", "higher_is_better", "samples", "task_hashes")
_PROMPTS = ("description", "doc_to_text", "doc_to_target", "doc_to_choice", "fewshot_config", "fewshot_delimiter", "metric_list")
_SCHEMES = ("bearer", "basic", "token")
_SAYS_NOTHING = {"", "none", "null", "true", "false", MASK}
_SHORTEST, _SHORTEST_WORD = 6, 12  # characters of a secret to mask wherever it stands; the latter if it is letters alone

# In text: the login in a URL; what follows a secret's name, or the scheme of a header; tokens of well-known services.
_IN_TEXT = re.compile(
    rf"""(?<=://)(?P<login>[^\s/@"'?\#]{{1,500}})(?=@)
    |(?:{_SECRET_NAME}\\?["']?\s*[=:]\s*|[?&](?:key|sig|signature|code)=)\\?["']?(?:(?:bearer|basic|token)\s+)?
        (?P<value>[^\s,;&"'{{}}()\[\]<>\\]+)
    |\b(?:bearer|basic)\s+(?P<header>[\w.~+/=-]{{6,}})
    |\b(?P<known>(?:hf_[A-Za-z0-9]{{16,}}|sk-[\w-]{{16,}}|gh[pousr]_\w{{20,}}|github_pat_\w{{20,}}|xox[abprs]-[\w-]{{10,}}
        |AKIA[0-9A-Z]{{16}}|AIza[\w-]{{30,}}))""",
    re.IGNORECASE | re.VERBOSE,
)
_ENVIRONMENT = re.compile(r"(?:.*_)?(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTHORIZATION|PAT)", re.IGNORECASE)


def is_secret(name: object) -> bool:
    """Whether a value of this name is masked."""
    return isinstance(name, str) and _NAME.fullmatch(_CAMEL.sub("_", name)) is not None


def masked(content: Any) -> Any:
    """Content of a JSON file, of arguments or settings, with `***` in the place of each secret."""
    if isinstance(content, str):
        return masked_text(content)
    if isinstance(content, Mapping):
        return _masked_but(content)
    if type(content) in (list, tuple):
        return type(content)(map(masked, content))
    return content


def masked_results(content: Mapping[str, Any]) -> dict[str, Any]:
    """The results of a run without the secrets in its settings; scores and prompts stay as they are."""
    made = _masked_but(content, (*_SCORES, "configs"))
    if isinstance(configs := content.get("configs"), Mapping):
        made["configs"] = {
            task: _masked_but(config, _PROMPTS) if isinstance(config, Mapping) else config for task, config in configs.items()
        }
    return made


def _masked_but(content: Mapping[str, Any], names: Collection[str] = ()) -> dict[str, Any]:
    """`masked`, but the entries `names` stay as they are."""
    return {key: value if key in names else _masked_entry(key, value) for key, value in content.items()}


def _masked_entry(key: Any, value: Any) -> Any:
    if is_secret(key) and _is_telling(value):
        return MASK
    if _are_headers(key, value):
        return {name: part if str(name).lower() in _PLAIN_HEADERS else MASK for name, part in value.items()}
    return masked(value)


def _are_headers(key: object, value: object) -> bool:
    return isinstance(key, str) and _HEADERS.fullmatch(key) is not None and isinstance(value, Mapping)


def _is_telling(value: Any) -> bool:
    """Whether a value may be a secret; `token=True` only tells transformers to look for one."""
    return not isinstance(value, bool) and str(value).lower() not in _SAYS_NOTHING


def masked_text(text: str) -> str:
    """A text, such as a line of a log, with `***` in the place of what looks like a secret."""
    return _IN_TEXT.sub(_masked_match, text)


def _masked_match(match: re.Match[str]) -> str:
    secret = match[match.lastgroup or 0]
    return match[0] if secret.lower() in _SAYS_NOTHING else f"{match[0].removesuffix(secret)}{MASK}"


def secrets_in(content: Any) -> Iterator[str]:
    """The secrets in arguments or settings, in the form in which they would appear elsewhere."""
    if isinstance(content, str):
        yield from _secrets_in_text(content)
    elif isinstance(content, Mapping):
        for key, value in content.items():
            yield from _texts(value) if is_secret(key) or _are_headers(key, value) else secrets_in(value)
    elif isinstance(content, list | tuple):
        for part in content:
            yield from secrets_in(part)


def _secrets_in_text(text: str) -> Iterator[str]:
    """Those in URLs, headers, `name=value` and JSON objects; not what else follows a name, which may be a sentence."""
    if text.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            yield from secrets_in(json.loads(text))
    for match in _IN_TEXT.finditer(text):
        if match["login"]:
            yield match["login"].partition(":")[2] or match["login"]
            yield base64.b64encode(unquote(match["login"]).encode(errors="replace")).decode()  # as HTTP sends it
        yield from filter(None, (match["header"], match["known"]))
        if match["value"] and "=" in match[0].removesuffix(match["value"]) and _is_telling(match["value"]):
            yield match["value"]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            if str(name).lower() not in _PLAIN_HEADERS:
                yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif _is_telling(value):
        text = str(value)
        scheme, _, rest = text.partition(" ")
        yield rest if scheme.lower() in _SCHEMES and rest else text


def secrets_of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of variables such as HF_TOKEN, and the passwords in the URLs of other variables."""
    for name, value in environment.items():
        if _ENVIRONMENT.fullmatch(name) and _is_telling(value):
            yield value
        elif "://" in value:
            yield from secrets_in(value)


class KnownSecrets:
    """Masks secrets of this process wherever they turn up, as in an answer of a server or an error of a library."""

    def __init__(self) -> None:
        self._known: list[str] = []  # the longest first: one may be the beginning of another

    def add(self, secrets: Iterable[str]) -> None:
        """Adds secrets, except short ones, which may be words; these are masked only by their names."""
        forms = {form for secret in secrets for form in (secret, unquote(secret))}
        long_enough = {form for form in forms if len(form) >= (_SHORTEST_WORD if form.isalpha() else _SHORTEST)}
        self._known = sorted({*self._known, *long_enough}, key=len, reverse=True)

    def masked(self, text: str) -> str:
        """A text without the known secrets, and all else as it is."""
        for secret in self._known:
            text = text.replace(secret, MASK)
        return text

    def masked_row(self, row: Any) -> Any:
        """A row as lm-eval logs it, without the known secrets and those in its generation settings."""
        if isinstance(row, str):
            return self.masked(row)
        if isinstance(row, dict):
            return {
                self.masked_row(key): MASK if is_secret(key) and _is_telling(value) else self.masked_row(value)
                for key, value in row.items()
            }
        return [self.masked_row(part) for part in row] if isinstance(row, list | tuple) else row

    def masked_answer(self, answer: Any) -> Any:
        """A backend's answer without the known secrets; an object, such as a string with attributes, stays one."""
        if not hasattr(answer, "__dict__"):
            return answer if isinstance(answer, tuple) else self.masked_row(answer)  # a tuple is a log-likelihood
        made = type(answer)(self.masked(answer)) if isinstance(answer, str) else copy.copy(answer)
        vars(made).update({name: self.masked_answer(known) for name, known in vars(answer).items()})
        return made
