"""Tasks for a user's own rows: what docs/own_data.md says, done in a folder; other kinds, other sources, and mistakes."""

import re
import shutil
import unicodedata
import warnings

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_sea.catalogue.kinds import ADDED_FIELDS
from lm_eval_sea.commands.cli import main
from lm_eval_sea.sweep.preflight import versions_of
from lm_eval_sea.tasks._shared.columns import LETTERS, ColumnRows
from tests.conftest import ROOT
from tests.model_folder import model_folder
from tests.official.conftest import replace
from tests.results.lm_eval_output import NEW, write_results
from tests.robustness.conftest import contents
from tests.tasks.evaluation import write_json_lines

FILE_ON_PAGE = re.compile(r"^`(chiangmai/[\w./]+)`.*?^```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHARED = {"title": "Own", "version": 1.0, "task": "sa", "source": ".", "files": {"test": "rows.jsonl"}, "chance": 0.5}
FREE = {"max_new_tokens": {"th": 5, "en": 5}, "chance": 0}
# Kind → the keys of its `data_set.yml` besides the shared ones.
KINDS = {
    "mcq": {"fields": ["text"], "columns": {"text": "q", "options": ["a", "b"], "gold": "answer"}},
    "classification": {"fields": ["text"], "columns": {"text": "comment", "label": "sentiment"}, "labels": ["neg", "pos"]},
    "qa": {"fields": ["text"], "columns": {"text": "q", "answers": "a"}, **FREE},
    "short_answer": {"fields": ["text"], "columns": {"text": "q", "answers": "a", "votes": "votes"}, **FREE},
    "number": {"fields": ["text"], "columns": {"text": "q", "solution": "a"}, **FREE},
    "summarization": {"fields": ["document"], "columns": {"document": "q", "summary": "a"}, **FREE},
    "translation": {"fields": ["english", "translation"], "columns": {"english": "q", "translation": "a"}, **FREE},
}
LISTED = {"columns": {"text": "q", "options": "o", "gold": "a"}}  # multiple choice with a list of options in a column
PROMPT = {"version": 1, "instruction": "ตอบ", "row": "ข้อความ: {text}", "cue": "คำตอบ:"}
REVIEWS = [{"comment": "แย่", "sentiment": "neg"}, {"comment": "ดี", "sentiment": "pos"}]


def plant(folder, kind, rows=(), prompt=None, **record):
    """A data set of a kind in Thai; keys of its prompt and of its record may be others."""
    (folder / "prompts").mkdir(parents=True)
    whole = SHARED | {"kind": kind, "languages": {"th": {"rows": len(rows) or 2}}} | KINDS[kind] | record
    (folder / "data_set.yml").write_text(yaml.safe_dump(whole, allow_unicode=True), encoding="utf-8")
    labels = {"labels": {"neg": "ลบ", "pos": "บวก"}} if kind == "classification" else {}
    words = yaml.safe_dump(PROMPT | labels | (prompt or {}), allow_unicode=True)
    (folder / "prompts" / "th.yml").write_text(words, encoding="utf-8")
    write_json_lines(folder / "rows.jsonl", rows)


def plant_on_hub(tmp_path, monkeypatch, rows, **splits):
    """Questions of a repository of the hub that is a folder here, published split → texts, and their tasks."""
    plant(tmp_path / "own", "qa", source="me/asked", files={}, config="default", splits=splits)
    for name, texts in rows.items():
        write_json_lines(tmp_path / "me/asked" / f"{name}.jsonl", [{"q": text, "a": "เขา"} for text in texts])
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "own")


def make(folder, *wanted):
    assert main(["make", str(folder), *wanted]) == 0


def refusal(capsys, folder):
    """The line with which `make` refuses a folder."""
    assert main(["make", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def run(tmp_path, folder, task, *more):
    """`lm-eval-sea run` with a model without weights, which no refused run notices."""
    model = ["--model", "hf", "--model_args", f"pretrained={model_folder(tmp_path / 'model')}", "--device", "cpu"]
    return main(["run", *model, "--include_path", str(folder), "--tasks", task, *more])


def evaluate(folder, tasks):
    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata={"tokenizer": "none"})
    return simple_evaluate(model="dummy", tasks=tasks, task_manager=manager, bootstrap_iters=0)


def samples_of(folder, task):
    return evaluate(folder, [task])["samples"][task]


def load(folder, task):
    return TaskManager(include_path=str(folder), include_defaults=False).load([task])["tasks"][task]


@pytest.fixture
def chiangmai(tmp_path):
    for name, text in FILE_ON_PAGE.findall((ROOT / "docs/own_data.md").read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "chiangmai"


def test_the_page_leads_to_a_score(chiangmai, tmp_path, monkeypatch):
    make(chiangmai)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        results = evaluate(chiangmai, ["sea_chiangmai_th_litilo_ppl"])
    assert results["n-samples"]["sea_chiangmai_th_litilo_ppl"]["original"] == 3
    samples = results["samples"]["sea_chiangmai_th_litilo_ppl"]
    assert {sample["doc"]["question"]: sample["doc"]["gold"] for sample in samples} == {
        "ดอยสุเทพอยู่ในจังหวัดใด": 0,
        "แม่น้ำใดไหลผ่านตัวเมืองเชียงใหม่": 2,
        "เมืองเชียงใหม่ก่อตั้งในรัชสมัยของใคร": 1,
    }
    known = results["configs"]["sea_chiangmai_th_litilo_ppl"]["metadata"]["provenance"]
    assert (known["rows"], known["chance"], known["headline_metric"], known["task"]) == (3, 0.25, "acc_ppl", "culture")


# kind → what is known of a sound row, what its last field may not be, and what is said of that
UNSCORED = {
    "number": ({"a": " ๒.50 "}, ["1,250", "½", "NaN"], "; expected a number, such as 1250 or 0.5"),
    "short_answer": (
        {"a": ["เขา", "เธอ"], "votes": [3, 1]}, [[3], [3, 1, 1], [3, 0], [3, 1.5], [3, None], ["3", "1"], 3],
        "expected a list with the votes of each of 2 answers, 1 or more",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNSCORED)
def test_a_row_whose_answer_cannot_be_scored_is_refused_before_the_model_answers(tmp_path, capsys, kind):
    known, wrong, line = UNSCORED[kind]
    sound, column = {"q": "กี่คน"} | known, [*known][-1]
    plant(tmp_path / "own", kind, [sound, sound | {"q": "อีก"}])
    make(tmp_path / "own")
    assert capsys.readouterr().err == ""
    assert evaluate(tmp_path / "own", ["sea_own_th"])["n-samples"]["sea_own_th"]["original"] == 2
    for answer in wrong:
        write_json_lines(tmp_path / "own/rows.jsonl", [sound, sound | {"q": "อีก", column: answer}])
        make(tmp_path / "own")
        assert "rows.jsonl, row 1: field" in (said := capsys.readouterr().err) and line in said
        with pytest.raises(ValueError, match=re.escape(line)):
            evaluate(tmp_path / "own", ["sea_own_th"])


COMPOSED, IN_PARTS = (unicodedata.normalize(form, "tích cực") for form in ("NFC", "NFD"))  # which look the same
NAMES = ["ลำปาง", "AB", *"ABEbคจ0134๓๕", COMPOSED, IN_PARTS]


@settings(max_examples=250)
@given(st.lists(st.sampled_from(NAMES), min_size=4, max_size=4), st.integers(0, 2), st.data())
def test_an_answer_names_one_option_or_is_refused(options, empty, data):
    """By its text, its letter, the Latin letter or its number, from 0 where the letters are no digits; nothing is guessed."""
    letters = data.draw(st.sampled_from([LETTERS, "กขคง", "12345", "๑๒๓๔"]))
    typed = [unicodedata.normalize(form, text) for form in ("NFC", "NFD") for text in options]
    answer = data.draw(st.sampled_from([*typed, *NAMES, *range(6)]))
    columns, count = {"question": "q", "options": [*"abcd"], "gold": "answer"}, 4 - empty  # nothing behind the last option
    row = {"q": "?", **dict(zip("abcd", [*options[:count], "", ""], strict=False)), "answer": answer}

    def names(place):
        number = int(letters[place]) if letters.isdecimal() else place
        in_letters = str(answer) in (letters[place], "ABCD"[place], "abcd"[place])
        same = unicodedata.normalize("NFC", str(answer)) == unicodedata.normalize("NFC", options[place])
        return same or in_letters or (str(answer).isdecimal() and int(answer) == number)

    meant = [place for place in range(count) if names(place)]
    if len(meant) == 1:
        made = ColumnRows(columns, letters)({})(row)
        assert (made["gold"], made["letters"], made["options"]) == (meant[0], [*letters[:count]], options[:count])
        return
    own, latin = (f"{of[0]} to {of[count - 1]}" for of in (letters, LETTERS))
    unknown = f"{own}, or {latin}$" if letters.isdecimal() else f"{own}, (?:{latin}, )?or 0 to {count - 1}$"
    several = " or ".join(letters[place] for place in meant)
    with pytest.raises(ValueError, match=f"may be {several}; " if meant else f"option, {unknown}"):
        ColumnRows(columns, letters)({})(row)


def test_exemplars_and_rows_have_the_letters_of_the_data_set(tmp_path):
    """Up to those that there are: 26 of the Latin ones."""
    for letters, count in (("กขคง", 4), (LETTERS, 26)):
        folder = tmp_path / f"own{count}"
        options = [f"ที่ {place}" for place in range(count)]
        record = LISTED | ({"letters": {"th": letters}} if count == 4 else {})
        exemplars = [{"text": f"ตัวอย่าง {number}", "options": options, "gold": number % count} for number in range(5)]
        rows = [{"q": "ข้อ 1", "o": options, "a": letters[2]}, {"q": "ข้อ 2", "o": options[:3], "a": "C"}]
        plant(folder, "mcq", rows, {"exemplars": exemplars}, **record)
        make(folder)
        name = f"sea_{folder.name}_th_litilo_ppl"
        for sample in samples_of(folder, name):
            shown = re.findall(r"^(.)\. ที่ (\d+)$", sample["arguments"][0][0], re.MULTILINE)
            assert {(letter, int(place)) for letter, place in shown} == {(letters[place], place) for place in range(count)}
            answers = [continuation.strip() for _, continuation in sample["arguments"]][: len(sample["doc"]["options"])]
            assert answers == list(letters[: len(sample["doc"]["options"])]) and sample["doc"]["gold"] == 2
        too_many = [{**exemplars[0], "options": [*options, "อีกข้อ"]}, *exemplars[1:]]
        plant(tmp_path / "more" / folder.name, "mcq", prompt={"exemplars": too_many}, **record)
        assert main(["make", str(tmp_path / "more" / folder.name)]) == 2
        with pytest.raises(ValueError, match=f"field 'options' has {count + 1}; there are {count} letters, {letters}"):
            ColumnRows(record["columns"], letters)({})({"q": "?", "o": too_many[0]["options"], "a": "A"})


NAN = float("nan")  # which pandas writes where there is nothing


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": NAN}, "column 'question' has nan; expected text"),
        ({"question": True}, "column 'question' has True; expected text"),
        *(
            ({"options": ["a", nothing, "c"]}, "field 'options' has an empty option at position 2; expected text")
            for nothing in (NAN, "")  # C is not the second option that is left
        ),
        ({"options": ["a", {"text": "b"}]}, "field 'options' has {'text': 'b'}; expected text"),
        ({"options": [True, False]}, "field 'options' has True; expected text"),
        ({"options": "AB"}, "is the text 'AB'; expected a list, or in data_set.yml a column for each option"),
        ({"options": ["", ""], "gold": ""}, "field 'options' has 0; expected two or more"),
        ({"gold": NAN}, "column 'gold' has nan; expected text"),
        ({"answers": NAN}, "column 'answers' has nan; expected text"),
        ({"answers": ["a", NAN]}, "field 'answers' has nan; expected text"),
        ({"answers": ["a", ["b"]]}, "field 'answers' has ['b']; expected text"),
        ({"answers": '["x"]'}, "field 'answers' is the text '[\"x\"]'; expected one answer, or a list in a file of JSON"),
        ({"answers": "['x', 'y']"}, "expected one answer, or a list in a file of JSON"),
        ({"answers": "[ ]"}, "expected one answer, or a list in a file of JSON"),
    ],
)
def test_a_cell_that_is_not_text_is_refused(row, said):
    fields = {"question", "options", "gold"} if "answers" not in row else {"question", "answers"}
    read = ColumnRows({field: field for field in fields})({})
    with pytest.raises(ValueError, match=re.escape(said)):
        read({"question": "?", "options": ["a", "b"], "gold": "A"} | row)


def test_nothing_behind_the_last_option_and_brackets_in_an_answer_are_read():
    read = ColumnRows({"question": "question", "options": ["a", "b", "c"], "gold": "gold"})({})
    assert read({"question": 7, "a": 1.5, "b": "x", "c": NAN, "gold": "A"})["options"] == ["1.5", "x"]
    read = ColumnRows({"question": "question", "answers": "answers"})({})
    for answer in ("[citation needed]", "[1]", '"x"'):
        assert read({"question": "?", "answers": answer})["answers"] == [answer]


PLACES, NUMERALS = [f"ที่ {place}" for place in range(4)], ["10", "11", "12", "13"]
GIVEN = st.lists(st.sampled_from([*range(6), 10, 11, "1", "4", "B", "ที่ 1", "ก"]), min_size=1, max_size=6)


def asked(answers, options):
    """Questions with these options and right answers."""
    return [{"q": f"ข้อ {number}", "o": options, "a": answer} for number, answer in enumerate(answers)]


@settings(max_examples=200)
@given(GIVEN, st.integers(1, 6), st.sampled_from([PLACES, NUMERALS]), st.integers(2, 4))
def test_answers_counted_from_1_are_told_from_typing_errors(given, times, texts, count):
    """Where a row is at fault. Where none is, they are doubted if such rows would come in fewer than one of a hundred sets."""
    options, columns = texts[:count], ColumnRows(LISTED["columns"])
    rows = asked(given * times, options)
    numbers = [int(row["a"]) for row in rows if str(row["a"]).isdecimal() and str(row["a"]) not in options]
    doubted = bool(numbers) and 0 not in numbers and (1 - 1 / count) ** len(numbers) < 0.01
    said = f"none of the {len(numbers)} right answers that are numbers is 0" if doubted else "^$"
    assert re.match(said, columns.doubt(rows))
    from_1 = count in numbers and all(1 <= number <= count for number in numbers)
    for row in rows:
        if str(row["a"]) in (*options, *"ABCD"[:count], *map(str, range(count))):
            assert columns({"test": rows})(row)
        else:
            said = f"of {count} options.* count from 1, .*; subtract 1 from each, or give letters"
            with pytest.raises(ValueError, match=said if from_1 else f"; expected an option, .*, or 0 to {count - 1}$"):
                columns({"test": rows})(row)


def test_answers_counted_from_1_are_noted_once(tmp_path, caplog):
    plant(tmp_path / "own", "mcq", asked([1, 2, 3] * 5 + [1, 2], PLACES), **LISTED)
    make(tmp_path / "own", "sea_own_th_litilo_*")
    evaluate(tmp_path / "own", ["sea_own_th_litilo_ppl", "sea_own_th_litilo_gen"])
    (line,) = [line for line in caplog.messages if "count from 1" in line]
    assert "own/rows.jsonl: none of the 17 right answers" in line
    write_json_lines(tmp_path / "own/rows.jsonl", asked([1, 3, 4, 2], PLACES))
    with pytest.raises(ValueError, match=r"row 2: .*'4' of 4 options.* count from 1, "):
        evaluate(tmp_path / "own", ["sea_own_th_litilo_ppl"])


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        ("xnli", {}, "no name of the pack"),
        ("XNLI", {}, "no name of the pack"),
        ("my-rows", {}, "letters and digits"),
        ("own", {"source": "rows"}, "languages: th: 'source' is 'rows'; expected OWNER/NAME of the hub, or a folder such as ./"),
        (
            "own",
            {"source": "https://huggingface.co/datasets/me/rows"},
            "co/datasets/me/rows'; expected OWNER/NAME of the hub, or ",
        ),
        ("own", {"files": {"test": "rows.xlsx"}}, "th: 'files' names 'rows.xlsx'; expected a file whose name ends in .json"),
        (
            "own",
            {"source": "me/rows", "files": {"test": "rows.parquet"}},
            ".tsv; name other files of the hub by config and splits",
        ),
        ("own", {"files": {"test": ["rows.csv", "rows.txt"]}}, "languages: th: 'files' names 'rows.txt'; "),
        ("own", {"files": {"test": "rows.jsonl", "train": "more.jsonl"}}, "th: 'files' has 'train', which no task reads; "),
        ("own", {"second_turns": True}, "data_set.yml: 'second_turns' is only for the pack's own data sets; leave it out"),
        ("own", {"rows_as": "xnli"}, "data_set.yml: 'rows_as' is only for the pack's own data sets; "),
        ("own", {"languages": {"th": {"rows": 2, "process_asis": "a"}}}, "'process_asis' is only for the pack's own data sets; "),
        ("own", {"process": "rows"}, "data_set.yml: languages: th: 'process' is 'rows', and "),
        ("own", {"fields": ["answer"]}, ": 'fields' has 'answer', which a run writes into each row; choose another name"),
        ("own", {"languages": {"th_TH": {"rows": 2}}}, ": 'languages' has 'th_TH'; expected a code such as th or zh-TW"),
        ("variant", {"languages": {"th": {"rows": 2}, "vi": {"rows": 2, "prompts_in": "th"}}}, "variant_litilo_gen is a name"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, capsys, name, change, line):
    plant(tmp_path / name, "mcq", **change)
    said = refusal(capsys, tmp_path / name)
    assert said.startswith(f"lm-eval-sea: {tmp_path / name}") and line in said


@pytest.mark.parametrize("code", ["import not_there", "def other(row): return row", "def rows(row:"])
def test_a_missing_or_broken_function_for_rows_is_named(tmp_path, capsys, code):
    """Even where the rows are not on this machine, so that nothing has called it yet."""
    plant(tmp_path / "own", "mcq", process="rows", source="me/elsewhere")
    (tmp_path / "own" / "utils.py").write_text(code, encoding="utf-8")
    said = refusal(capsys, tmp_path / "own")
    assert "languages: th: 'process' is 'rows'; " in said and "own/utils.py does not give it (" in said


def test_the_other_wordings_of_an_instruction_make_tasks(tmp_path):
    """Of the plain tasks; all else in the prompt is the same, exemplars too."""
    exemplars = [{"text": f"ใคร {number}", "answers": ["เขา"]} for number in range(5)]
    prompt = {"paraphrases": ["ตอบที", "จงตอบ"], "chat": CHAT, "exemplars": exemplars}
    plant(tmp_path / "own", "qa", [{"q": "ไหน", "a": "บ้าน"}], prompt)
    make(tmp_path / "own")
    names = ["sea_own_th", "sea_own_th_p2", "sea_own_th_p3"]
    assert {path.stem for path in (tmp_path / "own").glob("*.yaml")} == {*names, "sea_own_th_chat"}
    samples = evaluate(tmp_path / "own", names)["samples"]
    begins = [samples[name][0]["arguments"][0][0].split("\n\n", 1) for name in names]
    assert [instruction for instruction, _ in begins] == ["ตอบ", "ตอบที", "จงตอบ"]
    assert len({rest for _, rest in begins}) == 1 and "ใคร 2" in begins[0][1]


def test_a_run_adds_only_reserved_columns_to_rows(tmp_path):
    """Any other column could replace one of the user's."""
    for kind, fields in KINDS.items():
        folder = tmp_path / f"own{kind.replace('_', '')}"
        prompt = {"chat": CHAT, "row": " ".join(f"{{{name}}}" for name in fields["fields"])}
        if kind == "translation":
            prompt |= {"tasks": {"en_th": {"row": "{english}"}, "th_en": {"row": "{translation}"}}}
        row = {"q": "ไหน", "a": "7" if kind == "number" else "บ้าน", "b": "เรือน"}
        row |= {"answer": "A", "comment": "ดี", "sentiment": "pos"}
        plant(folder, kind, [row] if kind != "short_answer" else [row | {"a": ["บ้าน"], "votes": [1]}], prompt)
        make(folder)
        names = sorted(path.stem for path in folder.glob("*.yaml") if "\ngroup: " not in path.read_text(encoding="utf-8"))
        for samples in evaluate(folder, names)["samples"].values():
            known = {"id", "cluster", *KINDS[kind]["columns"], "gold"} - {"label"}
            assert samples[0]["doc"].keys() - known <= {*ADDED_FIELDS}


CHAT = {"version": 1, "instruction": "ตอบ"}


@pytest.mark.parametrize(
    ("kind", "change", "line"),
    [
        ("mcq", {"row": "ข้อความ: {text} {options}"}, "'row' shows {options}, which a prompt must not show; expected "),
        ("mcq", {"row": "ข้อความ: {text} {gold}"}, "'row' shows {gold}, which a prompt must not show"),
        ("mcq", {"row": "ข้อความ: {text} {"}, "'row' ends in '{', which begins code; write something after it, "),
        ("classification", {"row": "ข้อความ: {text} {label}"}, "'row' shows {label}, which a prompt must not show; expected text"),
        ("qa", {"row": "ข้อความ: {text}\nเฉลย: {answers}"}, "'row' shows {answers}, which a prompt must not show"),
        ("number", {"row": "ข้อความ: {text} = {solution}"}, "'row' shows {solution}, which a prompt must not show"),
        ("summarization", {"row": "ข่าว: {document}\n{summary}"}, "'row' shows {summary}, which a prompt must not show"),
        ("translation", {"row": "{english}\n{translation}"}, "en_th: 'row' shows {translation}, which a prompt must not show"),
        ("mcq", {"labels": {"neg": "ลบ"}}, "'labels' has no effect on these tasks of kind 'mcq'; leave it out"),
        ("qa", {"tasks": {"th": {"cue": "ตอบ:"}}}, "'tasks' has no effect on these tasks of kind 'qa'"),
        ("qa", {"questions": {"why": "ทำไม"}}, "'questions' has no effect on these tasks of kind 'qa'"),
        ("qa", {"format": "ตอบว่า ANSWER"}, "'format' has no effect on these tasks of kind 'qa'"),
        ("qa", {"instruction": "ตอบ {text}"}, "'instruction' has {text}; only 'row' shows fields"),
        ("qa", {"cue": "{text} ="}, "'cue' has {text}; only 'row' shows fields"),
        ("qa", {"chat": CHAT | {"instruction": "ตอบ {text}"}}, "'chat: instruction' has {text}; only 'row' shows fields"),
        ("classification", {"labels": {"neg": "{{ลบ}}", "pos": "บวก"}}, "'labels' has '{{', which begins code"),
        *(
            ("classification", {"chat": CHAT, "labels": {"neg": word, "pos": "no"}}, f"labels: {word!r} {said}")
            for word, said in {
                "No": "and another word differ only in capitals, which answers may change",
                "<think>": "cannot be read from a chat model's answer; expected words",
                "😀": "cannot be read from a chat model's answer; expected words",
            }.items()
        ),
    ],
)
def test_a_misleading_prompt_is_refused(tmp_path, capsys, kind, change, line):
    """Because it shows the answer, shows a field's name and not its text, runs into code, or has labels that none can name."""
    plant(tmp_path / "own", kind, (), {"tasks": dict.fromkeys(("en_th", "th_en"), change)} if kind == "translation" else change)
    said = refusal(capsys, tmp_path / "own")
    assert line in said and "own/prompts/th.yml: " in said


def test_unused_prompt_files_and_exemplars_are_noted(tmp_path, capsys):
    exemplars = {"exemplars": [{"text": "ใคร", "answers": ["เขา"]}] * 5}
    plant(tmp_path / "own", "qa", (), exemplars)
    shutil.copy(tmp_path / "own/prompts/th.yml", tmp_path / "own/prompts/en.yml")
    said = refusal(capsys, tmp_path / "own")
    assert "own/prompts/en.yml: 'exemplars' has no effect; tasks show those of the rows, " in said
    (tmp_path / "own/prompts/en.yml").rename(tmp_path / "own/prompts/vi.yml")
    make(tmp_path / "own")
    assert "own/prompts/vi.yml: makes no task; no language of data_set.yml has its prompts there" in capsys.readouterr().err
    splits = {"source": "me/asked", "files": {}, "config": "x", "splits": {"test": "test", "examples": "validation"}}
    plant(tmp_path / "more/own", "qa", (), exemplars, **splits)
    assert "own/prompts/th.yml: 'exemplars' has no effect; " in refusal(capsys, tmp_path / "more/own")


def test_labels_that_differ_in_capitals_are_ranked(tmp_path):
    """Where nothing is read."""
    plant(tmp_path / "own", "classification", REVIEWS, {"labels": {"neg": "No", "pos": "NO"}})
    make(tmp_path / "own")
    (sample, *_) = samples_of(tmp_path / "own", "sea_own_th")
    assert [answer for _, answer in sample["arguments"][:2]] == [" No", " NO"]


def test_a_passage_whose_question_has_another_name(tmp_path):
    record = {"fields": ["passage", "asked"], "columns": {"passage": "p", "asked": "q", "answers": "a"}}
    rows = [{"p": "เขาไปบ้าน", "q": "ใคร", "a": "เขา"}]
    plant(tmp_path / "own", "qa", rows, {"row": "{passage}\nถาม: {asked}", "chat": CHAT}, **record)
    make(tmp_path / "own")
    task = load(tmp_path / "own", "sea_own_th_chat")
    assert task.process_results(dict(task.test_docs()[0]), ["คำตอบ: เขา"])["exact_match"] == 1


def test_questions_that_choose_a_sentence_are_no_content(tmp_path, capsys):
    """Calibration would look for a sentence for N/A."""
    record = {"fields": ["text", "question"], "columns": KINDS["mcq"]["columns"] | {"question": "k"}}
    prompt = {"row": "{text}\n{question}", "questions": {"why": "ทำไม"}}
    rows = [{"q": "ฝนตก", "k": "why", "a": "ก", "b": "ข", "answer": "A"}]
    plant(tmp_path / "own", "mcq", rows, prompt, **record)
    said = refusal(capsys, tmp_path / "own")
    assert "'questions' has sentences for {question}; data_set.yml needs content_fields: [text]" in said
    plant(tmp_path / "more/own", "mcq", rows, prompt, content_fields=["text"], **record)
    make(tmp_path / "more/own")
    assert samples_of(tmp_path / "more/own", "sea_own_th_litilo_ppl")


def test_white_space_around_sentences_and_lines_without_words(tmp_path):
    """Sentences may be blocks of YAML, which end in a line break. A row of a field alone does not end answers at line breaks."""
    prompt = {"instruction": "ตอบ\n", "row": "{text}\n", "cue": "คำตอบ: "}
    plant(tmp_path / "own", "qa", [{"q": "ใคร", "a": "เขา"}], prompt)
    make(tmp_path / "own")
    (sample, *_) = samples_of(tmp_path / "own", "sea_own_th")
    shown, settings = sample["arguments"][0]
    assert (shown, settings["until"]) == ("ตอบ\n\nใคร\nคำตอบ:", ["\nคำตอบ:"])


def test_published_exemplars_are_shown(tmp_path, monkeypatch):
    rows = {"test": ["ใคร"], "validation": ["หนึ่ง", "สอง", "สาม", "สี่"]}
    plant_on_hub(tmp_path, monkeypatch, rows, test="test", examples="validation")
    (sample,) = samples_of(tmp_path / "own", "sea_own_th")
    assert re.findall("ข้อความ: (.*)", sample["arguments"][0][0]) == ["หนึ่ง", "สอง", "สาม", "ใคร"]


def test_published_exemplars_that_are_not_there_are_said(tmp_path, monkeypatch, capsys):
    rows = dict.fromkeys(("test", "validation"), ["ใคร"])
    plant_on_hub(tmp_path, monkeypatch, rows, test="test", examples="validatoin")
    line = "me/asked default/test: there is no split 'validatoin'; there is "
    assert line in capsys.readouterr().err
    with pytest.raises(ValueError, match=line):
        evaluate(tmp_path / "own", ["sea_own_th"])


def test_fewer_published_exemplars_than_a_prompt_has_are_said_before_the_model_is_loaded(tmp_path, monkeypatch, capsys):
    rows = {name: [f"{name} {row}" for row in range(2)] for name in ("test", "validation")}
    plant_on_hub(tmp_path, monkeypatch, rows, test="test", examples="validation")
    assert run(tmp_path, tmp_path / "own", "sea_own_th") == 2
    assert "sea_own_th shows 3 exemplars, but its rows come with 2; add the missing ones, " in capsys.readouterr().err


def test_more_exemplars_than_none_are_refused(tmp_path, capsys):
    """lm-eval shows none, and its log alone says so."""
    plant(tmp_path / "own", "classification", REVIEWS)
    make(tmp_path / "own")
    assert run(tmp_path, tmp_path / "own", "sea_own_th", "--num_fewshot", "3") == 2
    assert "--num_fewshot 3: sea_own_th has no exemplars; add some to its prompt file, or " in capsys.readouterr().err


def test_two_languages_with_the_same_rows_and_one_that_the_pack_does_not_know_are_said(tmp_path, capsys):
    languages = {language: {"rows": 2, "prompts_in": "th"} for language in ("th", "thai")}
    plant(tmp_path / "own", "classification", REVIEWS, languages=languages)
    make(tmp_path / "own")
    assert capsys.readouterr().err.splitlines() == [
        "note: 'thai' is no language of the pack; did you mean th?; answers are split into words at spaces",
        f"note: {tmp_path}/own/rows.jsonl: th and thai have the same rows; expected other rows for each language",
    ]


def test_rows_that_share_a_passage_without_saying_so(tmp_path, capsys):
    """A form of question that all rows have is no passage."""
    passage = "แม่น้ำปิงไหลผ่านตัวเมืองเชียงใหม่จากเหนือลงใต้ "
    fields = {"fields": ["passage", "text"], "columns": {"passage": "p", "text": "q", "answers": "a"}}
    prompt = {"row": "{passage}\n{text}"}
    rows = [{"p": f"{passage}{row // 2}", "q": f"ข้อใด {row}", "a": "ปิง"} for row in range(6)]
    line = f"{tmp_path}/own/rows.jsonl: 6 rows share their 'passage' with others; say which belong together, with a column for "
    with_cluster = fields | {"columns": fields["columns"] | {"cluster": "p"}}
    for planted, record, is_said in (
        (rows, fields, True),
        (rows, with_cluster, False),
        ([row | {"p": passage} for row in rows], fields, False),
    ):
        plant(tmp_path / "own", "qa", planted, prompt, **record)
        make(tmp_path / "own")
        said = capsys.readouterr().err
        assert line in said if is_said else said == ""
        shutil.rmtree(tmp_path / "own")


def test_right_answers_typed_in_one_character_or_two(tmp_path, capsys):
    """é and e with an accent look the same."""
    options = [COMPOSED, "tiêu cực"]
    rows = [{"comment": text, "sentiment": text} for text in (COMPOSED, IN_PARTS, options[1])]
    plant(tmp_path / "own", "classification", rows, labels={"neg": [options[1]], "pos": [options[0]]})
    make(tmp_path / "own")
    assert [sample["doc"]["gold"] for sample in samples_of(tmp_path / "own", "sea_own_th")] == [1, 1, 0]


@pytest.mark.parametrize("letters", ["๑๒๓", "①②③", "ⅠⅡⅢ", "កខគ", "Aกข"])
def test_letters_and_digits_of_any_script_are_read(tmp_path, letters):
    options = ["ลำปาง", "น่าน", "แพร่"]
    rows = [{"q": "ที่ไหน", "o": options, "a": text} for text in options]
    plant(tmp_path / "own", "mcq", rows, letters={"th": letters}, **LISTED)
    make(tmp_path / "own")
    task = load(tmp_path / "own", "sea_own_th_litilo_gen")
    for row, letter in zip(task.test_docs(), letters, strict=True):
        for answer in (f" {letter}", f" {letter}. {options[row['gold']]}\n"):
            assert task.process_results(dict(row), [answer])["exact_match"] == 1.0


def plant_reviews(folder):
    """Two languages of a classification, of which English is a second prompt of the first."""
    plant(folder, "classification", REVIEWS, languages={"th": {"rows": 2}, "lo": {"rows": 2}})
    for name in ("en", "lo"):
        shutil.copy(folder / "prompts" / "th.yml", folder / "prompts" / f"{name}.yml")
    make(folder)


CHANGES = {
    "labels in another order": (lambda own: reorder_labels(own), "data_set.yml has changed"),
    "a language less": (lambda own: replace(own / "data_set.yml", "  lo:\n    rows: 2\n", ""), "data_set.yml has changed"),
    "another instruction": (lambda own: replace(own / "prompts/th.yml", "ตอบ", "จงตอบ"), "prompts/th.yml has changed"),
    "no prompt": (lambda own: (own / "prompts/th.yml").unlink(), "prompts/th.yml is missing"),
    "no data set": (lambda own: (own / "data_set.yml").unlink(), "data_set.yml is missing"),
    "another place": (lambda own: own.rename(own.with_name("reviews2")), "data_set.yml is missing"),
}


def reorder_labels(folder):
    replace(folder / "data_set.yml", "- neg\n- pos", "- pos\n- neg")


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_task_whose_files_have_changed_is_refused(tmp_path, capsys, change, said):
    """By `run` in one line, before there is a model, and by lm-eval; what the change does not concern goes on."""
    folder = tmp_path / "reviews"
    plant_reviews(folder)
    capsys.readouterr()
    change(folder)
    here = next(tmp_path.glob("reviews*"))
    line = rf"{re.escape(str(folder))}/{said}.*run `lm-eval-sea make {re.escape(str(folder))}`"
    assert run(tmp_path, here, "sea_reviews_th") == 2
    first, *advice = capsys.readouterr().err.strip().splitlines()
    assert re.search(line, first) and not any("data fetch" in each for each in advice)
    with pytest.raises(ValueError, match=line):
        load(here, "sea_reviews_th")
    if "th.yml" in said:
        assert evaluate(here, ["sea_reviews_lo"])["results"]
    if "changed" in said:
        make(folder)
        assert evaluate(here, ["sea_reviews_th"])["results"]


def test_a_sweep_does_not_take_results_of_another_prompt_for_complete(tmp_path):
    """Though the version of the prompt file is the same."""
    plant(tmp_path / "own", "qa", [{"q": "ใคร", "a": "เขา"}], {"exemplars": [{"text": "ใคร", "answers": ["เขา"]}] * 5})
    asked = []
    for old, new in (("", ""), ("instruction: ตอบ", "instruction: จงตอบ"), ("answers:\n  - เขา", "answers:\n  - เธอ"), ("", "")):
        replace(tmp_path / "own/prompts/th.yml", old, new)
        make(tmp_path / "own")
        asked.append(versions_of({"own": load(tmp_path / "own", "sea_own_th")})["own"])
    assert asked[2] == asked[3] and asked[0] != asked[1] != asked[2]
    assert len({(each["version"], each["rows"]) for each in asked}) == 1


def test_models_asked_in_other_words_are_noted(tmp_path, capsys):
    """Though the version of the prompt file is the same."""
    plant(tmp_path / "own", "qa", [{"q": "ใคร", "a": "เขา"}])
    for number, (old, new) in enumerate((("", ""), ("", ""), ("instruction: ตอบ", "instruction: จงตอบ"))):
        replace(tmp_path / "own/prompts/th.yml", old, new)
        make(tmp_path / "own")
        made = evaluate(tmp_path / "own", ["sea_own_th"])
        config = {key: made["configs"]["sea_own_th"][key] for key in ("description", "doc_to_text", "metadata")}
        scores = {"sea_own_th": {"exact_match,none": 0.5}}
        write_results(tmp_path / f"m{number}", NEW, scores, model=f"org/m{number}", configs={"sea_own_th": config})
    capsys.readouterr()
    for models, is_said in (("m0", "m1"), False), (("m1", "m2"), True):
        assert main(["show", *(str(tmp_path / model) for model in models)]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert ("Models differ in the words of the prompt: sea_own_th" in said) == is_said


def test_labels_are_scored_in_the_order_of_the_file_that_the_task_was_made_of(tmp_path):
    """Also in a process that has read it before it changed."""
    folder = tmp_path / "reviews"
    plant_reviews(folder)
    for change in (reorder_labels, lambda _: None):
        results = evaluate(folder, ["sea_reviews_th"])
        assert "acc_bc,none" in results["results"]["sea_reviews_th"]
        samples = results["samples"]["sea_reviews_th"]
        shown = {(sample["doc"]["text"], sample["arguments"][sample["doc"]["gold"]][1]) for sample in samples}
        assert shown == {("แย่", " ลบ"), ("ดี", " บวก")}
        change(folder)
        make(folder)


def test_make_removes_the_files_that_it_made_before_and_no_others(tmp_path, capsys):
    folder = tmp_path / "reviews"
    plant_reviews(folder)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert main(["make", "sea_xcopa_vi_to_ppl_p2", "--out", str(copy)]) == 0
    (copy / "mine.yaml").write_text("task: mine\n", encoding="utf-8")
    kept = {"mine.yaml", "sea_xcopa_vi_to_ppl_p2.yaml"}
    make(copy, "sea_copy_th")
    copied = {path.name for path in folder.glob("*.yaml")}
    assert {path.name for path in copy.glob("*.yaml")} == {*kept, *copied, "sea_copy_th.yaml"}
    make(copy)
    assert "files removed, no longer made: sea_reviews.yaml, " in capsys.readouterr().out
    assert {path.name for path in copy.glob("*.yaml")} == kept | {name.replace("reviews", "copy") for name in copied}


def test_check_says_what_make_would_do_and_writes_nothing(tmp_path, capsys):
    folder, out = tmp_path / "reviews", tmp_path / "out"
    plant_reviews(folder)
    name = "sea_xcopa_vi_to_ppl_p2"
    for arguments in ([str(folder)], [name, "--out", str(out)]):
        make(*arguments)
        before = contents(tmp_path)
        assert main(["make", *arguments, "--check"]) == 0
        assert "files agree with their prompts\n" in capsys.readouterr().out
        assert contents(tmp_path) == before
    replace(folder / "prompts/lo.yml", "ตอบ", "จงตอบ")
    (folder / "sea_reviews_th.yaml").rename(folder / "sea_reviews_km.yaml")
    replace(out / f"{name}.yaml", "task: ", "tag: x\ntask: ")
    before = contents(tmp_path)
    assert main(["make", str(folder), "--check"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert {"sea_reviews_km.yaml: this file is no longer made", "sea_reviews_th.yaml: missing"} < set(said)
    assert "sea_reviews_lo.yaml: differs from what its prompts make" in said
    assert main(["make", name, "--out", str(out), "--check"]) == 1
    assert capsys.readouterr().out == f"{name}.yaml: differs from what its prompts make\n"
    assert main(["make", name, "--out", str(tmp_path / "absent"), "--check"]) == 1
    assert capsys.readouterr().out == f"{name}.yaml: missing\n"
    assert contents(tmp_path) == before and not (tmp_path / "absent").exists()


def plant_questions(folder, text, file="rows.csv", prompt=None, **record):
    """Questions with two options in a table."""
    plant(folder, "mcq", (), prompt, **{"files": {"test": file}} | record)
    (folder / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("rows.csv", 'q;a;b;answer\n"x";1;2;A\n', "rows.csv, line 1: semicolons stand between the cells; save it with commas"),
        ("rows.tsv", "q,a,b,answer\nx,1,2,A\n", "rows.tsv, line 1: commas stand between the cells; save it with tabs"),
        ("ROWS.CSV", "q,a,b,answer\nx,1,2,A\ny,1,2,B\n", None),
        ("ROWS.TSV", "q\ta\tb\tanswer\nx\t1\t2\tA\ny\t1\t2\tB\n", None),
        ("ROWS.JSONL", '{"q": "x", "a": 1, "b": 2, "answer": "A"}\n{"q": "y", "a": 1, "b": 2, "answer": "B"}\n', None),
    ],
)
def test_tables_of_other_makes_and_names(tmp_path, capsys, file, text, said):
    plant_questions(tmp_path / "own", text, file)
    make(tmp_path / "own")
    notes = capsys.readouterr().err
    if said is None:
        assert notes == ""
        assert len(samples_of(tmp_path / "own", "sea_own_th_to_ppl")) == 2
        return
    assert notes == f"note: {tmp_path}/own/{said}\n"
    with pytest.raises(ValueError, match=re.escape(said)):
        evaluate(tmp_path / "own", ["sea_own_th_to_ppl"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"files": {"test": "others.csv"}}, "'files' names others.csv, which {0} does not have"),
        ({"source": "./rows"}, "'source' is the folder {0}/rows, which is not there"),
    ],
)
def test_missing_files_and_folders_are_named_with_the_data_set(tmp_path, capsys, change, said):
    """`make` notes it and makes the tasks; `data check` and a run name it, too, without advice to fetch it."""
    folder = tmp_path / "own"
    plant_questions(folder, "q,a,b,answer\n", **change)
    make(folder)
    line = f"{folder}/data_set.yml: {said.format(folder)}"
    assert capsys.readouterr().err == f"note: {line}\n"
    assert main(["data", "check", "--include_path", str(folder)]) == 1
    assert line in capsys.readouterr().out
    assert run(tmp_path, folder, "sea_own_th_to_ppl") == 2
    assert capsys.readouterr().err.splitlines() == [
        f"lm-eval-sea: sea_own_th_to_ppl: {line}",
        "  to leave them out: --skip_missing",
    ]


@pytest.mark.parametrize(
    ("stated", "rights", "said"),
    [
        (0.5, ["ab", "ab"], None),
        (0.42, ["ab", "abc"], None),  # (1/2 + 1/3) / 2 = 0.4167
        (0.25, ["ab", "abc", "abc", "ab", "abcde"], "'chance' is 0.25; a guess is right in 0.3733 of these rows"),
    ],
)
def test_a_wrong_chance_level_is_noted(tmp_path, capsys, stated, rights, said):
    rows = [{"q": f"ข้อ {number}", "o": [*options], "a": options[-1]} for number, options in enumerate(rights)]
    plant(tmp_path / "own", "mcq", rows, chance=stated, **LISTED)
    make(tmp_path / "own")
    assert capsys.readouterr().err == (f"note: {tmp_path}/own/rows.jsonl: {said}\n" if said else "")
    plant(tmp_path / "comments", "classification", REVIEWS, chance=stated)
    make(tmp_path / "comments")
    assert (f"'chance' is {stated}; a guess is right in 0.5000" in capsys.readouterr().err) == (stated != 0.5)


def test_repeated_rows_and_exemplars_among_the_rows_are_noted(tmp_path, capsys):
    """`make` notes both; to `data check`, exemplars among the rows are a fault."""
    folder, question = tmp_path / "own", "แม่น้ำสายใดไหลผ่านตัวเมืองเชียงใหม่"
    table = f"q,a,b,answer\n{question},ปิง,วัง,A\nที่ไหน,ลำปาง,น่าน,B\nที่ไหน,ลำปาง,น่าน,B\n"
    exemplars = [{"text": f"ใคร {number}", "options": ["ก", "ข"], "gold": number % 2} for number in range(4)]
    exemplars.append({"text": question, "options": ["ปิง", "วัง"], "gold": 0})
    plant_questions(folder, table, prompt={"exemplars": exemplars}, languages={"th": {"rows": 4}})
    for arguments in ([], ["--check"]):
        make(folder, *arguments)
        assert set(capsys.readouterr().err.splitlines()) == {
            f"note: {folder}/rows.csv: 3 rows; expected 4",
            f"note: {folder}/rows.csv, row 0: exemplar 5 of the prompt file occurs here: {question!r}",
            f"note: {folder}/rows.csv: repeated rows: 1, in row 2",
        }
    check = ["data", "check", "--include_path", str(folder)]
    assert main([*check, "--tasks", "*_gen"]) == 1
    assert f"FAULT  {folder}/rows.csv  3 of 4 rows  (columns)\n" in (said := capsys.readouterr().out)
    assert f"{folder}/rows.csv, row 0: exemplar 5 of the prompt file occurs here: {question!r}\n1 data files checked" in said
    assert main([*check, "--tasks", "sea_xcopa_*"]) == 2
    assert capsys.readouterr().err == f"lm-eval-sea: {folder} makes no task sea_xcopa_*\n"


MISREAD = "most rows are not in th but in Latin letters; is it the file of another language?"
ENCODED = "texts in another encoding (U+FFFD, only ?, or Zawgyi): 1, in row 1"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (asked([1, 2, 3] * 6, PLACES), "none of the 18 right answers that are numbers is 0, "),
        ([{"q": f"ข้อ {n}".encode().decode("latin-1"), "o": PLACES, "a": "A"} for n in range(20)], MISREAD),
        ([{"q": "ข้อ ??", "o": PLACES, "a": "A"}, {"q": "???? ?? 5", "o": PLACES, "a": "A"}], ENCODED),
        ([{"q": "ข้อ", "o": PLACES, "a": "A"}, {"q": "ข้อ", "o": ["น่\ufffdน", "แพร่"], "a": "A"}], ENCODED),
        # "school" in Unicode and in Zawgyi
        (
            [{"q": "ကျောင်း", "o": PLACES, "a": "A"}, {"q": "\u1031\u1000\u103a\u102c\u1004\u1039\u1038", "o": PLACES, "a": "A"}],
            ENCODED,
        ),
    ],
)
def test_what_a_run_would_doubt_or_refuse_is_said_by_make_and_data_check(tmp_path, capsys, rows, said):
    folder = tmp_path / "own"
    plant(folder, "mcq", rows, chance=sum(1 / len(row["o"]) for row in rows) / len(rows), **LISTED)
    make(folder)
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "repeated rows" not in line]
    assert line.startswith(f"note: {folder}/rows.jsonl: {said}")
    assert main(["data", "check", "--include_path", str(folder)]) == (said == MISREAD)
    assert said in capsys.readouterr().out


def test_a_number_with_a_point_for_thousands_is_noted(tmp_path, capsys):
    numbers = ["1.250", "-12.500", "0.125", "1.25", "1.2500", "1250"]
    plant(tmp_path / "own", "number", [{"q": f"ข้อ {number}", "a": number} for number in numbers])
    make(tmp_path / "own")
    assert (
        capsys.readouterr().err
        == f"note: {tmp_path}/own/rows.jsonl: solutions such as 1.250, which is less than two: 2, in row 0, 1\n"
    )


def test_written_answers_with_a_chance_level_are_refused(tmp_path, capsys):
    plant(tmp_path / "own", "qa", [{"q": "ใคร", "a": "เขา"}], chance=0.25)
    assert refusal(capsys, tmp_path / "own").endswith("'chance' is 0.25; expected 0, because answers are written")


@pytest.mark.parametrize("word", ["None", "NA", "null", "nan"])
def test_an_option_of_the_hub_that_looks_like_a_missing_cell_stays(tmp_path, monkeypatch, word):
    """pandas reads such words as missing; the last option of a row may be missing."""
    columns = {"text": "q", "options": ["a", "b", "c"], "gold": "answer"}
    splits = {"source": "me/asked", "files": {}, "config": "default", "splits": {"test": "test"}}
    plant(tmp_path / "own", "mcq", columns=columns, **splits)
    (tmp_path / "me/asked").mkdir(parents=True)
    (tmp_path / "me/asked/test.csv").write_text(f"q,a,b,c,answer\nใคร,1,x,{word},A\nไหน,2,x,,B\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "own")
    options = [sample["doc"]["options"] for sample in samples_of(tmp_path / "own", "sea_own_th_to_ppl")]
    assert sorted(options) == [["1", "x", word], ["2", "x"]]


def test_a_configuration_that_is_not_there_is_not_to_be_fetched(tmp_path, monkeypatch, capsys):
    plant_on_hub(tmp_path, monkeypatch, {"test": ["ใคร"]}, test="test")
    replace(tmp_path / "own/data_set.yml", "config: default", "config: th")
    make(tmp_path / "own")
    assert (said := capsys.readouterr().err).endswith(f"Mend it, or what {tmp_path}/own/data_set.yml says of it.\n")
    assert "'th' not found. Available: ['default']" in said


def test_tasks_of_a_folder_are_listed(tmp_path, capsys):
    languages = {language: {"rows": 2, "prompts_in": "th"} for language in ("th", "lo")}
    plant(tmp_path / "own", "classification", REVIEWS, languages=languages)
    listing = ["ls", "--include_path", str(tmp_path / "own")]
    assert main(listing) == 0
    assert [line.split()[:3] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["sea_own_lo", "lo", "own"],
        ["sea_own_th", "th", "own"],
        ["group:", "sea_own"],
    ]
    assert main([*listing, "_th"]) == 0
    assert "sea_own_lo" not in capsys.readouterr().out
    assert main([*listing, "xcopa"]) == 1
    assert capsys.readouterr().err == f"lm-eval-sea: {tmp_path}/own makes no task xcopa\n"
