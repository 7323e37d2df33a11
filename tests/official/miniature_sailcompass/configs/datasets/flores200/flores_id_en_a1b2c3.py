from opencompass.datasets import Flores200Dataset
from opencompass.openicl.icl_evaluator import TextGenEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Alihkan ke bahasa Inggris.\n"""

exp_1 = """Indonesia: Selamat pagi."""
ans_1 = """Inggris: Good morning.\n"""

prompt_input = """Indonesia: {target}"""
prompt_output = """Inggris:"""

flores_reader_cfg = dict(input_columns=["target"], output_column="source")

flores_infer_cfg = dict(
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
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=100),
)

flores_eval_cfg = dict(evaluator=dict(type=TextGenEvaluator), pred_role="BOT")

flores_datasets = [
    dict(
        type=Flores200Dataset,
        abbr="flores-id-en",
        path="./data/flores200/ind_Latn_devtest.jsonl",
        reader_cfg=flores_reader_cfg,
        infer_cfg=flores_infer_cfg,
        eval_cfg=flores_eval_cfg,
    )
]
