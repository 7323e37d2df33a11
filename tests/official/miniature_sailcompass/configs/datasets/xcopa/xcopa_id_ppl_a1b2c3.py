from opencompass.datasets import XCOPASDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Pikirkan sebab atau akibatnya.\n"""

exp_1 = """Premis: Lampu padam.
Pertanyaan: Mengapa begitu?"""
ans_1 = """Jawaban: Listrik terputus.\n"""

prompt_input = """Premis: {premise}
Pertanyaan: {full_question}"""

xcopa_reader_cfg = dict(input_columns=["question", "premise", "choice1", "choice2", "full_question"], output_column="answer")

xcopa_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            ans: dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt="Jawaban: {{choice{ans}}}".format(ans=int(ans) + 1)),  # noqa: UP032
                ],
            )
            for ans in ["0", "1"]
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

xcopa_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

xcopa_datasets = [
    dict(
        type=XCOPASDataset,
        abbr="xcopa-id",
        path="./data/xcopa/id_test.jsonl",
        reader_cfg=xcopa_reader_cfg,
        infer_cfg=xcopa_infer_cfg,
        eval_cfg=xcopa_eval_cfg,
    )
]
