"""Chat templates that are invalid, or do not show the question."""

import json
import shutil

import gguf
import pytest

from lm_eval_sea.run.chat_template import ChatTemplate, check_chat_template, check_template_of_model, load_tokenizer, template_of
from lm_eval_sea.run.request import RunError
from tests.model_folder import chat_run, with_template

FAIR = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<a>{% endif %}"
)
TASKS = ["sea_xcopa_vi_to_ppl", "sea_tydiqa_id"]


@pytest.fixture(scope="module")
def tasks(load_tasks):
    return load_tasks(*TASKS)


def check(tokenizer, tasks, template, *, apply=True, multiturn=True, num_fewshot=2, **more):
    tokenizer.chat_template = template
    used = ChatTemplate(tokenizer, template_of(tokenizer, apply))
    check_chat_template(used, tasks, multiturn=multiturn, num_fewshot=num_fewshot, **more)


@pytest.mark.parametrize("template", [FAIR, FAIR.replace("m.content", "m.content | trim"), {"default": FAIR}])
def test_templates_that_are_accepted(tokenizer, tasks, template, caplog):
    for instruction in (None, "Be brief."):
        check(tokenizer, tasks, template, system_instruction=instruction)
    assert not caplog.records


@pytest.mark.parametrize(
    ("template", "lacks"),
    [
        (FAIR.replace("{% if add_generation_prompt %}<a>{% endif %}", ""), "<assistant>"),
        (FAIR, None),
        (FAIR.replace("{% if add_generation_prompt %}<a>{% endif %}", "<assistant>"), None),
        # Mistral: the answer follows the end of the question
        ("{% for m in messages %}{{ '[INST]' + m.content + '[/INST]' if m.role == 'user' else m.content }}{% endfor %}", None),
    ],
    ids=["without the switch", "with it", "always", "nothing needed"],
)
def test_a_template_without_add_generation_prompt_is_reported(template, lacks, tokenizer, caplog):
    check(tokenizer, {}, template)
    said = [text for record in caplog.records if "add_generation_prompt" in (text := record.getMessage())]
    assert len(said) == bool(lacks) and all(text.endswith(f"prompts end without '{lacks}'") for text in said)


LOOP = "{{% for m in messages %}}[{{{{ m.role }}}}]{}{{% endfor %}}"
CHANGES = ["[:20]", "[:-3]", " | upper", " | title", " | replace('?', '&#63;') | replace('.', '&#46;')", " | replace('\\n', '')"]
UNFAIR = [LOOP.format(f"{{{{ m.content{change} }}}}") for change in (*CHANGES, " | reverse")]
UNFAIR += ["", "HELLO", LOOP.format("{{ m.text }}"), LOOP.format(""), "{{ messages[0].role }}{{ messages[0].content }}"]
UNFAIR += ["{{ messages[-1].content }}"]  # drops the exemplars
WITHOUT_ANSWERS = "{% for m in messages if m.role != 'assistant' %}{{ m.content }}{% endfor %}"
FAILING = ["{{ raise_exception('no') }}", "{% for %}", "{{ messages[9].content }}", "{{ 1 / 0 }}"]
REFUSED = [
    (None, True, r"--apply_chat_template: the tokenizer \S+ has no chat template; leave the flag out"),
    ({"default": FAIR, "rag": FAIR}, "tool", "has no template of that name; it has default, rag"),
    (FAIR, "false", "--apply_chat_template false: the tokenizer .* has one template, without a name; give the flag without"),
    *((template, True, r"sea_xcopa_vi_to_ppl: .* drops or changes a question.*\| The prompt: ") for template in UNFAIR),
    (WITHOUT_ANSWERS, True, "drops or changes the model's earlier turns, .*: add --fewshot_as_multiturn false, which writes"),
    *((template, True, "the chat template of .* fails: ") for template in FAILING),
]


def test_templates_that_are_refused(tokenizer, tasks):
    for template, apply, said in REFUSED:
        with pytest.raises(RunError, match=said) as caught:
            check(tokenizer, tasks, template, apply=apply)
        assert "\n" not in str(caught.value), template


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}",
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{% for m in messages %}{{ m.content }}{% endfor %}",
    ],
    ids=["left out", "refused"],
)
def test_a_template_that_drops_the_instruction(template, tokenizer, tasks, caplog):
    """The loss is reported, whether the instruction is a task's, the user's or both."""
    check(tokenizer, {TASKS[0]: tasks[TASKS[0]]}, template)
    check(tokenizer, {TASKS[0]: tasks[TASKS[0]]}, template, system_instruction="Be brief.")
    check(tokenizer, {}, template, system_instruction="/no_think\n\nBe brief.")
    of_task = f"the instruction of 1 task ({TASKS[0]}, …)"
    lost = [record.getMessage().partition(" drops system messages, and with them ")[2] for record in caplog.records]
    assert lost == [of_task, f"--system_instruction and {of_task}", "--system_instruction"]


def test_a_template_that_needs_an_instruction(tokenizer, tasks, load_tasks):
    """A task's own instruction is enough, or the user's; without either the run is refused."""
    template = "{% if messages[0].role != 'system' %}{{ raise_exception('no system') }}{% endif %}" + FAIR
    check(tokenizer, {TASKS[0]: tasks[TASKS[0]]}, template)
    chat = load_tasks("sea_belebele_th_chat")
    check(tokenizer, chat, template, system_instruction="Be brief.")
    with pytest.raises(RunError, match="sea_belebele_th_chat: .* fails: no system; with --system_instruction it does not$"):
        check(tokenizer, chat, template)


@pytest.mark.parametrize("template", ["{{ messages[-1].content }}", WITHOUT_ANSWERS])
def test_a_template_that_drops_exemplars_is_accepted_without_them(template, tokenizer, tasks, load_tasks):
    """Chat tasks have no exemplars unless the run names a number."""
    check(tokenizer, tasks, template, multiturn=False)
    check(tokenizer, tasks, template, num_fewshot=0)
    chat = load_tasks("sea_belebele_th_chat")
    check(tokenizer, chat, template, num_fewshot=None)
    with pytest.raises(RunError, match="sea_belebele_th_chat: .* drops or changes"):
        check(tokenizer, chat, template, num_fewshot=1)


def test_a_check_that_cannot_be_made_is_reported(tmp_path, caplog):
    """The tokenizer is left to the backend."""
    check_template_of_model(chat_run(tmp_path / "nothing"), {})
    [record] = caplog.records
    assert "not checked" in record.message
    assert load_tokenizer({"base_url": "http://127.0.0.1:1/v1"}) is None


def test_the_template_of_the_loaded_model_is_checked(tiny_model, tmp_path):
    """A subfolder and a GGUF file have their own tokenizers; a tokenizer that is named replaces them."""
    with_template(tiny_model, tmp_path, FAIR)
    below = with_template(tiny_model, tmp_path / "below", "{{ messages[0].content }}")
    of = {"pretrained": str(tmp_path)}
    assert load_tokenizer({**of, "subfolder": "below"}).chat_template == "{{ messages[0].content }}"
    writer = gguf.GGUFWriter(below / "m.gguf", "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["<s>", "a", "b", "ab"])
    writer.add_token_types([gguf.TokenType.CONTROL, *[gguf.TokenType.NORMAL] * 3])
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(0)
    writer.add_chat_template("GGUF")
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        write()
    (alone := tmp_path / "alone").mkdir()
    (below / "m.gguf").rename(alone / "m.gguf")
    of = {"pretrained": str(alone), "gguf_file": "m.gguf"}
    assert load_tokenizer(of).chat_template == "GGUF"
    assert load_tokenizer({**of, "tokenizer": str(tmp_path)}).chat_template == FAIR


@pytest.mark.parametrize(("template", "said"), [(FAIR, True), (FAIR + "{% if enable_thinking %}<think>{% endif %}", False)])
def test_a_switch_that_the_template_lacks_is_reported(template, said, tiny_model, tmp_path, caplog):
    """The name of the model in the results includes the switch."""
    model = with_template(tiny_model, tmp_path / "m", template)
    check_template_of_model(chat_run(model, enable_thinking=False), {})
    changes = [record.getMessage() for record in caplog.records if "changes nothing" in record.getMessage()]
    assert changes == [f"enable_thinking in --model_args changes nothing: the chat template of {model} has no such switch"] * said


CODE = """
from transformers import PreTrainedTokenizerFast


class Own(PreTrainedTokenizerFast):
    own = True
"""


@pytest.mark.parametrize("trusted", [True, False])
def test_code_of_a_tokenizer_runs_only_if_trusted_and_without_a_question(trusted, tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("transformers asks on the terminal"))
    folder = tmp_path / "m"
    shutil.copytree(tiny_model, folder)
    (folder / "own.py").write_text(CODE)
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text()) | {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": [None, "own.Own"]}}
    path.write_text(json.dumps(config))
    tokenizer = load_tokenizer({"pretrained": str(folder), "trust_remote_code": trusted})
    assert getattr(tokenizer, "own", False) == trusted
