"""`python -m lm_eval_sea` is the command lm-eval-sea."""

import sys

from lm_eval_sea.commands.cli import main

sys.exit(main())
