"""F1 of the answer "Bangkok city" to the reference "Bangkok": run in a checkout. Prints 0 before the patch, 0.67 after it."""

from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

score = load_yaml(TaskManager().task_index["xquad_th"].yaml_path)["process_results"]
print(score({"answers": {"text": ["กรุงเทพมหานคร"]}}, ["เมืองกรุงเทพมหานคร"]))
