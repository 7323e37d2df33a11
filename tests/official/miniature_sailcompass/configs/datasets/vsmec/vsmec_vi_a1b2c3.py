from opencompass.datasets import VsmecDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Gọi tên cảm xúc của câu.\n"""

exp_1 = """Câu: hôm nay vui ghê"""
ans_1 = """Cảm xúc: Thích thú\n"""

prompt_input = """Câu: {text}"""
prompt_output = """Cảm xúc:"""

vsmec_reader_cfg = dict(input_columns=["text"], output_column="label")

vsmec_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            ans: dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"Cảm xúc: {ans}"),
                ],
            )
            for ans in ["Khác", "Thích thú", "Buồn bã", "Tức giận", "Sợ hãi", "Ghê tởm", "Bất ngờ"]
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

vsmec_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

vsmec_datasets = [
    dict(
        type=VsmecDataset,
        abbr="vsmec-vi",
        path="./data/vsmec/test.json",
        reader_cfg=vsmec_reader_cfg,
        infer_cfg=vsmec_infer_cfg,
        eval_cfg=vsmec_eval_cfg,
    )
]
