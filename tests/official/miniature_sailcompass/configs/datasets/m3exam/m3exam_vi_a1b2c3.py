from opencompass.datasets import M3examEmEvaluator, M3EXAMVIDataset
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Làm bài, chỉ ghi chữ cái.\n"""

exp_1 = """Câu hỏi: Phân số $\\frac{1}{2}$ nhân {5} bằng \"mấy\"?
A. $\\frac{5}{2}$
B. {{5}}"""
ans_1 = """Đáp án: A\n"""

prompt_input = """Câu hỏi: {question_text}
{full_options}"""
prompt_output = """Đáp án:"""

m3exam_reader_cfg = dict(input_columns=["question_text", "full_options"], output_column="answer_text")

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

m3exam_eval_cfg = dict(evaluator=dict(type=M3examEmEvaluator), pred_role="BOT")

m3exam_datasets = [
    dict(
        type=M3EXAMVIDataset,
        abbr="m3exam-vi",
        path="./data/m3exam/vietnamese-questions-test.json",
        reader_cfg=m3exam_reader_cfg,
        infer_cfg=m3exam_infer_cfg,
        eval_cfg=m3exam_eval_cfg,
    )
]
