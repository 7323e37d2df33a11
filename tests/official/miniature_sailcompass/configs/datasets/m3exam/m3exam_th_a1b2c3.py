from opencompass.datasets import M3EXAMTHDataset, M3examThEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """ตอบข้อสอบต่อไปนี้ด้วยเลขข้อ\n"""

exp_1 = """โจทย์: หนึ่งบวกหนึ่งได้เท่าไร
๑. หนึ่ง
๒. สอง"""
ans_1 = """ตอบ: ๒\n"""

prompt_input = """โจทย์: {question_text}
{full_options}"""
prompt_output = """ตอบ:"""

m3exam_reader_cfg = dict(input_columns=["question_text", "full_options"], output_column="answer")

m3exam_infer_cfg = dict(
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
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=10),
)

m3exam_eval_cfg = dict(evaluator=dict(type=M3examThEvaluator), pred_role="BOT")

m3exam_datasets = [
    dict(
        type=M3EXAMTHDataset,
        abbr="m3exam-th",
        path="./data/m3exam/thai-questions-test.json",
        reader_cfg=m3exam_reader_cfg,
        infer_cfg=m3exam_infer_cfg,
        eval_cfg=m3exam_eval_cfg,
    )
]
