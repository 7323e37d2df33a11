"""What people read of a folder for lm-eval: its README after lm-eval's template, and the text of the pull request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lm_eval_sea import __version__
from lm_eval_sea.catalogue.task_list import TASKS_FOLDER
from lm_eval_sea.upstream.records import Record


class Prompt(NamedTuple):
    """A task to be written."""

    task: str  # its name in lm-eval
    of: str  # the pack's task
    language: str
    about: str  # what it evaluates, in a few words
    english: bool  # whether it is the twin with an English prompt of a task with a native one
    templates: Sequence[str]  # of its record, which it includes
    own: Mapping[str, Any]  # keys of its own

    def tag(self, record: Record) -> str:
        """The tag of the tasks with such a prompt."""
        native = not self.english and not self.of.endswith("_enprompt")
        return f"{record.folder}_{'native' if native else 'english'}_prompt"

    def line(self) -> str:
        """Its entry in a list of tasks."""
        return f"* `{self.task}`: {self.about}{'; English instruction and field words' if self.english else ''}"


_README = """\
# {title}

## Paper

Title: `{paper}`

Abstract: {link}

{about}

Homepage: {homepage}

### Citation

```text
{citation}
```

### Groups, Tags, and Tasks

#### Groups

None.

#### Tags

{tags}

#### Tasks

{tasks}

### Rows, Prompts, and Scores

{rows}

{shots} The scores are {metrics}.{scores}

### Checklist

For adding novel benchmarks/datasets to the library:

* [x] Is the task an existing benchmark in the literature?
  * [x] Have you referenced the original paper that introduced the task?
  * [ ] If yes, does the original paper provide a reference implementation? If so, have you checked against the reference
    implementation and documented how to run such a test? No published score has been reproduced.

{supported}

### Changelog

* 1.0: first version.
"""

_SUPPORTED = """\
If other tasks on this dataset are already supported:

* [x] Is the "Main" variant of this task clearly denoted? It is the one with native prompts.
* [x] Have you provided a short sentence in a README on what each new variant adds / evaluates?{difference}
* [x] Have you noted which, if any, published evaluation setups are matched by this variant? None; the prompts are new."""
_NONE_SUPPORTED = """\
If other tasks on this dataset are already supported (there are none):

* [ ] Is the "Main" variant of this task clearly denoted?
* [ ] Have you provided a short sentence in a README on what each new variant adds / evaluates?
* [ ] Have you noted which, if any, published evaluation setups are matched by this variant?"""

_PULL_REQUEST = """\
# Add {title}: {summary}

Row for `lm_eval/tasks/README.md`, in alphabetical order:

| [{folder}]({folder}/README.md) | {summary} | {languages} |

## What it adds

Copy the folder `{folder}` to `lm_eval/tasks/{folder}`. It has {number} tasks without a class, and a script that writes them.

{tasks}

Prompts are those of lm-eval-sea {version}; its tests compare every request of the first 200 rows with the pack's, byte for byte.

## Before it is sent

{missing}
"""

_MISSING_EVERYWHERE = (
    "Scores of a public model, beside published ones if there are any.",
    "The word of a native reader of {languages} on instruction, field words and exemplars.",
    "`pre-commit run --files lm_eval/tasks/{folder}/*` and `pytest tests/test_tasks.py` in a checkout, with a network.",
)


def readme(record: Record, prompts: Sequence[Prompt], shots: int) -> str:
    """The README of the folder; `shots` is the number of exemplars in a prompt."""
    source = _source(record)
    paper = re.search(r"Title: \*(?P<title>[^*]*)\* \((?P<authors>[^)]*)\),\s(?P<link>https://[^\s;]*)", source)
    described = re.search(r"\n\n(?P<about>[^\n]*)\n\nHomepage: (?P<homepage>.*)\n", source)
    citation = re.search(r"```text\n(?P<text>.*?)\n```", source, re.DOTALL)
    return _README.format(
        title=title(record),
        paper=paper["title"],
        link=paper["link"],
        about=described["about"],
        homepage=described["homepage"],
        citation=citation["text"],
        tags="\n".join(f"* `{tag}`: {_TAGS[tag.rsplit('_', 2)[1]]}" for tag in dict.fromkeys(p.tag(record) for p in prompts)),
        tasks="\n".join(prompt.line() for prompt in prompts),
        rows=record.rows,
        shots=_SHOTS[shots],
        metrics=", ".join(f"`{metric.removeprefix('utils.')}`" for metric in record.metrics),
        scores=f" {record.scores}" if record.scores else "",
        supported=_SUPPORTED.format(difference=f" {record.supported}") if record.supported else _NONE_SUPPORTED,
    )


_OWN_EXEMPLARS = "Prompts have {} by default. They were written for these tasks, so no test row is ever shown."
_SHOTS = {
    0: "Prompts have no exemplar unless `--num_fewshot` asks for some.",
    1: _OWN_EXEMPLARS.format("one exemplar"),
    3: _OWN_EXEMPLARS.format("three exemplars"),
}
_TAGS = {
    "native": "instruction, field words and answers in the language of the data",
    "english": "the same rows with English instruction and field words",
}


def pull_request(record: Record, prompts: Sequence[Prompt]) -> str:
    """The text of the pull request, with what must be done before it is sent."""
    missing = [line.format(languages=record.languages, folder=record.folder) for line in _MISSING_EVERYWHERE]
    return _PULL_REQUEST.format(
        title=title(record),
        summary=record.summary,
        folder=record.folder,
        languages=record.languages,
        number=len(prompts),
        tasks="\n".join(prompt.line() for prompt in prompts),
        version=__version__,
        missing="\n".join(f"- [ ] {line}" for line in [*record.missing, *missing]),
    )


def title(record: Record) -> str:
    """The name of the data set."""
    return _source(record).partition("\n")[0].removeprefix("# ")


def _source(record: Record) -> str:
    """The pack's README of the data set."""
    return (TASKS_FOLDER / record.data_set / "README.md").read_text(encoding="utf-8")
