"""The stop strings of mgsm_direct_th and the tasks that mgsm_cot_native runs: run in a checkout."""

from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

manager = TaskManager()
print(load_yaml(manager.task_index["mgsm_direct_th"].yaml_path)["generation_kwargs"]["until"])
print(*sorted(manager.task_index["mgsm_cot_native"].tags))
