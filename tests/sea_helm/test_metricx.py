"""MetricX on a tiny random mT5 against a plain loop, batches that are kept, both ways with end tokens, and the totals."""

import json
import math
import re
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import ByT5Tokenizer, MT5Config, MT5Model

from lm_eval_sea.commands.cli import main
from lm_eval_sea.results.read import read as read_runs
from lm_eval_sea.results.uncertainty import estimate
from lm_eval_sea.sea_helm import EOS_RULES, OFFICIAL_MODEL, OFFICIAL_TOKENIZER, SeaHelmError
from lm_eval_sea.sea_helm.metricx import Setting, jobs_of, score
from lm_eval_sea.sea_helm.metricx_model import MetricX, points, text_of, tokens_of
from lm_eval_sea.sea_helm.row_scores import read

from ..model_folder import model_folder
from ..tasks.evaluation import evaluate, write_json_lines
from ..tasks.planted_model import PlantedModel
from .official import checkout, run
from .planted_answers import scores_beside, write_answers

SOURCES = ["Good morning.", "The quick brown fox jumps over the lazy dog, again and again.", "No.", "Where is it?", "Rain"]
SOURCES += ["Two plus two is four.", "Read the book!", "She left early", "Prices rose by 3 %.", "A", "Tea or coffee?"]


@pytest.fixture(scope="module")
def tiny_metricx(tmp_path_factory):
    """A random mT5 with MetricX's number of tokens, and T5's tokenizer of bytes, which adds an end token, as mT5's does."""
    folder = tmp_path_factory.mktemp("metricx")
    torch.manual_seed(2)
    sizes = {"d_model": 16, "d_kv": 4, "d_ff": 16, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 2}
    config = MT5Config(vocab_size=250112, **sizes)
    weights = {name: torch.randn(weight.shape, dtype=torch.float64) for name, weight in MT5Model(config).state_dict().items()}
    # the head is not the embeddings; so large that some errors lie beyond the ends of the clamp
    weights["lm_head.weight"] = torch.randn(250112, 16, dtype=torch.float64) * 4
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
        del weights[name]
    config.save_pretrained(folder)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    ByT5Tokenizer().save_pretrained(folder)
    return folder


def texts():
    return [text_of(source, source.lower(), f"{source} {source}") for source in SOURCES]


@pytest.fixture(scope="module")
def scorer(tiny_metricx):
    return MetricX(str(tiny_metricx), str(tiny_metricx), "cpu")


@pytest.mark.parametrize("eos", EOS_RULES)
def test_errors_are_those_of_a_plain_loop(tiny_metricx, scorer, eos):
    """One text at a time, and the logits of all 250,112 tokens; a long text is cut."""
    weights = load_file(tiny_metricx / "model.safetensors")
    head = weights.pop("lm_head.weight")
    weights |= {f"{stack}.embed_tokens.weight": weights["shared.weight"] for stack in ("encoder", "decoder")}
    model = MT5Model(MT5Config.from_pretrained(tiny_metricx)).double().eval()
    model.load_state_dict(weights)
    numbers = scorer.tokenizer(texts())["input_ids"]
    longest = max(map(len, numbers))
    expected = []
    for row in numbers:
        keeps_end = eos == "seahelm" and len(row) < longest
        ids = torch.tensor([row if keeps_end else row[:-1]])
        with torch.no_grad():
            state = model(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).last_hidden_state
        expected.append(min(max(float((head @ state[0, 0])[250089]), 0.0), 25.0))
    assert scorer.errors(texts(), eos) == pytest.approx(expected, abs=1e-5)
    assert {0.0, 25.0} < set(expected), "some lie beyond the ends of the clamp"
    assert tokens_of(scorer.tokenizer, ["a" * 5000], eos)[0].shape == (1, 1535)


# the file alone, for its package imports the clients of all providers
OFFICIAL = """
import importlib.util, json, sys
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoTokenizer
spec = importlib.util.spec_from_file_location("metricx_models", "src/serving/offline/metricx_models.py")
module = sys.modules["metricx_models"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
folder, texts = json.load(sys.stdin)
tokens = AutoTokenizer.from_pretrained(folder)(texts, truncation=True, padding=True, max_length=1536, return_tensors="pt")
weights = load_file(folder + "/model.safetensors")
weights |= {f"{stack}.embed_tokens.weight": weights["shared.weight"] for stack in ("encoder", "decoder")}
model = module.MT5ForRegression(AutoConfig.from_pretrained(folder)).double().eval()
model.load_state_dict(weights)
with torch.no_grad():
    found = model(input_ids=tokens["input_ids"][:, :-1], attention_mask=tokens["attention_mask"][:, :-1])
print(json.dumps(found.predictions.tolist()))
"""


def test_errors_are_those_of_sea_helms_code(tiny_metricx, scorer):
    official = run(checkout("src/serving/offline/metricx_models.py"), OFFICIAL, [str(tiny_metricx), texts()])
    assert scorer.errors(texts(), "seahelm") == pytest.approx(official, abs=1e-5)


def test_a_tokenizer_without_the_end_token_is_refused(tiny_metricx, tmp_path):
    """The last token of each text would be cut off."""
    other = model_folder(tmp_path / "other")
    with pytest.raises(SeaHelmError, match=r"other: texts do not end in mT5's end token; give --tokenizer google/mt5-xl$"):
        MetricX(str(tiny_metricx), str(other), "cpu")


def write_translations(folder, rows=5):
    docs = [{"text": text, "answer": text.lower(), "label": f"x {n}", "cluster": "0"} for n, text in enumerate(SOURCES[:rows])]
    return write_answers(folder, "id", "translation-en-xx", [{"doc_id": n, "doc": doc} for n, doc in enumerate(docs)])


def test_the_command_scores_samples_and_the_totals_read_them(tiny_metricx, scorer, tmp_path, capsys):
    samples = write_translations(tmp_path)
    assert main(["score", str(tmp_path)]) == 2
    assert "have no scores yet; score them with --judge or --metricx" in capsys.readouterr().err
    command = ["score", str(tmp_path), "--metricx", str(tiny_metricx), "--tokenizer", str(tiny_metricx), "--batch_size", "2"]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "not SEA-HELM's number: SEA-HELM has google/metricx-24-hybrid-xxl-v2p6-bfloat16" in output
    written = read(scores_beside(samples, "metricx"))
    rows = [text_of(SOURCES[number], SOURCES[number].lower(), f"x {number}") for number in range(5)]
    errors = [error for start in (0, 2, 4) for error in scorer.errors(rows[start : start + 2], "seahelm")]
    assert written.scores == pytest.approx({number: points(error) for number, error in enumerate(errors)})
    assert written.best == 100
    assert main(["score", str(tmp_path), "--method", "corrected"]) == 0
    mean = sum(written.scores.values()) / 5
    assert re.search(rf"id\s+nlg\s+translations translation-en-xx\s+{mean:.2f}", capsys.readouterr().out)
    assert main([*command, "--device", "none"]) == 0, "what is kept needs no model"


def scored(folder, errors, eos="google", size=2):
    """The line about the only task in a folder, scored with the errors of a function of batches."""
    [line] = score(jobs_of(read_runs(folder).tasks, []), errors, Setting("m", "t", eos, size))
    return line


def test_batches_are_kept(tmp_path):
    write_translations(tmp_path)
    texts = jobs_of(read_runs(tmp_path).tasks, [])[0].texts
    asked, again, other = [], [], []

    def errors(batch):
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(batch)
        return [float(len(text)) / 100 for text in batch]

    with pytest.raises(KeyboardInterrupt):
        scored(tmp_path, errors)
    assert not list(tmp_path.glob("metricx_*"))
    scored(tmp_path, lambda batch: again.append(batch) or [float(len(text)) / 100 for text in batch])
    assert asked == [texts[:2], texts[2:4]] and again == [texts[4:]]
    [path] = tmp_path.glob("metricx_*")
    # an error of 0 is 100 points, one of 25 is none
    assert read(path).scores == pytest.approx({number: 100 - 4 * len(text) / 100 for number, text in enumerate(texts)})
    scored(tmp_path, lambda batch: other.append(batch) or [0.0] * len(batch), eos="seahelm")
    assert len(other) == 3  # another setting is another number


def test_an_error_that_is_no_number_leaves_no_score(tmp_path):
    """As of weights of half precision that overflow."""
    write_translations(tmp_path)
    with pytest.raises(SeaHelmError, match=r"^m: an error is no number \(its weights overflow\?\); try another --device$"):
        scored(tmp_path, lambda batch: [math.nan] * len(batch))
    assert not list(tmp_path.glob("metricx*"))


@pytest.mark.parametrize(("clusters", "passages"), [([str(n) for n in range(12)], 12), ([str(n // 3) for n in range(12)], 4)])
def test_the_mean_has_the_score_interval_by_passage(tmp_path, clusters, passages):
    docs = [{"text": f"t{n}", "answer": "a" * n, "label": "x", "cluster": cluster} for n, cluster in enumerate(clusters)]
    write_answers(tmp_path, "id", "translation-en-xx", [{"doc_id": n, "doc": doc} for n, doc in enumerate(docs)])
    line = scored(tmp_path, lambda batch: [2.0 * n for n in range(len(batch))], size=12)
    content = json.loads(next(tmp_path.glob("metricx_*.json")).read_text())
    expected = estimate([1 - 2 * n / 25 for n in range(12)], clusters)
    assert expected.clusters == passages
    for name in ("mean", "low", "high"):
        assert content[name] == pytest.approx(100 * getattr(expected, name))
    assert f"{content['mean']:.2f} of 100, 95\u00a0% interval [{content['low']:.1f}, {content['high']:.1f}], 12 rows" in line


def test_batches_are_those_of_the_published_order(samples, tmp_path):
    """The pack evaluates more than 20 rows in an order of its own; samples of earlier versions do not tell the published one."""
    name, source = "sea_helm_id_translation_en_xx", "aisingapore/NLG-Machine-Translation"
    folder = shutil.copytree(samples / source, tmp_path / "hub" / source)
    published = [f"Text {n}." for n in range(30)]
    rows = [
        {"id": f"{7 * n % 30}", "prompts": [{"text": text}], "label": f"Teks {n}.", "metadata": {}}
        for n, text in enumerate(published)
    ]
    write_json_lines(folder / "data" / "en_to_id" / "eval.jsonl", rows)
    results = evaluate(tmp_path / "hub", name, PlantedModel(generation=lambda prompt: "Terjemahan: Teks"))
    logged = [{key: row[key] for key in ("doc_id", "doc")} for row in results["samples"][name]]
    texts = [row["doc"]["text"] for row in sorted(logged, key=lambda row: row["doc_id"])]
    assert texts != published
    notes = []
    write_answers(tmp_path / "run", "id", "translation-en-xx", logged)
    [found] = jobs_of(read_runs(tmp_path / "run").tasks, notes)
    assert found.texts == [text_of(text, "Teks", f"Teks {n}.") for n, text in enumerate(published)] and not notes
    assert [texts[doc_id] for doc_id in found.doc_ids] == published
    silent = [{"doc_id": n, "doc": {"text": f"{n}", "answer": "x", "label": "y"}} for n in range(30)]
    write_answers(tmp_path / "earlier", "id", "translation-en-xx", silent)
    assert jobs_of(read_runs(tmp_path / "earlier").tasks, notes)[0].doc_ids == list(range(30))
    assert len(notes) == 1 and "do not say in which order they were published" in notes[0]


@pytest.mark.parametrize(
    ("eos", "size", "said"), [("seahelm", 64, []), ("seahelm", 16, ["batches of 64"]), ("google", 16, ["end"])]
)
def test_other_batch_sizes_are_noted_as_not_sea_helms(eos, size, said):
    notes = Setting(OFFICIAL_MODEL, OFFICIAL_TOKENIZER, eos, size).notes
    assert len(notes) == len(said) and all(part in note for part, note in zip(said, notes, strict=True))
    assert Setting(f"/copies/{OFFICIAL_MODEL}/", f"copies/{OFFICIAL_TOKENIZER}", eos, size).notes == notes
