"""What the table says of answers that were not read, and its advice."""

import html
import re

import pytest

from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.report.overview import overview_section
from lm_eval_sea.report.page import render_pages
from lm_eval_sea.report.scores import scores_of
from lm_eval_sea.report.sections import sections
from lm_eval_sea.results.read import read
from lm_eval_sea.results.table import WIDTH, records_of, table_of

from ..report.planted import NO_SUITE
from .lm_eval_output import drawn, write_run

CHOICE = {"dataset": "toy", "headline_metric": "exact_match", "version": 1.0, "variant": "chat"}
TEXT = CHOICE | {"headline_metric": "chrf++"}
CHAT, BASE = {"chat_template_sha": "0a1b"}, {"chat_template_sha": None}
SENTIMENT = "sea_helm_id_sentiment"
SEA_HELM = {"dataset": "sea_helm", "language": "id", "variant": "labels", "task": "sentiment", "headline_metric": "balanced_acc"}
SEA_HELM["version"] = read_tasks().tasks[SENTIMENT].metadata["version"]


def task(metadata=CHOICE, *, score=0.41, num_fewshot=0, **rates):
    metric = metadata["headline_metric"]
    scores = {f"{metric},none": score} | {f"{name},none": rate for name, rate in rates.items()}
    return {"scores": scores, "metadata": metadata, "num_fewshot": num_fewshot}


def ended(reasons, state="no thought", **columns):
    """Rows whose answers ended like this; further columns are a list each."""
    docs = [{"state": state, "finish_reason": why} for why in reasons]
    return [{"doc_id": n, "doc": doc} | {name: of[n] for name, of in columns.items()} for n, doc in enumerate(docs)]


def notes(folder, tasks, **more):
    """The notes on answers, each as one line."""
    write_run(folder, tasks, **more)
    text = table_of(read(folder).best())
    assert max(map(len, text.splitlines())) <= WIDTH
    said = " ".join(text.split()).split(" note: ")[1:]
    return [note for note in said if note.startswith(tuple(tasks))]


RATES = {"null_rate": 0.125, "refusal_rate": 0.05, "failure_rate": 0.01, "cut_rate": 0.0, "off_target_rate": 0.035}
CAUSES = {"null_rate": 0.5, "cut_rate": 0.25, "failure_rate": 0.2}
LITTLE = dict.fromkeys(("null_rate", "cut_rate", "refusal_rate", "off_target_rate"), 0.02) | {"failure_rate": 0.0}
NUMBERS = CHOICE | {"headline_metric": "exact_number"}
FAILED = "toy_th: requests failed; the same command asks them again"
ENDLESS = "toy_th: thoughts do not end; where their finish_reason is length, raise --thinking_tokens"
NO_TEMPLATE = "hardly any answer could be read; is this a chat model? add --apply_chat_template"
TEMPLATE = "hardly any answer could be read; is this a base model? it needs a run without chat template"
HARDLY = {"toy_th": task(null_rate=0.95, cut_rate=0.0), "toy_vi": task(null_rate=1.0, cut_rate=0.0)}
# what is the case → tasks, run, all notes
SAID = {
    "rates above two per cent stand beside the task": (
        {"toy_th": task(TEXT, score=30.0, **RATES)}, CHAT,
        ["toy_th: not read 12.5 % (refused 5.0 %), wrong language 3.5 %", FAILED],
    ),
    "right answers among other words are told where they are many": (
        {"toy_th": task(score=0.1, contains=0.5, null_rate=0.0), "toy_vi": task(score=0.4, contains=0.55, null_rate=0.0)}, CHAT,
        ["toy_th: right but in more words 40.0 %"],
    ),
    "failed requests and cut thoughts are told as causes": (
        {"toy_th": task(TEXT, score=30.0, **CAUSES)}, CHAT,
        ["toy_th: not read 50.0 % (cut in the thought 25.0 %, failed requests 20.0 %)", FAILED, ENDLESS],
    ),
    "scores of all rows together have no bounds": (
        {"toy_th": task(TEXT, score=40.0, null_rate=0.2, cut_rate=0.2)}, CHAT,
        ["toy_th: not read 20.0 % (cut in the thought 20.0 %)", ENDLESS],
    ),
    "little is not told": ({"toy_th": task(**LITTLE), "toy_vi": task(TEXT, **LITTLE)}, BASE, []),
    "results without rates": ({"toy_th": task(), "toy_vi": task(TEXT, score=30.0), "toy_id": task(cut_rate=0.9)}, BASE, []),
    "tasks of which the same is told share a line": (
        {f"toy_{language}": task(null_rate=0.5) for language in ("id", "jv", "ms", "th", "vi")}, CHAT,
        ["toy_id, toy_jv, toy_ms, toy_th and 1 more: not read 50.0 %"],
    ),
    "where every answer was cut nothing is completed": (
        {"toy_th": task(score=0.0, null_rate=1.0, cut_rate=1.0)}, BASE,
        ["toy_th: not read 100.0 % (cut in the thought 100.0 %); exact_match is 0.0 if all cut answers are wrong, "
         "100.0 if all are right", ENDLESS],
    ),
    "numbers that are not found are not read": (
        {"toy_th": task(NUMBERS, score=0.0, no_number_rate=1.0)}, BASE,
        ["toy_th: not read 100.0 %", f"toy_th: {NO_TEMPLATE}"],
    ),
    "one failed request is advised on": (
        {"toy_th": task(null_rate=0.001, failure_rate=0.001), "toy_vi": task(failure_rate=0.0)}, CHAT, [FAILED],
    ),
    "hardly an answer, no template": (HARDLY, BASE, f"toy_th, toy_vi: {NO_TEMPLATE}"),
    "hardly an answer, a template": (HARDLY, CHAT, f"toy_th, toy_vi: {TEMPLATE}"),
    "hardly an answer, a template, and no word of thoughts": (
        {"toy_th": task(null_rate=1.0)}, CHAT,
        ["toy_th: not read 100.0 %", f"toy_th: {TEMPLATE}; or do its thoughts not end? raise --thinking_tokens"],
    ),
    "answers that are refused say nothing of the template": (
        {"toy_th": task(score=0.0, null_rate=1.0, refusal_rate=1.0)}, BASE, ["toy_th: not read 100.0 % (refused 100.0 %)"],
    ),
    "requests that failed say nothing of the template": (
        {"toy_th": task(score=0.0, null_rate=1.0, failure_rate=1.0)}, BASE,
        ["toy_th: not read 100.0 % (failed requests 100.0 %)", FAILED],
    ),
    "SEA-HELM's tasks without exemplars and template; there are none of IFEval": (
        {f"sea_helm_id_{name}": task(SEA_HELM | {"task": name}, null_rate=0.0) for name in ("sentiment", "ifeval")}, BASE,
        [f"{SENTIMENT}: a chat model needs --apply_chat_template here, a base model exemplars (--num_fewshot 5)"],
    ),
    "SEA-HELM's tasks with exemplars": ({SENTIMENT: task(SEA_HELM, num_fewshot=5, null_rate=0.0)}, BASE, []),
    "SEA-HELM's tasks with a template": ({SENTIMENT: task(SEA_HELM, null_rate=0.0)}, CHAT, []),
    "ranked tasks get no advice": (
        {f"{SENTIMENT}_ppl": task(SEA_HELM | {"headline_metric": "balanced_acc_cc"})}, BASE, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tasks", "run", "said"), SAID.values(), ids=SAID)
def test_answers_get_these_notes(tmp_path, tasks, run, said):
    found = notes(tmp_path, tasks, **run)
    assert sorted(found) == sorted(said) if isinstance(said, list) else said in found


def right_answers(rows):
    """exact_match in per cent of planted rows: True, False, or None for a cut answer."""
    return 100 * sum(row is True for row in rows) / len(rows)


@pytest.mark.parametrize(("metric", "best_score"), [("exact_match", 1), ("f1", 1), ("rougeL", 100), ("pass", 1)])
@pytest.mark.parametrize("rows", [[True] * 8 + [False] * 6 + [None] * 6, [None] * 3 + [True] * 17, [False] * 9 + [None]])
def test_bounds_are_those_of_scoring_the_cut_rows_anew(tmp_path, rows, metric, best_score):
    score, cut = right_answers(rows), sum(row is None for row in rows) / len(rows)
    facts = CHOICE | {"headline_metric": metric}
    tasks = {"toy_th": task(facts, score=best_score * score / 100, null_rate=cut, cut_rate=cut)}
    [said, advice] = notes(tmp_path, tasks, **CHAT)
    best = right_answers([row is None or row for row in rows])
    completed = right_answers([row for row in rows if row is not None])
    assert said.endswith(
        f"; {metric} is {score:.1f} if all cut answers are wrong, {best:.1f} if all are right, "
        f"{completed:.1f} on completed answers"
    )
    assert advice == ENDLESS


@pytest.mark.parametrize(
    ("end", "number", "said"),
    [
        ("length", 3, " (refused 10.0 %, cut at the token limit 30.0 %)"),
        ("content_filter", 2, " (refused 10.0 %, ended by content_filter 20.0 %)"),
        (None, 2, " (refused 10.0 %)"),
    ],
)
def test_how_answers_ended_that_were_not_read(tmp_path, end, number, said):
    """Of ten rows five are not read: one refuses, so many end like that, and the others by themselves. A read one was cut."""
    ends = [end] * number + ["stop"] * (4 - number) + ["length"] * 2 + ["stop"] * 4
    rows = ended(ends, null_rate=[1.0] * 5 + [0.0] * 5, refusal_rate=[0.0] * 4 + [1.0] + [0.0] * 5)
    planted = task(null_rate=0.5, refusal_rate=0.1, cut_rate=0.0) | {"rows": rows}
    assert notes(tmp_path, {"toy_th": planted}, **CHAT) == [f"toy_th: not read 50.0 %{said}"]


@pytest.mark.parametrize(("state", "said"), [("no thought", True), ("closed", True), ("cut", False)])
def test_texts_that_the_limit_cut(tmp_path, state, said):
    """They are scored as they are, so no other number shows it. A thought that was cut left no text."""
    rows = ended(["length"] * 3 + ["stop"] * 7, state, **{"chrf++": [30.0] * 10})
    tasks = {"toy_th": task(TEXT, score=30.0, null_rate=0.0, off_target_rate=0.0, cut_rate=0.0) | {"rows": rows}}
    tasks["toy_vi"] = task(score=1.0, null_rate=0.0, cut_rate=0.0) | {"rows": ended(["length"] * 10, exact_match=[1.0] * 10)}
    line = "toy_th: 30.0 % of the texts were cut at the token limit; raise --gen_kwargs max_gen_toks"
    assert notes(tmp_path, tasks, **CHAT) == [line] * said


def test_how_answers_of_several_seeds_ended_is_a_share_of_all(tmp_path):
    """Of ten rows four are not read in the first draw and none in the second; the limit cut these, and two that were read."""
    for seed, lost in ((1, 4), (2, 0)):
        null = [1.0] * lost + [0.0] * (10 - lost)
        rows = ended(["length"] * 6 + ["stop"] * 4, exact_match=[0.0] * 10, null_rate=null, refusal_rate=[0.0] * 10)
        planted = task(score=0.0, null_rate=lost / 10, cut_rate=0.0) | {"rows": rows}
        write_run(tmp_path, {"toy_th": planted}, **drawn(seed), **CHAT)
    assert "note: toy_th: not read 20.0 % (cut at the token limit 20.0 %)\n" in table_of(read(tmp_path).best())


def test_where_sea_helm_limits_the_answer_it_is_not_to_be_raised(tmp_path):
    planted = task(SEA_HELM, score=0.0, null_rate=1.0, cut_rate=0.0) | {"rows": ended(["length"] * 5)}
    said = "read, and most stop at the token limit; is this a base model? it needs a run without chat template"
    assert any(note.endswith(said) for note in notes(tmp_path / "own", {SENTIMENT: planted}, **CHAT))
    said = "read, and most stop at the token limit; raise --gen_kwargs max_gen_toks"
    found = notes(tmp_path / "given", {SENTIMENT: planted}, config=LIMITED, **CHAT)
    assert any(note.endswith(said) for note in found)


@pytest.mark.parametrize(
    ("mode", "states", "tokens", "said"),
    [
        ("off", ["closed", "cut", "no thought"], {}, ["thinking is off, but 67 % of the answers have a thought"]),
        ("off", ["no thought"] * 3, {"thought": 20}, ["thinking is off, but 100 % of the answers have a thought"]),  # not shown
        ("off", ["closed", "no thought", "failed"], {}, []),
        ("on", ["no thought"] * 2 + ["failed"], {"thought": 0}, ["thinking is on, but no answer has a thought"]),
        ("on", ["no thought"] * 2 + ["stopped in the thought"], {}, []),
        ("on", ["no thought"] * 3, {"thought": 20}, []),
        (None, ["no thought"] * 3, {}, []),
        (None, ["closed"] * 3, {}, []),
    ],
)
def test_an_ignored_thinking_switch_is_noted(tmp_path, mode, states, tokens, said):
    rows = [{"doc_id": number, "doc": {"state": state, "tokens": tokens}} for number, state in enumerate(states)]
    planted = task(null_rate=0.0, cut_rate=0.0) | {"rows": rows}
    found = notes(tmp_path, {"toy_th": planted}, **CHAT | {"config": {"model": "chat-api", "thinking": mode}})
    assert [note.removeprefix("toy_th: ").partition(":")[0] for note in found] == said


LIMITED = {"model": "hf", "gen_kwargs": {"max_gen_toks": 24}}
SERVER = {"model": "chat-api", "model_args": {"model": "m"}}
READ, NOT_READ, IN_THOUGHT = {"null_rate": 0.0}, {"null_rate": 1.0}, {"null_rate": 1.0, "cut_rate": 1.0}
HARDLY_ANY = "hardly any answer could be read"


@pytest.mark.parametrize(
    ("run", "config", "end", "of_five", "rates", "said"),
    [
        (BASE, {}, "length", 5, READ, "most answers stop at the token limit; is this a chat model?"),
        (BASE, {}, "stop", 5, READ, None),
        (CHAT, {}, "length", 5, READ, None),
        (CHAT, {}, "length", 3, NOT_READ, f"{HARDLY_ANY}, and most stop at the token limit; raise --gen_kwargs max_gen_toks"),
        (CHAT, {}, "length", 2, NOT_READ, f"{HARDLY_ANY}; is this a base model?"),
        (CHAT, {}, "content_filter", 3, NOT_READ, f"{HARDLY_ANY}, and the server ends most with content_filter"),
        (CHAT, {}, "tool_calls", 3, NOT_READ, f"{HARDLY_ANY}, and the server ends most with tool_calls"),
        (CHAT, {}, "tool_calls", 2, NOT_READ, f"{HARDLY_ANY}; is this a base model?"),
        (BASE, SERVER, "stop", 5, NOT_READ, f"{HARDLY_ANY}; the samples show what the model answers"),
        (CHAT, {}, "length", 5, IN_THOUGHT, "thoughts do not end; raise --thinking_tokens"),
        (CHAT, LIMITED, "length", 5, IN_THOUGHT, "thoughts do not end; raise --gen_kwargs max_gen_toks"),
        (CHAT, {}, "stop", 5, IN_THOUGHT, "the model stops within its thought; does the server, or the model,"),
    ],
)
def test_advice_follows_how_answers_ended_and_names_a_flag_that_the_run_takes(tmp_path, run, config, end, of_five, rates, said):
    ends, state = [end] * of_five + ["stop"] * (5 - of_five), "cut" if rates.get("cut_rate") else "no thought"
    planted = task(score=0.0, **({"cut_rate": 0.0} | rates)) | {"rows": ended(ends, state)}
    found = notes(tmp_path, {"toy_th": planted}, **run | {"config": config})
    advice = [note.removeprefix("toy_th: ") for note in found if "not read" not in note]
    assert [note[: len(said)] for note in advice] == [said] if said else not advice


def test_the_report_says_the_same_with_the_worst_first(tmp_path):
    """Its first page has three tasks and the advice, its table all tasks and the bounds."""
    tasks = {f"toy_{n}": task(null_rate=n / 10, cut_rate=n / 10) for n in range(1, 6)}
    in_terminal = notes(tmp_path, tasks, **CHAT)
    scores = scores_of(read(tmp_path).best(), suite=NO_SUITE)
    made = sections(scores)
    page = html.unescape(render_pages(scores, made, {})["report.html"])
    tables = {table.name: table.frame for section in made for table in section.tables}
    notices = re.findall('<p class="notice">(.*?)</p>', page)
    advice = "thoughts do not end; where their finish_reason is length, raise --thinking_tokens"
    assert any(note.endswith(advice) for note in in_terminal)
    assert any(line.endswith(advice) and "org/model on toy_1" in line for line in tables["warnings"].warning)
    assert [notice.split(":")[0] for notice in notices[:3]] == ["org/model, toy_5", "org/model, toy_4", "org/model, toy_3"]
    assert all(notice.removeprefix("org/model, ") in in_terminal for notice in notices[:3])
    assert notices[3].startswith("2 more scores") and notices[4].endswith(advice)
    lost = tables["answers"]
    assert lost.task.tolist() == ["toy_5", "toy_4", "toy_3", "toy_2", "toy_1"]
    assert lost.all_right.tolist() == pytest.approx([91, 81, 71, 61, 51])
    assert lost.completed.tolist() == pytest.approx([82, 100 * 41 / 60, 100 * 41 / 70, 51.25, 100 * 41 / 90])


def test_a_share_of_answers_that_were_not_read_is_no_skill(tmp_path):
    """A judged task has no other score before its judge; the first page of a report on it alone still says what was lost."""
    write_run(tmp_path, {"judged": {"scores": {"null_rate,none": 0.9}, "metadata": {"headline_metric": "null_rate"}}})
    scores = scores_of(read(tmp_path).best(), suite=NO_SUITE)
    [record] = records_of(read(tmp_path).best())
    assert record["score"] == pytest.approx(90) and record["normalised"] is None
    made = sections(scores)
    wide = next(table for table in made[0].tables if table.name == "scores_by_model")
    [(_, cells)] = wide.cells()
    assert cells[-1].text.startswith("90.0") and cells[-1].shade is None
    assert "not read 90.0 %" in render_pages(scores, made, {})["report.html"]


def test_models_that_do_not_record_cut_answers_are_noted(tmp_path):
    """Only of chat tasks: SEA-HELM reads cut answers like all others."""
    for model, why in (("a", "length"), ("b", None), ("c", "stop")):
        answers = {"rows": ended([why] * 4)}
        kinds = {"toy_th": CHOICE, SENTIMENT: SEA_HELM}
        tasks = {name: task(kind, null_rate=0.0, cut_rate=0.0) | answers for name, kind in kinds.items()}
        write_run(tmp_path / model, tasks, model=model)
    said = "Models differ in whether their results record which answers the token limit cut (toy_th)"
    for folders, differ in (("abc", True), ("ab", True), ("ac", False), ("b", False)):
        runs = read(*(tmp_path / name for name in folders)).best()
        assert (said in " ".join(table_of(runs).split())) == differ
        on_first_page = overview_section(scores_of(runs, suite=NO_SUITE), None, steps=False).after
        assert any(line.startswith(said) for line in on_first_page) == differ
