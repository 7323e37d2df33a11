from opencompass.datasets import WiseSentiDataset
from opencompass.openicl.icl_evaluator import AnsEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """อ่านแล้วบอกว่ารู้สึกอย่างไร\n"""

exp_1 = """ข้อความ: ร้านนี้อร่อยดี"""
ans_1 = """รู้สึก: ดี\n"""

prompt_input = """ข้อความ: {texts}"""
prompt_output = """รู้สึก:"""

trans = {0: "ดี", 1: "เฉย", 2: "แย่"}

wisesenti_reader_cfg = dict(input_columns=["texts"], output_column="category")

wisesenti_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            str(ans): dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"รู้สึก: {trans[ans]}"),
                ],
            )
            for ans in range(3)
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False), batch_size=4),
)

wisesenti_eval_cfg = dict(evaluator=dict(type=AnsEvaluator), pred_role="BOT")

wisesenti_datasets = [
    dict(
        type=WiseSentiDataset,
        abbr="wisesenti-th",
        path="./data/wisesight_senti/test.jsonl",
        reader_cfg=wisesenti_reader_cfg,
        infer_cfg=wisesenti_infer_cfg,
        eval_cfg=wisesenti_eval_cfg,
    )
]
