"""The repositories that Global-MMLU's tasks name: run in a checkout."""

from collections import Counter

from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

index = TaskManager().task_index
names = [name for name, entry in index.items() if name.startswith("global_mmlu") and entry.kind.name == "TASK"]
print(Counter(load_yaml(index[name].yaml_path)["dataset_path"] for name in names))
