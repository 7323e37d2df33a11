from opencompass.datasets import BelebeleDataset, BelebeleEvaluator
from opencompass.openicl.icl_inferencer import PPLInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Bacaan singkat menyusul; balaslah pertanyaannya.\n"""

exp_1 = """Konteks: Kucing itu hitam.
Pertanyaan: Apa warna kucing itu?"""
ans_1 = """Jawaban: hitam\n"""

prompt_input = """Konteks: {flores_passage}
Pertanyaan: {question}"""
prompt_output = """Jawaban:"""

belebele_reader_cfg = dict(
    input_columns=["flores_passage", "question", "mc_answer1", "mc_answer2", "mc_answer3", "mc_answer4"], output_column="answer"
)

belebele_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template={
            chr(ans + 64): dict(
                begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
                round=[
                    dict(role="HUMAN", prompt=exp_1),
                    dict(role="BOT", prompt=ans_1),
                    dict(role="HUMAN", prompt=prompt_input),
                    dict(role="BOT", prompt=f"Jawaban: {{mc_answer{ans}}}"),
                ],
            )
            for ans in range(1, 5)
        },
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=PPLInferencer, generation_kwargs=dict(do_sample=False)),
)

belebele_eval_cfg = dict(evaluator=dict(type=BelebeleEvaluator), pred_role="BOT")

belebele_datasets = [
    dict(
        type=BelebeleDataset,
        abbr="belebele-id-ppl",
        path="./data/belebele/ind_Latn.jsonl",
        reader_cfg=belebele_reader_cfg,
        infer_cfg=belebele_infer_cfg,
        eval_cfg=belebele_eval_cfg,
    )
]
