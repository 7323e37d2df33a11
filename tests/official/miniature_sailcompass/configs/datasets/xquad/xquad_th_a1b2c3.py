from opencompass.datasets import XQUADDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """อ่านเรื่องแล้วตอบสั้น ๆ\n"""

exp_1 = """เรื่อง: แมวชื่อส้ม
ถาม: แมวชื่ออะไร"""
ans_1 = """คำตอบ: ส้ม\n"""

prompt_input = """เรื่อง: {context}
ถาม: {question}"""
prompt_output = """คำตอบ:"""

xquad_reader_cfg = dict(input_columns=["context", "question"], output_column="answer")

xquad_infer_cfg = dict(
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
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=155, batch_size=2),
)

xquad_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

xquad_datasets = [
    dict(
        type=XQUADDataset,
        abbr="xquad-th",
        path="./data/xquad/xquad_th.json",
        reader_cfg=xquad_reader_cfg,
        infer_cfg=xquad_infer_cfg,
        eval_cfg=xquad_eval_cfg,
    )
]
