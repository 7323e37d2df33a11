"""The command `lm-eval-sea make`: task files, and the rows that translated tasks read."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from lm_eval_sea.commands.command import Command, argument, fail, print_notes


def _make(arguments: argparse.Namespace) -> int:
    for flag, make in (("official", _official), ("translated", _translated)):
        if getattr(arguments, flag):
            return make(arguments) if arguments.out else fail(ValueError(f"--{flag} needs --out, the folder to write"), 2)
    if arguments.names:
        return _named(arguments.names, arguments.out)
    from lm_eval_sea.catalogue.suites import unlisted
    from lm_eval_sea.make.files import differences, english_prompts_missing, generate, write
    from lm_eval_sea.make.prompt_files import PromptFileError
    from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

    out, prompts = arguments.out or TASKS_FOLDER, arguments.prompts or TASKS_FOLDER
    try:
        files = generate(prompts)
    except PromptFileError as error:
        return fail(error, 2)
    print_notes(english_prompts_missing(prompts))
    if arguments.check:
        lines = differences(files, out)
        print("\n".join(lines) or f"{len(files)} files agree with their prompts", *unlisted(), sep="\n")
        return 1 if lines else 0
    write(files, out)
    print(f"{len(files)} files written below {out}")
    return 0


def _named(names: Sequence[str], out: Path | None) -> int:
    """Tasks that are made on demand; or, without a folder to write, those of a user's own data set."""
    from lm_eval_sea.catalogue.data_sets import RecordError
    from lm_eval_sea.make.on_demand import names_on_demand, write_on_demand
    from lm_eval_sea.make.own_data import own_files
    from lm_eval_sea.make.prompt_files import PromptFileError

    folder, *wanted = names
    try:
        if out:
            print(f"{len(write_on_demand(names, out))} files written below {out}")
            return 0
        if not Path(folder).is_dir() and names_on_demand([folder]):
            return fail(ValueError(f"{folder} needs --out, the folder to write"), 2)
        files = own_files(Path(folder), wanted or ["*"])
        for path, text in files.items():
            path.write_text(text, encoding="utf-8", newline="\n")
    except (RecordError, PromptFileError, OSError) as error:
        return fail(error, 2)
    if not files:
        return fail(ValueError(f"{folder} makes no task {', '.join(wanted)}"), 2)
    example = next(iter(files)).stem
    print(f"{len(files)} files written to {folder}; now works")
    print(f"  lm_eval --model hf --model_args pretrained=MODEL --include_path {shlex.quote(folder)} --tasks {example}")
    return 0


def _official(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.official import sailcompass_yaml, sea_helm_prompts
    from lm_eval_sea.official.task_folder import CheckoutError, FolderError, check_folder, write_folder

    if not arguments.official.is_dir():
        return fail(ValueError(f"--official {arguments.official}: there is no such folder"), 2)
    is_sea_helm = (arguments.official / "seahelm_tasks").is_dir()
    example = f"{sea_helm_prompts.PREFIX}_id" if is_sea_helm else sailcompass_yaml.TAG
    try:
        check_folder(arguments.out)
        if is_sea_helm:
            made = sea_helm_prompts.official_tasks(arguments.official)
        else:
            made = sailcompass_yaml.official_tasks(arguments.official, trusted=bool(arguments.trust_checkout))
        print_notes(made.notes)
        for fault in made.faults:
            fail(ValueError(fault), 1)
        if not made.files or (made.faults and not arguments.keep_going):
            advice = "; --keep-going writes what can be made" if made.files else ""
            return fail(ValueError(f"nothing was written: {len(made.faults)} faults in the checkout or its rows{advice}"), 1)
        write_folder(made.files, arguments.out)
    except (CheckoutError, FolderError) as error:
        return fail(error, 2)
    folder = shlex.quote(str(arguments.out))
    print(f"{sum(name.endswith('.yaml') for name in made.files)} task files written to {arguments.out}; now works")
    print(f"  lm_eval --model hf --model_args pretrained=MODEL --include_path {folder} --tasks {example}")
    return 0


def _translated(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.report.languages.translated_rows import write_translations
    from lm_eval_sea.results.read import read
    from lm_eval_sea.results.types import ResultsError

    try:
        files, notes = write_translations(read(*arguments.translated).best(), arguments.out)
    except (ResultsError, OSError) as error:
        return fail(error, 2)
    for file in files:
        print(f"{file.path}: {file.rows:,} rows")
        if file.untranslated:
            some = ", ".join(file.untranslated[:3]) + (", …" if len(file.untranslated) > 3 else "")
            notes.append(f"{file.path}: {len(file.untranslated):,} empty translations, the original stands for them: {some}")
    print_notes(notes)
    return 0


MAKE = Command(
    name="make",
    summary="Write task files: from prompts, for your own rows, with official prompts, or for translated rows",
    about="""
Without --official and --translated: one YAML file per data set, language, prompt language and variant, with the words
of the prompts in it.

FOLDER has data_set.yml and prompts/<language>.yml of your own rows; their tasks are written into it. NAMEs or globs
choose some of them. docs/own_data.md shows it.

--official writes tasks with the prompts of another benchmark, from your checkout of it, with the pack's scores. They are
not ours: do not publish the folder. docs/compare_with_papers.md says which task gives which published number.
  sail-sg/sailcompass   a task per configuration, its rows beside it. The configurations and loaders of rows are run, each
                        in a process of its own, but only files that are those of the tested commit, byte for byte.
                        --trust-checkout runs others, too: then it is as if you ran them.
  aisingapore/SEA-HELM  tasks seahelm_<language>_<task> and groups seahelm_<language>, from plain YAML; no code is run. The
                        folder names the pack and the checkout by their paths: write it anew when one of them moves.

--translated writes the rows that the tasks sea_belebele_<language>_translated_… read, from the samples of a run that
translated them. The tasks look for a folder belebele_translated in the current one. An empty translation is counted,
and the original text stands for it. Translations from elsewhere go into belebele_translated/data/jav_Latn.jsonl, with
the columns of facebook/belebele.""",
    examples="""
lm-eval-sea make                                    after a change to a prompt: write the pack's own tasks anew
lm-eval-sea make --check                            do prompts and tasks agree? Writes nothing
lm-eval-sea make --prompts MINE --out MY_TASKS      a complete tasks folder from your own prompts
lm-eval-sea make sea_xnli_th_p2 'sea_belebele_th-en_*' --out MY_TASKS
                                                    tasks that are made on demand, for plain lm_eval --include_path

lm-eval-sea make myrows                             tasks for rows of your own
lm-eval-sea make myrows 'sea_myrows_th_*'           … some of them

git clone https://github.com/sail-sg/sailcompass
lm-eval-sea make --official sailcompass --out sailcompass_tasks
lm_eval --model hf --model_args pretrained=MODEL --include_path sailcompass_tasks --tasks sailcompass_xcopa_th_ppl

git clone https://github.com/aisingapore/SEA-HELM
lm-eval-sea make --official SEA-HELM --out seahelm_tasks
lm_eval --model hf --model_args pretrained=MODEL --apply_chat_template --include_path seahelm_tasks --tasks seahelm_id

lm-eval-sea run --model hf --model_args pretrained=TRANSLATOR --tasks sea_belebele_jv_to_en --output_path results --log_samples
lm-eval-sea make --translated results --out belebele_translated
lm-eval-sea run --model hf --model_args pretrained=MODEL --tasks sea_belebele_jv_translated_to_ppl""",
    exits="""0; 1 if --check finds a difference or not all official tasks could be made (then nothing is written without
--keep-going); 2 if a prompt lacks something, CHECKOUT is no checkout, DIR holds other files, or a run lacks rows""",
    arguments=[
        argument(
            "names", nargs="*", metavar="NAME", help="tasks made on demand; or the folder of your own data set, and its tasks"
        ),
        argument("--out", metavar="DIR", type=Path, help="folder to write (default: the pack's own tasks)"),
    ],
    modes={
        "": [
            argument(
                "--check", action="store_true", default=None, help="write nothing; exit status 1 if prompts and tasks disagree"
            ),
            argument(
                "--prompts",
                metavar="DIR",
                type=Path,
                help="prompt files DIR/<data set>/prompts/<language>.yml (default: the pack's)",
            ),
        ],
        "--official": [
            argument("--official", metavar="CHECKOUT", type=Path, help="checkout of sail-sg/sailcompass or aisingapore/SEA-HELM"),
            argument("--keep-going", action="store_true", default=None, help="write what can be made, and list what cannot"),
            argument(
                "--trust-checkout",
                action="store_true",
                default=None,
                help="run files of SailCompass that are not the tested ones, too",
            ),
        ],
        "--translated": [
            argument(
                "--translated", metavar="RUN", nargs="+", type=Path, help="folder of lm-eval's --output_path, or a results file"
            )
        ],
    },
    run=_make,
)
