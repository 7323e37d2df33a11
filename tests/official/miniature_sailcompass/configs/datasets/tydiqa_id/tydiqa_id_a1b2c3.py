from opencompass.datasets import TydiqaIdDataset, TydiqaIdEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Balas sependek mungkin.\n"""

exp_1 = """Bacaan: Ibu kota itu ramai.
Tanya: Apa yang ramai?"""
ans_1 = """Jawaban: Ibu kota\n"""

prompt_input = """Bacaan: {context}
Tanya: {question}"""
prompt_output = """Jawaban:"""

tydiqa_reader_cfg = dict(input_columns=["context", "question"], output_column="answer")

tydiqa_infer_cfg = dict(
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
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=100, batch_size=2),
)

tydiqa_eval_cfg = dict(evaluator=dict(type=TydiqaIdEvaluator), pred_role="BOT")

tydiqa_datasets = [
    dict(
        type=TydiqaIdDataset,
        abbr="tydiqa-id",
        path="./data/tydiqa_id/validation.jsonl",
        reader_cfg=tydiqa_reader_cfg,
        infer_cfg=tydiqa_infer_cfg,
        eval_cfg=tydiqa_eval_cfg,
    )
]
