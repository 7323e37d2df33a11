"""A prompt of INCLUDE as a model sees it, the number of shots, and where they come from: run in a checkout.

Without a few-shot split, lm-eval draws from the test split and does not leave out the row that it asks.
"""

from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml
from lm_eval.utils import apply_template

config = load_yaml(TaskManager().task_index["include_base_44_indonesian_few_shot_og_stem"].yaml_path)
row = {"question": "2 + 2 = ...", "option_a": "1", "option_b": "2", "option_c": "3", "option_d": "4"}
print(repr(config["description"] + apply_template(config["doc_to_text"], row)))
print(config.get("num_fewshot"), config.get("fewshot_split"))
