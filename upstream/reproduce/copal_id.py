"""Premises whose last letter is cut: run in a checkout. Prints 440 of 559 before the patch and 0 after it."""

from lm_eval.tasks import TaskManager

task = TaskManager().load("copal_id_colloquial")["tasks"]["copal_id_colloquial"]
rows = list(task.test_docs())
cut = [row for row in rows if not task.doc_to_text(row).startswith(row["premise"].strip().rstrip('."'))]
print(f"{len(cut)} of {len(rows)}")
