"""Files opened and CPU seconds for lm-eval's index of its own tasks: `python index.py`, run in a checkout."""

import sys
import time
from pathlib import Path

from lm_eval.tasks import TaskManager

opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
begin = time.process_time()
tasks = TaskManager().all_tasks
seconds = time.process_time() - begin
read = [name for name in opened if "lm_eval" in name and Path(name).suffix not in (".py", ".pyc")]
print(f"{len(tasks):,} names, {len(read):,} files opened, {len(set(read)):,} different ones, {seconds:.1f} CPU seconds")
