"""The functions that the templates in this folder name with `!function entry.…`.

lm-eval loads the file of a `!function` by its path, as a single file, so this file cannot import its neighbours in the usual way.
It makes the folder a package whose name contains the path, so that two copies of the pack on one machine never share a module. A
name is imported when a task asks for it, so that a missing optional package stops only the tasks that need it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import Any


# Module → what is imported from it.
_MODULES = {
    "calibrated_ranking_task": "CalibratedRankingTask",
    "chat.scores": """
        load_chat_qa_rows load_chat_rows load_chat_summary_rows load_chat_translation_rows score_chat_label
        score_chat_letter score_chat_number score_chat_qa score_chat_summary score_chat_translation""",
    "chat.task": "ChatSummarizationTask ChatTask",
    "generation_scores": """
        load_letter_rows load_number_rows load_qa_rows load_summary_rows load_text_translation_rows
        load_translation_rows score_letter score_number score_qa score_summary score_text_translation score_translation""",
    "instruction_following": "load_instruction_rows process_instructions score_instructions",
    "metrics.bits_per_byte": "bits_per_byte_stderr score_text",
    "metrics.classification_metrics": """
        batch_calibrated_accuracy batch_calibrated_accuracy_stderr batch_calibrated_macro_f1
        batch_calibrated_macro_f1_stderr batch_share_calibrated_accuracy batch_share_calibrated_accuracy_stderr macro_f1
        macro_f1_stderr""",
    "metrics.group_means": """
        mean_of_groups mean_of_groups_stderr normalised normalised_stderr share_in_argument_structure
        share_in_argument_structure_stderr share_in_filler_gap_dependencies share_in_filler_gap_dependencies_stderr
        share_in_morphology share_in_morphology_stderr share_in_NPIs_and_negation share_in_NPIs_and_negation_stderr
        share_in_presuppositions share_in_presuppositions_stderr share_in_scalar_implicatures
        share_in_scalar_implicatures_stderr""",
    "metrics.overlap": "bleu_of_counts bleu_of_counts_stderr corpus_bleu corpus_bleu_stderr corpus_chrf corpus_chrf_stderr",
    "prompted_answers": "WrittenTask",
    "ranking_task": "RankingTask",
    "rows": "load_rows",
    "sea_helm.conversations": "load_judged_rows load_second_turns score_judged_answer",
    "sea_helm.generation_task": "SEAHelmGenerationTask",
    "sea_helm.ranking_task": "SEAHelmRankingTask",
    "sea_helm.scores": """
        load_label_rows load_sea_helm_qa_rows load_sea_helm_summary_rows load_sea_helm_translation_rows score_label
        score_phenomenon score_sea_helm_qa score_sea_helm_summary score_sea_helm_translation""",
    "summarization_task": "SummarizationTask",
}
_FOLDER = Path(__file__).resolve().parent


def _package() -> str:
    """The name of this folder as a package, which is made once."""
    name = f"lm_eval_sea_shared_{zlib.crc32(str(_FOLDER).encode()):08x}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{_FOLDER} has no __init__.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        importlib.import_module(f"{name}.lm_eval_private")  # prepares lm-eval before a task is built
    return name


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _MODULES.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{_package()}.{module}"), name)
    globals()[name] = value
    return value
