"""The command `lm-eval-sea make`: task files, and the rows that translated tasks read."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lm_eval_sea.commands.command import RUNS, Argument, Command, argument, existing_folder, fail, place, print_notes, switch
from lm_eval_sea.results.visible_text import counted, some_names


def _make(arguments: argparse.Namespace) -> int:
    for flag, make in (("official", _official), ("translated", _translated), ("prompts", None)):
        if arguments.names and getattr(arguments, flag):
            return fail(f"--{flag} makes all tasks and takes no NAME; leave out {arguments.names[0]}", 2)
        if make and getattr(arguments, flag):
            return make(arguments) if arguments.out else fail(f"--{flag} needs --out, the folder to write", 2)
    if arguments.names:
        return _named(arguments)
    from lm_eval_sea.catalogue.suites import unlisted
    from lm_eval_sea.make.files import by_hand, english_prompts_missing, generate, no_longer_made, replace
    from lm_eval_sea.tasks._shared.facts import TASKS_FOLDER

    out, prompts = arguments.out or TASKS_FOLDER, arguments.prompts or TASKS_FOLDER
    files = generate(prompts)
    print_notes(english_prompts_missing(prompts))
    superfluous = no_longer_made(files, out)
    if arguments.check:
        return _compared(files, out, superfluous, unlisted())
    replace(files if out.resolve() == TASKS_FOLDER else {**by_hand(), **files}, out, superfluous)
    _print_removed(superfluous)
    print(f"{len(files)} files written below {out}")
    return 0


def _compared(files: Mapping[str, str], out: Path, superfluous: Iterable[str], remarks: Iterable[str] = ()) -> int:
    from lm_eval_sea.make.files import differences

    lines = differences(files, out, superfluous)
    print("\n".join(lines) or f"{len(files)} files agree with their prompts", *remarks, sep="\n")
    return 1 if lines else 0


def _print_removed(superfluous: Sequence[str]) -> None:
    if superfluous:
        print(f"{counted(len(superfluous), 'file')} removed, no longer made: {some_names(superfluous)}")


def _named(arguments: argparse.Namespace) -> int:
    """Writes tasks that are made on demand or, without --out, those of a user's own data set."""
    from lm_eval_sea.catalogue.data_sets import FILE
    from lm_eval_sea.make.files import replace
    from lm_eval_sea.make.on_demand import files_on_demand, names_on_demand
    from lm_eval_sea.make.own_data import no_longer_made, notes_on, own_files, own_tasks

    first, *wanted = arguments.names
    out = arguments.out or Path(first)
    if arguments.out and Path(first, FILE).is_file():
        return fail(f"--out: the tasks of {first} are written to that folder, where its rows and prompts are; leave it out", 2)
    if arguments.out:
        files, superfluous, notes = files_on_demand(arguments.names), [], []
    elif not out.is_dir() and names_on_demand(first):
        return fail(f"{first} needs --out, the folder to write", 2)
    elif not out.is_dir():
        return fail(f"there is no folder {first}, and no task of this name is made on demand; `lm-eval-sea ls` lists them", 2)
    else:
        tasks = own_tasks(out, wanted or ["*"])
        files, notes = own_files(tasks), notes_on(tasks)
        superfluous = [] if wanted else no_longer_made(files, out)
    if not files:
        return fail(f"{first} makes no task {', '.join(wanted)}", 2)
    print_notes(notes)
    if arguments.check:
        return _compared(files, out, superfluous)
    replace(files, out, superfluous)
    if arguments.out:
        print(f"{counted(len(files), 'file')} written below {out}")
        return 0
    _print_removed(superfluous)
    example = next(iter(files)).removesuffix(".yaml")
    print(f"{counted(len(files), 'file')} written to {out}; to run some:")
    print(f"  lm_eval --model hf --model_args pretrained=MODEL --include_path {shlex.quote(first)} --tasks {example}")
    return 0


def _official(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.official import sailcompass_yaml, sea_helm_prompts
    from lm_eval_sea.official.task_folder import check_folder, write_folder

    is_sea_helm = (arguments.official / "seahelm_tasks").is_dir()
    example = f"{sea_helm_prompts.PREFIX}_id" if is_sea_helm else sailcompass_yaml.TAG
    check_folder(arguments.out)
    if is_sea_helm:
        made = sea_helm_prompts.official_tasks(arguments.official)
    else:
        made = sailcompass_yaml.official_tasks(arguments.official, trusted=bool(arguments.trust_checkout))
    print_notes(made.notes)
    for fault in made.faults:
        fail(fault, 1)
    if not made.files or (made.faults and not arguments.keep_going):
        advice = "; --keep-going writes what can be made" if made.files else ""
        return fail(f"nothing was written: {len(made.faults)} faults in the checkout or its rows{advice}", 1)
    write_folder(made.files, arguments.out)
    folder = shlex.quote(str(arguments.out))
    print(f"{sum(name.endswith('.yaml') for name in made.files)} task files written to {arguments.out}; this now works:")
    print(f"  lm_eval --model hf --model_args pretrained=MODEL --include_path {folder} --tasks {example}")
    return 0


def _translated(arguments: argparse.Namespace) -> int:
    from lm_eval_sea.report.languages.translated_rows import write_translations
    from lm_eval_sea.results.read import read

    files, notes = write_translations(read(*arguments.translated).best(), arguments.out)
    for file in files:
        print(f"{file.path}: {file.rows:,} rows")
        if file.untranslated:
            some = some_names(file.untranslated)
            notes.append(f"{file.path}: {len(file.untranslated):,} empty translations, replaced by the original: {some}")
    print_notes(notes)
    return 0


_NAMES = "tasks made on demand; or the folder of your own data set, and its tasks"
_CHECKOUT = "checkout of sail-sg/sailcompass or aisingapore/SEA-HELM"
_PROMPTS = "prompt files DIR/<data set>/prompts/<language>.yml (default: the pack's)"

MAKE = Command(
    name="make",
    summary="Write task files: from prompts, for your own rows, with official prompts, or for translated rows",
    about="""
Without arguments: the pack's own task files, one for each data set, language, prompt language and variant.

With the NAMEs or globs of tasks that are made on demand: their files, for plain lm_eval --include_path.

With a FOLDER that has data_set.yml and prompts/<language>.yml for your own rows: their task files, in the same folder.
NAMEs or globs after it choose some of them; without any, files that an earlier call made and this one does not are removed.
docs/own_data.md has an example.

--official writes tasks with the prompts of another benchmark, from your checkout of it, and with the pack's scores. The
prompts are not ours: do not publish the folder. docs/compare_with_papers.md says which task gives which published number.
  sail-sg/sailcompass   a task for each configuration, with its rows beside it. Configurations and loaders of rows are
                        run, each in its own process, but only files that are byte for byte those of the tested commit.
                        --trust-checkout also runs other files, as if you ran them yourself.
  aisingapore/SEA-HELM  tasks seahelm_<language>_<task> and groups seahelm_<language>, from plain YAML; no code is run. The
                        files contain the paths of the pack and the checkout: write them again when either moves.

--translated writes the rows that the tasks sea_belebele_<language>_translated_… read, from the samples of a run that
translated them. The tasks look for a folder belebele_translated in the current one. Where a translation is empty, the
original text is used and counted. Put translations from elsewhere into belebele_translated/data/jav_Latn.jsonl, with the
columns of facebook/belebele.""",
    examples="""
lm-eval-sea make                                    after a change to a prompt: write the pack's own tasks again
lm-eval-sea make --check                            do prompts and tasks agree? Writes nothing
lm-eval-sea make --prompts MINE --out MY_TASKS      a complete tasks folder from your own prompts
lm-eval-sea make sea_xnli_th_p2 'sea_belebele_th-en_*' --out MY_TASKS
                                                    tasks that are made on demand, for plain lm_eval --include_path

lm-eval-sea make myrows                             tasks for rows of your own
lm-eval-sea make myrows 'sea_myrows_th_*'           … some of them
lm-eval-sea make myrows --check                     what would be written? Writes nothing

git clone https://github.com/sail-sg/sailcompass
lm-eval-sea make --official sailcompass --out sailcompass_tasks
lm_eval --model hf --model_args pretrained=MODEL --include_path sailcompass_tasks --tasks sailcompass_xcopa_th_ppl

git clone https://github.com/aisingapore/SEA-HELM
lm-eval-sea make --official SEA-HELM --out seahelm_tasks
lm_eval --model hf --model_args pretrained=MODEL --apply_chat_template --include_path seahelm_tasks --tasks seahelm_id

lm-eval-sea run --model hf --model_args pretrained=TRANSLATOR --tasks sea_belebele_jv_to_en --output_path results --log_samples
lm-eval-sea make --translated results --out belebele_translated
lm-eval-sea run --model hf --model_args pretrained=MODEL --tasks sea_belebele_jv_translated_to_ppl""",
    exits="""0; 1 if --check finds a difference or some official tasks cannot be made (then nothing is written without
--keep-going); 2 if a prompt lacks something, CHECKOUT is not a checkout, DIR has other files, or a run lacks rows""",
    arguments=[
        argument("names", nargs="*", metavar="NAME", help=_NAMES),
        argument("--out", metavar="DIR", type=place, help="folder to write (default: the pack's own tasks)"),
    ],
    modes={
        "": [
            switch("--check", "write nothing; exit status 1 if prompts and tasks disagree"),
            argument("--prompts", metavar="DIR", type=place, help=_PROMPTS),
        ],
        "--official": [
            argument("--official", metavar="CHECKOUT", type=existing_folder, help=_CHECKOUT),
            switch("--keep-going", "write what can be made, and list what cannot"),
            switch("--trust-checkout", "also run files of SailCompass that differ from the tested ones"),
        ],
        "--translated": [Argument("--translated", RUNS.options)],
    },
    writes=True,
    run=_make,
)
