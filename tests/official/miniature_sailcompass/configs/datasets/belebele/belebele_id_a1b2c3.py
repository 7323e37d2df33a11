from opencompass.datasets import BelebeleDataset, BelebeleEvaluator
from opencompass.openicl.icl_inferencer import GenInferencer
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever

system_prompt = """Bacaan singkat menyusul; balaslah dengan huruf saja.\n"""

exp_1 = """Konteks: Kucing itu hitam.
Pertanyaan: Apa warna kucing itu?
A. putih
B. hitam
C. abu-abu
D. cokelat"""
ans_1 = """Jawaban: B\n"""

exp_2 = """Konteks: Pasar buka pukul enam.
Pertanyaan: Pukul berapa pasar buka?
A. enam
B. tujuh
C. delapan
D. sembilan"""
ans_2 = """Jawaban: A\n"""

prompt_input = """Konteks: {flores_passage}
Pertanyaan: {question}
{options}"""
prompt_output = """Jawaban:"""

belebele_reader_cfg = dict(input_columns=["flores_passage", "question", "options"], output_column="answer")

belebele_infer_cfg = dict(
    prompt_template=dict(
        type=PromptTemplate,
        template=dict(
            begin=[dict(role="SYSTEM", fallback_role="HUMAN", prompt=system_prompt)],
            round=[
                dict(role="HUMAN", prompt=exp_1),
                dict(role="BOT", prompt=ans_1),
                dict(role="HUMAN", prompt=exp_2),
                dict(role="BOT", prompt=ans_2),
                dict(role="HUMAN", prompt=prompt_input),
                dict(role="BOT", prompt=prompt_output),
            ],
        ),
    ),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=GenInferencer, generation_kwargs=dict(do_sample=False), max_out_len=10),
)

belebele_eval_cfg = dict(evaluator=dict(type=BelebeleEvaluator), pred_role="BOT")

belebele_datasets = [
    dict(
        type=BelebeleDataset,
        abbr="belebele-id",
        path="./data/belebele/ind_Latn.jsonl",
        reader_cfg=belebele_reader_cfg,
        infer_cfg=belebele_infer_cfg,
        eval_cfg=belebele_eval_cfg,
    )
]
