"""Premises whose last letter is cut, and questions unlike the Vietnamese ones: run in a checkout."""

from lm_eval.tasks import TaskManager

tasks = {name: TaskManager().load(f"xcopa_{name}")["tasks"][f"xcopa_{name}"] for name in ("vi", "th", "ta", "id")}
right = {row["idx"]: row["question"] for row in tasks["vi"].test_docs()}
for name, task in tasks.items():
    rows = list(task.test_docs())
    cut = sum(not task.doc_to_text(row).startswith(row["premise"].strip().rstrip(".")) for row in rows)
    print(name, f"cut: {cut}, other question: {sum(row['question'] != right[row['idx']] for row in rows)}, of {len(rows)}")
