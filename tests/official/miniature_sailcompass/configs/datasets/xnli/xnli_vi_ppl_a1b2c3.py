from opencompass.datasets import XnliDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

trans = {
    "neutral": "không rõ",
    "entailment": "đúng",
    "contradiction": "sai",
}

system_prompt = """So hai câu rồi chọn: không rõ, đúng hoặc sai.\n"""

exp_1 = """Câu một: Trời mưa to.
Câu hai: Đường ướt."""
ans_1 = f"""Chọn: {trans["entailment"]}\n"""

exp_2 = """Câu một: Cửa hàng đóng cửa.
Câu hai: Cửa hàng mở cửa."""
ans_2 = f"""Chọn: {trans["contradiction"]}\n"""

prompt_input = """Câu một: {sentence1}
Câu hai: {sentence2}"""
prompt_output = """Chọn:"""

xnli_reader_cfg = dict(input_columns=["sentence1", "sentence2"], output_column="label")

xnli_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            ans: dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=exp_2),
                    dict(role="BOT", prompt=ans_2),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"Chọn: {trans[ans]}"),
                ],
            )
            for ans in ["neutral", "entailment", "contradiction"]
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

xnli_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

xnli_datasets = [
    dict(
        type=XnliDataset,
        abbr="xnli-vi-ppl",
        path="./data/xnli/vi_xnli_test.jsonl",
        reader_cfg=xnli_reader_cfg,
        infer_cfg=xnli_infer_cfg,
        eval_cfg=xnli_eval_cfg,
    )
]
