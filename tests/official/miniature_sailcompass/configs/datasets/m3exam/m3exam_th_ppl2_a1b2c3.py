from opencompass.datasets import M3EXAMTHDataset, M3examThEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """ตอบข้อสอบต่อไปนี้\n"""

exp_1 = """โจทย์: หนึ่งบวกหนึ่งได้เท่าไร"""
ans_1 = """ตอบ: สอง\n"""

prompt_input = """โจทย์: {question_text}"""
prompt_output = """ตอบ:"""

m3exam_reader_cfg = dict(input_columns=["question_text", "options_0", "options_1"], output_column="answer")

m3exam_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            str(ans + 1): dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"ตอบ: {{options_{ans}}}"),
                ],
            )
            for ans in range(2)
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

m3exam_eval_cfg = dict(evaluator=dict(type=M3examThEvaluator), pred_role="BOT")

m3exam_datasets = [
    dict(
        type=M3EXAMTHDataset,
        abbr="m3exam-th-ppl-2",
        path="./data/m3exam/thai-questions-test-2.json",
        reader_cfg=m3exam_reader_cfg,
        infer_cfg=m3exam_infer_cfg,
        eval_cfg=m3exam_eval_cfg,
    )
]
