"""Run in a checkout of lm-eval with a JSON list of changed files: prints the changed tasks, for `check.py`.

Three lines of JSON: names of all changed tasks; files of those to test whose rows load, and of those whose rows do not. A task is
changed if its file, a file that it includes, or a Python file that it calls is changed. Of a folder of tasks at most 24 are
loaded, spread evenly.
"""

import json
import sys
from pathlib import Path

from datasets.exceptions import DatasetNotFoundError
from lm_eval.tasks import TaskManager
from lm_eval.tasks._yaml_loader import load_yaml

MOST = 24


def main(changed: set[str]) -> None:
    """Prints the three lines."""
    root, manager = Path.cwd(), TaskManager()
    folders = {tuple(name.split("/")[:3]) for name in changed}
    found: dict[str, str] = {}
    for name in manager.all_subtasks:
        path = manager.task_index[name].yaml_path
        if path and path.relative_to(root).parts[:3] in folders and uses(path, root) & changed:
            found[name] = str(path.relative_to(root))
    names = sorted(found)
    by_folder: dict[str, list[str]] = {}
    for name in names:
        by_folder.setdefault(found[name].split("/")[2], []).append(name)
    chosen = [name for of in by_folder.values() for name in of[:: max(1, -(-len(of) // MOST))]]
    loaded = {name: loads(manager, name) for name in chosen}
    print(json.dumps(names))
    for answer in (True, False):
        print(json.dumps([found[name] for name in chosen if loaded[name] is answer]))


def uses(path: Path, root: Path) -> set[str]:
    """The files, relative to the checkout, that make the task of a YAML file."""
    text = path.read_text(encoding="utf-8")
    used = {str(path.relative_to(root))}
    config = load_yaml(path, resolve_func=False, recursive=False)
    included = config.get("include", [])
    for name in [included] if isinstance(included, str) else included:
        if (file := (path.parent / name).resolve()).is_file():
            used |= uses(file, root)
    return used | {str(module.relative_to(root)) for module in path.parent.glob("*.py") if f"{module.stem}." in text}


def loads(manager: TaskManager, name: str) -> bool:
    """Whether there are rows; any other fault is raised."""
    try:
        manager.load(name)
    except (DatasetNotFoundError, ConnectionError, FileNotFoundError, ValueError, KeyError) as error:
        if isinstance(error, KeyError) and error.args[0] not in ("train", "validation", "test"):
            raise  # a folder of rows without one of the splits has no rows for the task
        # "Couldn't find cache" comes where other configurations of the data set were loaded before
        lacks_rows = ("BuilderConfig", "Unknown split", "Couldn't find cache")
        if isinstance(error, ValueError) and not any(words in str(error) for words in lacks_rows):
            raise
        return False
    return True


if __name__ == "__main__":
    main(set(json.loads(sys.argv[1])))
