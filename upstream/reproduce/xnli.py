"""The three statements that xnli_th and xnli_vi rank: run in a checkout."""

from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

for name in ("xnli_en", "xnli_th", "xnli_vi"):
    print(load_yaml(TaskManager().task_index[name].yaml_path)["doc_to_choice"])
