"""A data_set.yml is checked when it is read: what is at fault is one line that names file and key."""

import pytest
import yaml

from lm_eval_sea.catalogue.data_sets import RecordError, data_sets, read_data_set
from lm_eval_sea.catalogue.names import language_names
from lm_eval_sea.catalogue.sea_helm import read_sea_helm, sea_helm
from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

WHOLE = {"title": "Own questions", "version": 1.0, "kind": "mcq", "task": "exam", "source": "me/questions"}
WHOLE |= {"files": {"test": "test.jsonl"}, "chance": 0.25, "languages": {"th": {"rows": 3}}, "fields": ["question"]}
WHOLE |= {"columns": {"question": "q", "options": ["a", "b"], "gold": "answer"}}
LABELLED = {"kind": "classification", "columns": {"question": "q", "label": "answer"}}
TRANSLATED = {"kind": "translation", "fields": ["english", "translation"]}
YES = "; put it in quotes: YAML takes yes, no, on and off for true and false"


def read(folder, record):
    path = folder / "own" / "data_set.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(record if isinstance(record, str) else yaml.safe_dump(record, sort_keys=False), encoding="utf-8")
    return read_data_set(path)


def test_a_key_of_the_data_set_holds_for_languages_without_their_own(tmp_path):
    languages = {"th": {"rows": 3}, "vi": {"rows": 4, "chance": 0.5, "prompts_in": "en"}, "id": {"rows": None}}
    own = read(tmp_path, WHOLE | {"languages": languages})
    assert (own.name, own.title, [*own.languages]) == ("own", "Own questions", ["th", "vi", "id"])
    assert [(each.rows, each.chance, each.prompts, each.source) for each in own.languages.values()] == [
        (3, 0.25, "th", "me/questions"),
        (4, 0.5, "en", "me/questions"),
        (None, 0.25, "id", "me/questions"),
    ]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"hue": "red"}, "unknown key 'hue'; expected some of"),
        ({"title": ...}, "'title' is missing"),
        ({"kind": "quiz"}, "'kind' is 'quiz'; expected one of mcq, "),
        ({"main_variant": "to"}, "'main_variant' is 'to'; expected one of to_ppl, tito_ppl, "),
        ({"languages": {}}, "'languages': expected codes of languages"),
        ({"languages": {"th": {}}}, "languages: th: 'rows' is missing"),
        ({"languages": {"th": {"rows": "many"}}}, "languages: th: 'rows' is 'many'; expected a whole number or null"),
        ({"languages": {"th": {"rows": 0}}}, "languages: th: 'rows' is 0; expected their number, or null"),
        ({"languages": {"th": {"rows": 3, "row": 3}}}, "languages: th: unknown key 'row'"),
        ({"languages": {"th": 3}}, "'languages: th' is 3; expected keys with values or null"),
        ({"chance": 25}, "languages: th: 'chance' is 25; expected a share from 0 to 1"),
        ({"licence": True}, f"'licence' is True; expected text or null{YES}"),
        ({"colum": {}}, "unknown key 'colum'; did you mean columns?"),
        ({"task": "cultur"}, "'task' is 'cultur'; expected one of qa, mt, "),
        ({"version": "1.0.0"}, "'version' is '1.0.0'; expected a number"),
        ({"title": 2024}, "'title' is 2024; expected text; put it in quotes"),
        ({"fields": "question"}, "'fields' is 'question'; expected a list"),
        ({"fields": ...}, "'fields' is missing; it names what a prompt shows of a row"),
        ({"fields": ["question", 5]}, "'fields: 2' is 5; expected text; put it in quotes"),
        # what a template would not replace by the row's text, or replace by something else
        *(
            ({"fields": [name]}, f"'fields' has {name!r}; expected a name of ")
            for name in ("ข้อความ", "my-text", "1", "None", "self")
        ),
        *(
            ({"fields": ["question", name]}, f"'fields' has {name!r}, which a prompt must not show")
            for name in ("options", "gold", "letters")
        ),
        ({"columns": WHOLE["columns"] | {"my-text": "q"}}, "'columns' has 'my-text'; expected a name of Latin letters, "),
        ({"content_fields": ["premise"]}, "'content_fields' has 'premise', which is not among 'fields'"),
        ({"columns": ...}, "'columns' is missing; it says which column of the rows has each field"),
        ({"columns": {"question": "q", "options": ["a", "b"]}}, "'columns' lacks 'gold'; "),
        ({"columns": WHOLE["columns"] | {"id": False}}, f"'columns: id' is False; expected text or a list{YES}"),
        ({"columns": WHOLE["columns"] | {"id": {"q": 1}}}, "'columns: id' is {'q': 1}; expected text or a list"),
        ({"max_new_tokens": 20}, "'max_new_tokens' is 20; expected keys with values"),
        ({"max_new_tokens": {"my": "lots"}}, "'max_new_tokens: my' is 'lots'; expected a whole number"),
        ({"max_new_tokens": {"my": 0}}, "'max_new_tokens: my' is 0; expected 1 or more"),
        *(
            ({"letters": {"th": letters}}, f"'letters: th' is {letters!r}; expected different letters or ")
            for letters in ("กกข", "ก ข", "aA", "aＡ", "+-", "🅰🅱")
        ),
        ({"letters": {"lo": "ກຂຄ"}}, "'letters' has the key 'lo', a language without prompts"),
        ({"suite_languages": ["lo"]}, "'suite_languages' has 'lo', which is not among 'languages'"),
        ({"languages": ["th"]}, "'languages' is ['th']; expected keys with values"),
        ({"languages": {False: {"rows": 3}}}, f"'languages' has the key False; expected text{YES}"),
        # whose references would be the texts that are translated
        (TRANSLATED | {"fields": ["translation", "english"]}, "'fields' is [translation, english]; a translation has [english, "),
        (TRANSLATED | {"pivot": "zh", "fields": ["zh", "translation"]}, "'fields' is [zh, translation]; a translation has "),
        ({"kind": "summarization", "fields": ["text"]}, "'fields' is [text]; expected document, the text that is summarised"),
        (LABELLED | {"labels": ["good"]}, "'labels' has 1; a classification has two or more"),
        (LABELLED | {"labels": [True, "maybe"]}, f"'labels: 1' is True; expected text{YES}"),
        (LABELLED | {"labels": {True: 1, False: 0}}, f"'labels' has the key True; expected text{YES}"),
        (
            LABELLED | {"labels": {"good": [4, 5], "bad": [1, "4"]}},
            "'labels': '4' is written for 'good' and for 'bad'; expected one",
        ),
        ({"origin": "found"}, "languages: th: 'origin' is 'found'; expected one of native, translated, machine translated"),
        ({"files": {"train": "a.jsonl"}}, "languages: th: expected either 'files' or 'config' and 'splits', with the split"),
        ("- a list", "expected keys with values"),
        ("title: [", "cannot be read: "),
        ("[" * 3000, "cannot be read: "),
        ("title: One\ntitle: Two\n", "cannot be read: 'title' is there twice"),
    ],
)
def test_a_fault_is_one_line_with_file_and_key(tmp_path, change, line):
    changed = change
    if isinstance(change, dict):
        changed = {key: value for key, value in (WHOLE | change).items() if value is not ...}
    with pytest.raises(RecordError) as error:
        read(tmp_path, changed)
    assert str(error.value).startswith(f"{tmp_path / 'own' / 'data_set.yml'}: {line}")
    assert "\n" not in str(error.value)


FOUND = {"set": "Own", "languages": ["id"], "origin": "found", "licence": None}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"pillar": "nlp"}, "qa: id: 'pillar' is 'nlp'; expected one of nlp_classics, "),
        ({"sets": [FOUND]}, "qa: id: 'sets': 'origin' is 'found'; expected one of native, "),
    ],
)
def test_a_fault_of_a_task_of_sea_helm_is_one_line(tmp_path, change, line):
    record = yaml.safe_load((TASKS_FOLDER / "sea_helm" / "data_set.yml").read_text(encoding="utf-8"))
    path = tmp_path / "data_set.yml"
    path.write_text(yaml.safe_dump(record | {"tasks": {"qa": record["tasks"]["qa"] | change}}, sort_keys=False), encoding="utf-8")
    with pytest.raises(RecordError) as error:
        read_sea_helm(path)
    assert str(error.value).startswith(f"{path}: {line}")
    assert "\n" not in str(error.value)


def test_a_language_overrides_what_its_task_says():
    thai, indonesian = (sea_helm().tasks["sentiment"][language] for language in ("th", "id"))
    assert (thai.key, thai.kind, thai.rows) == ("sentiment", "labels", 1000)
    assert (indonesian.rows, indonesian.labels) == (400, ["Positif", "Negatif", "Netral"])


def test_data_sets_and_their_readmes_say_what_people_ask_of_them():
    for path in sorted(TASKS_FOLDER.glob("*/data_set.yml")):
        name, raw = path.parent.name, yaml.safe_load(path.read_text(encoding="utf-8"))
        readme = path.with_name("README.md").read_text(encoding="utf-8")
        assert f"\n- {raw['version']}: " in readme.partition("### Changelog")[2], name
        if (data_set := data_sets().get(name)) is None:  # SEA-HELM has records of another form
            continue
        assert set(data_set.languages) <= set(language_names()), name
        assert all({"origin", "licence"} <= {*raw, *(own or {})} for own in raw["languages"].values()), name
        if data_set.kind == "mcq":
            assert data_set.main_variant, name
            assert f'Is the "main" variant of this task clearly denoted? `{data_set.main_variant}`.' in readme
