"""What the templates in this folder name with `!function entry.…`.

lm-eval loads the file behind `!function` alone, by its path, so that file cannot import its neighbours in the usual way.
This one first makes the folder a package, under a name that carries the path: two copies of the pack on one machine
then never share a module.
"""

import importlib
import importlib.util
import sys
import zlib
from pathlib import Path


def _package_of(folder: Path) -> str:
    name = f"lm_eval_sea_shared_{zlib.crc32(str(folder).encode()):08x}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return name


_package = _package_of(Path(__file__).resolve().parent)


def _import(module: str, name: str):
    return getattr(importlib.import_module(f"{_package}.{module}"), name)


RankingTask = _import("ranking_task", "RankingTask")
CalibratedRankingTask = _import("calibrated_ranking_task", "CalibratedRankingTask")
LetterGenerationTask = _import("letter_generation_task", "LetterGenerationTask")
macro_f1 = _import("classification_metrics", "macro_f1")
macro_f1_stderr = _import("classification_metrics", "macro_f1_stderr")
batch_calibrated_accuracy = _import("classification_metrics", "batch_calibrated_accuracy")
batch_calibrated_accuracy_stderr = _import("classification_metrics", "batch_calibrated_accuracy_stderr")
batch_calibrated_macro_f1 = _import("classification_metrics", "batch_calibrated_macro_f1")
batch_calibrated_macro_f1_stderr = _import("classification_metrics", "batch_calibrated_macro_f1_stderr")
GenerationTask = _import("generation_task", "GenerationTask")
SummarizationTask = _import("generation_task", "SummarizationTask")
SEAHelmLabelTask = _import("sea_helm_task", "SEAHelmLabelTask")
SEAHelmPhenomenonTask = _import("sea_helm_task", "SEAHelmPhenomenonTask")
SEAHelmMinimalPairTask = _import("sea_helm_task", "SEAHelmMinimalPairTask")
SEAHelmTextTask = _import("sea_helm_task", "SEAHelmTextTask")
corpus_chrf = _import("sea_helm_metrics", "corpus_chrf")
SEAHelmRankingTask = _import("sea_helm_ranking_task", "SEAHelmRankingTask")
mean_of_groups = _import("group_means", "mean_of_groups")
mean_of_groups_stderr = _import("group_means", "mean_of_groups_stderr")
normalised = _import("group_means", "normalised")
normalised_stderr = _import("group_means", "normalised_stderr")
share_in_scalar_implicatures = _import("group_means", "share_in_group")("scalar_implicatures")
share_in_scalar_implicatures_stderr = _import("group_means", "share_in_group_stderr")("scalar_implicatures")
share_in_presuppositions = _import("group_means", "share_in_group")("presuppositions")
share_in_presuppositions_stderr = _import("group_means", "share_in_group_stderr")("presuppositions")
share_in_NPIs_and_negation = _import("group_means", "share_in_group")("NPIs_and_negation")
share_in_NPIs_and_negation_stderr = _import("group_means", "share_in_group_stderr")("NPIs_and_negation")
share_in_argument_structure = _import("group_means", "share_in_group")("argument_structure")
share_in_argument_structure_stderr = _import("group_means", "share_in_group_stderr")("argument_structure")
share_in_filler_gap_dependencies = _import("group_means", "share_in_group")("filler-gap_dependencies")
share_in_filler_gap_dependencies_stderr = _import("group_means", "share_in_group_stderr")("filler-gap_dependencies")
share_in_morphology = _import("group_means", "share_in_group")("morphology")
share_in_morphology_stderr = _import("group_means", "share_in_group_stderr")("morphology")
bleu_of_counts = _import("overlap", "bleu_of_counts")
bleu_of_counts_stderr = _import("overlap", "bleu_of_counts_stderr")
InstructionFollowingTask = _import("instruction_following_task", "InstructionFollowingTask")
process_instructions = _import("instruction_rows", "process_instructions")
