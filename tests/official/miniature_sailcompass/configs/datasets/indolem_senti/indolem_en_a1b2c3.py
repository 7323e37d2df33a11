from opencompass.datasets import IndolemDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Say how the writer of the Indonesian text feels.\n"""

exp_1 = """Writing: Makanannya enak sekali."""
ans_1 = """Feeling: good\n"""

prompt_input = """Writing: {text}"""
prompt_output = """Feeling:"""

trans = {
    "positive": "good",
    "negative": "bad",
}

indolem_reader_cfg = dict(input_columns=["text"], output_column="label")

indolem_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            ans: dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"Feeling: {trans[ans]}"),
                ],
            )
            for ans in ["positive", "negative"]
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

indolem_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

indolem_datasets = [
    dict(
        type=IndolemDataset,
        abbr="indolem-en",
        path="./data/indolem_senti/test.jsonl",
        reader_cfg=indolem_reader_cfg,
        infer_cfg=indolem_infer_cfg,
        eval_cfg=indolem_eval_cfg,
    )
]
