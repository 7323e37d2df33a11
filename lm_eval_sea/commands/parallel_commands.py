"""The commands for parallel tests: `lm-eval-sea compare-languages` and `lm-eval-sea belebele`."""

from __future__ import annotations

import argparse
from pathlib import Path

from lm_eval_sea.commands.declaration import add_runs, declare, fail, print_notes, show_help


def add_compare_languages(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "compare-languages",
        "Compare languages on the questions of a parallel test (Belebele, Cross-MMLU, Cross-LogiQA), from lm-eval's output.",
        """Writes into a folder:
  questions.csv           per question, in which languages the answer was right (1) or wrong (0)
  differences.csv         per language, beside English on the same questions: accuracies, their paired difference with a standard
                          error and 95 % interval clustered by passage and its p-value, the shares right in one of the two only;
                          an interval needs ten passages
  consistency.csv         for every number s of languages: the share of questions with the same answer, right or wrong, in s
                          languages (mean over all choices of s), and AC3, its harmonic mean with the accuracy, as in SeaEval;
                          on the questions asked in all languages; printed for 2, 3 and all
  rank_correlations.csv   for every two settings of a model that share three languages: Kendall's tau-b and Spearman's rho of
                          the languages' accuracies

The runs need --log_samples, and English among their languages. Only answers with the same number of exemplars are compared; of
several runs of a task the one with more rows counts, then the newer. Questions are paired by their id. What is left out is said
in notes, with the reason.

examples:
  lm-eval-sea run … --tasks sea_belebele_all_to_ppl,sea_belebele_all_litilo_ppl --output_path results --log_samples
  lm-eval-sea run … --tasks sea_crossmmlu_to_ppl,sea_crosslogiqa_to_ppl --output_path results --log_samples
  lm-eval-sea compare-languages results --out languages
  lm-eval-sea compare-languages results --metric acc --out languages_acc

Exit status: 0, or 2 for runs that cannot be compared.""",
    )
    add_runs(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder to write")
    parser.add_argument("--metric", metavar="NAME", help="what says if an answer is right (default: each task's headline metric)")
    parser.set_defaults(run=_compare_languages)


def _compare_languages(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.compare_languages.summary import consistency_summary, summary
    from lm_eval_sea.compare_languages.tables import ComparisonError, load_comparisons, write_tables
    from lm_eval_sea.results.run_files import RunFilesError

    try:
        comparisons, notes = load_comparisons(arguments.runs, arguments.metric)
    except (RunFilesError, ComparisonError) as error:
        return fail(error, 2)
    try:
        written = write_tables(comparisons, arguments.out, notes)
    except OSError as error:
        return fail(error, 1)
    if differences := written.get(arguments.out / "differences.csv"):
        print(summary(differences), end="\n\n")
    if consistency := written.get(arguments.out / "consistency.csv"):
        print(consistency_summary(consistency), end="\n\n")
    print("\n".join(f"{path}: {len(rows):,} rows" for path, rows in written.items()))
    print_notes(notes)
    return 0


def add_belebele(commands: argparse._SubParsersAction) -> None:
    """Declares the command."""
    parser = declare(
        commands,
        "belebele",
        "Prepare translations of Belebele for the tasks sea_belebele_<language>_translated_….",
        """examples:
  lm-eval-sea belebele translated results --out belebele_translated""",
    )
    parser.set_defaults(run=show_help(parser))
    subcommands = parser.add_subparsers(metavar="COMMAND")
    _add_translated(subcommands)


def _add_translated(commands: argparse._SubParsersAction) -> None:
    parser = declare(
        commands,
        "translated",
        "Make the rows that the translated tasks read, from the output of the translating ones.",
        """A model translates all texts of a language into English, and another (or the same) is asked in English:

examples:
  lm-eval-sea run --model hf --model_args pretrained=TRANSLATOR --tasks sea_belebele_jv_to_en --output_path results --log_samples
  lm-eval-sea belebele translated results --out belebele_translated
  lm-eval-sea run --model hf --model_args pretrained=MODEL --tasks sea_belebele_jv_translated_to_ppl

The last one finds the folder belebele_translated in the current one. Where a translation is empty the original text stands; these
are counted. Translations from elsewhere: write belebele_translated/data/jav_Latn.jsonl with the columns of facebook/belebele.

Exit status: 0, or 2 if the output does not hold whole rows.""",
    )
    add_runs(parser)
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder to write: belebele_translated")
    parser.set_defaults(run=_translated)


def _translated(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.data.translated_rows import TranslationError, write_translations
    from lm_eval_sea.results.run_files import RunFilesError

    try:
        files, notes = write_translations(arguments.runs, arguments.out)
    except (RunFilesError, TranslationError, OSError) as error:
        return fail(error, 2)
    for file in files:
        print(f"{file.path}: {file.rows:,} rows")
        if file.untranslated:
            some = ", ".join(file.untranslated[:3]) + (", …" if len(file.untranslated) > 3 else "")
            notes.append(f"{file.path}: {len(file.untranslated):,} empty translations, the original stands for them: {some}")
    print_notes(notes)
    return 0
