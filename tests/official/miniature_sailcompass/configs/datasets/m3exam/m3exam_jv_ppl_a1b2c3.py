from opencompass.datasets import M3examEmEvaluator, M3EXAMJvDataset
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Coba wangsulana.\n"""

exp_1 = """Pitakon: Woh apa sing kuning?\n\nPilihen siji"""
ans_1 = """Wangsulan: Gedhang\n"""

prompt_input = """Pitakon: {question_text}"""
prompt_output = """Wangsulan:"""

m3exam_reader_cfg = dict(
    input_columns=["question_text", "options_0", "options_1", "options_2", "options_3"], output_column="answer_text"
)

m3exam_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            chr(65 + ans): dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"Wangsulan: {{options_{ans}}}"),
                ],
            )
            for ans in range(4)
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

m3exam_eval_cfg = dict(evaluator=dict(type=M3examEmEvaluator), pred_role="BOT")

m3exam_datasets = [
    dict(
        type=M3EXAMJvDataset,
        abbr="m3exam-id-ppl",
        path="./data/m3exam/javanese-questions-test.json",
        reader_cfg=m3exam_reader_cfg,
        infer_cfg=m3exam_infer_cfg,
        eval_cfg=m3exam_eval_cfg,
    )
]
