"""What the templates in this folder name with `!function entry.…`.

lm-eval loads the file behind `!function` alone, by its path, so that file cannot import its neighbours in the usual way. This one
makes the folder a package, under a name that carries the path: two copies of the pack on one machine then never share a module.
A name is imported when a task asks for it, so that a missing optional package stops only the tasks that need it.
"""

# ruff: noqa: PLC0414 (a name imported as itself is one to be imported from here)
from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:  # read by `_modules`, too
    from .calibrated_ranking_task import CalibratedRankingTask as CalibratedRankingTask
    from .chat.scores import (
        load_chat_qa_rows as load_chat_qa_rows,
        load_chat_rows as load_chat_rows,
        load_chat_summary_rows as load_chat_summary_rows,
        load_chat_translation_rows as load_chat_translation_rows,
        score_chat_label as score_chat_label,
        score_chat_letter as score_chat_letter,
        score_chat_number as score_chat_number,
        score_chat_qa as score_chat_qa,
        score_chat_summary as score_chat_summary,
        score_chat_translation as score_chat_translation,
    )
    from .chat.task import ChatSummarizationTask as ChatSummarizationTask, ChatTask as ChatTask
    from .generation_scores import (
        load_letter_rows as load_letter_rows,
        load_number_rows as load_number_rows,
        load_qa_rows as load_qa_rows,
        load_summary_rows as load_summary_rows,
        load_text_translation_rows as load_text_translation_rows,
        load_translation_rows as load_translation_rows,
        score_letter as score_letter,
        score_number as score_number,
        score_qa as score_qa,
        score_summary as score_summary,
        score_text_translation as score_text_translation,
        score_translation as score_translation,
    )
    from .instruction_following import (
        load_instruction_rows as load_instruction_rows,
        process_instructions as process_instructions,
        score_instructions as score_instructions,
    )
    from .metrics.bits_per_byte import bits_per_byte_stderr as bits_per_byte_stderr, score_text as score_text
    from .metrics.classification_metrics import (
        batch_calibrated_accuracy as batch_calibrated_accuracy,
        batch_calibrated_accuracy_stderr as batch_calibrated_accuracy_stderr,
        batch_calibrated_macro_f1 as batch_calibrated_macro_f1,
        batch_calibrated_macro_f1_stderr as batch_calibrated_macro_f1_stderr,
        batch_share_calibrated_accuracy as batch_share_calibrated_accuracy,
        batch_share_calibrated_accuracy_stderr as batch_share_calibrated_accuracy_stderr,
        macro_f1 as macro_f1,
        macro_f1_stderr as macro_f1_stderr,
    )
    from .metrics.group_means import (
        mean_of_groups as mean_of_groups,
        mean_of_groups_stderr as mean_of_groups_stderr,
        normalised as normalised,
        normalised_stderr as normalised_stderr,
        share_in_argument_structure as share_in_argument_structure,
        share_in_argument_structure_stderr as share_in_argument_structure_stderr,
        share_in_filler_gap_dependencies as share_in_filler_gap_dependencies,
        share_in_filler_gap_dependencies_stderr as share_in_filler_gap_dependencies_stderr,
        share_in_morphology as share_in_morphology,
        share_in_morphology_stderr as share_in_morphology_stderr,
        share_in_NPIs_and_negation as share_in_NPIs_and_negation,
        share_in_NPIs_and_negation_stderr as share_in_NPIs_and_negation_stderr,
        share_in_presuppositions as share_in_presuppositions,
        share_in_presuppositions_stderr as share_in_presuppositions_stderr,
        share_in_scalar_implicatures as share_in_scalar_implicatures,
        share_in_scalar_implicatures_stderr as share_in_scalar_implicatures_stderr,
    )
    from .metrics.overlap import (
        bleu_of_counts as bleu_of_counts,
        bleu_of_counts_stderr as bleu_of_counts_stderr,
        corpus_bleu as corpus_bleu,
        corpus_bleu_stderr as corpus_bleu_stderr,
        corpus_chrf as corpus_chrf,
        corpus_chrf_stderr as corpus_chrf_stderr,
    )
    from .ranking_task import RankingTask as RankingTask
    from .rows import load_rows as load_rows
    from .sea_helm.conversations import (
        load_judged_rows as load_judged_rows,
        load_second_turns as load_second_turns,
        score_judged_answer as score_judged_answer,
    )
    from .sea_helm.generation_task import SEAHelmGenerationTask as SEAHelmGenerationTask
    from .sea_helm.ranking_task import SEAHelmRankingTask as SEAHelmRankingTask
    from .sea_helm.scores import (
        load_label_rows as load_label_rows,
        load_sea_helm_qa_rows as load_sea_helm_qa_rows,
        load_sea_helm_summary_rows as load_sea_helm_summary_rows,
        load_sea_helm_translation_rows as load_sea_helm_translation_rows,
        score_label as score_label,
        score_phenomenon as score_phenomenon,
        score_sea_helm_qa as score_sea_helm_qa,
        score_sea_helm_summary as score_sea_helm_summary,
        score_sea_helm_translation as score_sea_helm_translation,
    )
    from .summarization_task import SummarizationTask as SummarizationTask

_FOLDER = Path(__file__).resolve().parent


def _package() -> str:
    """The name of the package that this folder is, made once."""
    name = f"lm_eval_sea_shared_{zlib.crc32(str(_FOLDER).encode()):08x}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{_FOLDER} has no __init__.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        importlib.import_module(f"{name}.lm_eval_private")  # prepares lm-eval before a task is built
    return name


@functools.cache
def _modules() -> dict[str, str]:
    """Name → the module that the imports above take it from."""
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def __getattr__(name: str) -> Any:
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{_package()}.{module}"), name)
    globals()[name] = value
    return value
