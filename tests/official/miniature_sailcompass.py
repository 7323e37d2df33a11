"""A checkout of SailCompass in miniature, in our words: eight configurations, and the code that loads their rows."""

from pathlib import Path

_CONFIGURATION = """
from opencompass.datasets import {loader}
from opencompass.openicl.icl_evaluator import {evaluator}
from opencompass.openicl.icl_inferencer import GenInferencer, PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

def of(answer):
    turns = [*{turns!r}, answer]
    round = [dict(role="BOT" if number % 2 else "HUMAN", prompt=turn) for number, turn in enumerate(turns[1:])]
    return dict(begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=turns[0])], round=round)

mini_datasets = [dict(
    type={loader}, abbr="mini", path="./data/{rows}",
    reader_cfg=dict(input_columns={columns!r}, output_column="{answer}"),
    infer_cfg=dict(
        prompt_template=dict(type=PromptTemplate, template={template}),
        retriever=dict(type=ZeroRetriever),
        inferencer=dict(type={inferencer}, generation_kwargs=dict(do_sample=False)),
    ),
    eval_cfg=dict(evaluator=dict(type={evaluator}), pred_role="BOT"),
)]
"""
_EXAM = ["ตอบข้อสอบต่อไปนี้\n", "โจทย์: หนึ่งบวกหนึ่งได้เท่าไร", "ตอบ: สอง\n", "โจทย์: {question_text}"]
_EXAM_LABELS = '{str(n + 1): of(f"ตอบ: {{options_%s}}" %% n) for n in range(%d)}'
# Name → loader, evaluator, file of rows, columns, column of the answer, turns, templates and inferencer.
CONFIGURATIONS = {
    "belebele/belebele_id": (
        "BelebeleDataset", "BelebeleEvaluator", "belebele/ind_Latn.jsonl", ["flores_passage", "question", "options"], "answer",
        ["Balas dengan huruf.\n", "Tanya: Apa?\nA. ini\nB. itu", "Jawaban: B\n",
         "Konteks: {flores_passage}\nTanya: {question}\n{options}"], 'of("Jawaban:")', "GenInferencer, max_out_len=10",
    ),
    "flores200/flores_id_en": (
        "Flores200Dataset", "TextGenEvaluator", "flores200/ind_Latn_devtest.jsonl", ["target"], "source",
        ["Terjemahkan.\n", "Bahasa Indonesia: kucing", "Bahasa Inggris: cat\n", "Bahasa Indonesia: {target}"],
        'of("Bahasa Inggris:")', "GenInferencer, max_out_len=180",
    ),
    "indolem_senti/indolem_en": (
        "IndolemDataset", "AnsEvaluator", "indolem_senti/test.jsonl", ["text"], "label",
        ["Say how the writer feels.\n", "Writing: {5} Enak sekali.", "Feeling: good\n", "Writing: {text}"],
        '{label: of(f"Feeling: {word}") for label, word in [("positive", "good"), ("negative", "bad")]}', "PPLInferencer",
    ),
    "m3exam/m3exam_th_ppl2": (
        "M3EXAMTHDataset", "M3examThEvaluator", "m3exam/thai-questions-test-2.json", ["question_text", "options_0"], "answer",
        _EXAM, _EXAM_LABELS % ("%d", 2), "PPLInferencer",
    ),
    "m3exam/m3exam_th_ppl4": (
        "M3EXAMTHDataset", "M3examThEvaluator", "m3exam/thai-questions-test-4.json", ["question_text", "options_3"], "answer",
        _EXAM, _EXAM_LABELS % ("%d", 4), "PPLInferencer",
    ),
    "tydiqa_id/tydiqa_id": (
        "TydiqaIdDataset", "TydiqaIdEvaluator", "tydiqa_id/validation.jsonl", ["context", "question"], "answer",
        ["Baca lalu jawab.\n", "Bacaan: x\nTanya: y", "Jawaban: z\n", "Bacaan: {context}\nTanya: {question}"],
        'of("Jawaban:")', "GenInferencer, max_out_len=50",
    ),
    "xcopa/xcopa_id_ppl": (
        "XCOPASDataset", "AnsEvaluator", "xcopa/id_test.jsonl", ["premise", "choice1", "choice2", "full_question"], "answer",
        ["Pikirkan.\n", "Premis: Lampu padam.\nPertanyaan: Mengapa?", "Jawaban: Listrik putus.\n",
         "Premis: {premise}\nPertanyaan: {full_question}"],
        '{n: of("Jawaban: {{choice{0}}}".format(int(n) + 1)) for n in ["0", "1"]}', "PPLInferencer",
    ),
    "xquad/xquad_th": (
        "XQUADDataset", "AnsEvaluator", "xquad/xquad_th.json", ["context", "question"], "answer",
        ["อ่านแล้วตอบ\n", "เรื่อง: ก\nถาม: ข", "คำตอบ: ค\n", "เรื่อง: {context}\nถาม: {question}"],
        'of("คำตอบ:")', "GenInferencer, max_out_len=155",
    ),
}  # fmt: skip

_LOADER = """
import json
from datasets import Dataset
from opencompass.registry import LOAD_DATASET
from .base import BaseDataset

@LOAD_DATASET.register_module()
class {name}(BaseDataset):
    @staticmethod
    def load(path):
        text = open(path).read()
        rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]

        def preprocess(example):
            {preprocess}
            return example

        return Dataset.from_list(rows).map(preprocess)
"""
_PREPROCESS = {
    "BelebeleDataset": """example["answer"] = "ABCD"[int(example["correct_answer_num"]) - 1]
            example["mc_answer5"] = {"ind": "Belum bisa dijawab."}[path.split("/")[-1].split("_")[0]]
            example["options"] = "\\n".join(f"{'ABCDE'[n]}. {example[f'mc_answer{n + 1}']}" for n in range(5))""",
    "M3EXAMTHDataset": """example["answer"] = str("๑๒๓๔".find(example["answer_text"]) + 1 or example["answer_text"])
            example.update({f"options_{n}": option[2:].lstrip() for n, option in enumerate(example["options"])})""",
    "XCOPASDataset": """example["full_question"] = {"cause": "Mengapa?", "effect": "Lalu?"}[example["question"]]
            example["answer"] = str(example["label"])""",
}


def write(folder: Path, code: dict[str, list[str]]) -> None:
    """Writes the checkout; of `code`, file of SailCompass's code → classes in it, the loaders that the miniature needs."""
    for name, (loader, evaluator, rows, columns, answer, turns, template, inferencer) in CONFIGURATIONS.items():
        _write(
            folder / "configs/datasets" / f"{name}_a1b2c3.py",
            _CONFIGURATION.format(
                loader=loader, evaluator=evaluator, rows=rows, columns=columns, answer=answer, turns=turns, template=template,
                inferencer=inferencer,
            ),
        )  # fmt: skip
    loaders = {configuration[0] for configuration in CONFIGURATIONS.values()}
    for path, classes in code.items():
        for loader in loaders & set(classes) or ([""] if not path.startswith("datasets/") else []):
            source = _LOADER.format(name=loader, preprocess=_PREPROCESS.get(loader, "pass")) if loader else "# scores\n"
            _write(folder / path, source)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
