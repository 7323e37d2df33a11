from opencompass.datasets import IndosumDataset
from opencompass.openicl.icl_evaluator import TextGenEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Ringkaslah.\n"""

exp_1 = """Berita: Hujan turun sejak pagi. Jalan tergenang."""
ans_1 = """Ringkasan: Hujan membuat jalan tergenang.\n"""

prompt_input = """Berita: {input}"""
prompt_output = """Ringkasan:"""

indosum_reader_cfg = dict(input_columns=["input"], output_column="target")

indosum_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template=dict(
            begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
            round=[
                dict(role="HUMAN", prompt=exp_1),
                dict(role="BOT", prompt=ans_1),
                dict(role="HUMAN", prompt=prompt_input),
                dict(role="BOT", prompt=prompt_output),
            ],
        ),
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=240, batch_size=4),
)

indosum_eval_cfg = dict(evaluator=dict(type=TextGenEvaluator), pred_role="BOT")

indosum_datasets = [
    dict(
        type=IndosumDataset,
        abbr="indosum-id",
        path="./data/indosum/trunc_test_1000.jsonl",
        reader_cfg=indosum_reader_cfg,
        infer_cfg=indosum_infer_cfg,
        eval_cfg=indosum_eval_cfg,
    )
]
