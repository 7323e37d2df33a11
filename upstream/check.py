"""Applies each patch to a fresh clone of lm-eval and runs lm-eval's own checks: `python upstream/check.py CHECKOUT [NAME ...]`.

With `--together` in place of names, each patch is applied and linted by itself, but tasks are validated and tested once, with all
patches on top of each other: each of these programs reads all of lm-eval's task files first, which takes longer than the tests.

CHECKOUT, or LM_EVAL_NEXT, is a git checkout of lm-eval. The hooks of its pre-commit configuration are installed from the package
index in the releases that it names, because pre-commit itself would clone them. Findings count if the checkout lacks them.
Tests are `tests/test_tasks.py` on the changed tasks, at most 24 a patch, and the tests that a patch adds. They need rows, from
the hub or, with SEA_HUB_MIRROR, from a folder laid out like it. It prints a table and fails if a patch fails.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from pathlib import Path

PATCHES = sorted((Path(__file__).parent / "patches").glob("*.patch"))
PATCH_ID = ["git", "patch-id", "--stable"]
AS_SENDER = ["-c", "user.name=lm_eval_sea", "-c", "user.email=lm_eval_sea@example.org"]
PACKAGES = {
    "pre-commit-hooks": "pre-commit-hooks",
    "ruff-pre-commit": "ruff",
    "codespell": "codespell",
    "pymarkdown": "pymarkdownlnt",
}
HOOKS = (
    "check-ast",
    "fix-byte-order-marker",
    "check-case-conflict",
    "check-merge-conflict --assume-in-merge",
    "check-yaml --unsafe",
    "end-of-file-fixer",
    "trailing-whitespace-fixer --markdown-linebreak-ext=md",
    "mixed-line-ending --fix=lf",
)
SUFFIX = {"check-ast": ".py", "check-yaml": ".yaml"}


def main(checkout: str, names: list[str], together: bool) -> int:
    """Checks the patches of these names; without names all, and all of them on top of each other."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tools = install_hooks(checkout, work / "tools")
        commit = run(["git", "-C", checkout, "rev-parse", "HEAD"]).stdout.strip()
        print(f"lm-eval {commit}\n\n| patch | applies | lint | validate | tests |\n|---|---|---|---|---|", flush=True)
        good = True
        for patch in PATCHES:
            if not names or any(name in patch.stem for name in names):
                cells = check(patch, checkout, work / patch.stem, tools, alone=not together)
                print(f"| {patch.stem} | {' | '.join(cells)} |", flush=True)
                good &= not any(cell.startswith("FAILS") for cell in cells)
        if not names:
            clone = clone_of(checkout, work / "all")
            applied = all(apply(patch, clone) for patch in PATCHES)
            cells = tests(changed_files(clone, len(PATCHES)), clone) if applied and together else []
            print(f"\nAll of them in this order: {', '.join(['apply' if applied else 'FAIL', *cells])}")
            good &= applied and not any("FAILS" in cell for cell in cells)
    return 0 if good else 1


def check(patch: Path, checkout: str, folder: Path, tools: Path, *, alone: bool) -> list[str]:
    """The cells of a patch: applies and lint, and if it is tested `alone`, validate and tests."""
    clone = clone_of(checkout, folder)
    if not all(apply(part, clone) for part in [*prerequisites(patch), patch]):
        return ["FAILS", "", "", ""]
    changed = changed_files(clone, 1)
    after = "".join(f", after {part.stem}" for part in prerequisites(patch))
    return [f"yes{after}", lint(changed, clone, tools), *(tests(changed, clone) if alone else ["with all"] * 2)]


def changed_files(clone: Path, commits: int) -> list[str]:
    """The files that the last commits changed."""
    return run(["git", "diff", "--name-only", "-z", f"HEAD~{commits}"], clone).stdout.strip("\0").split("\0")


def prerequisites(patch: Path) -> list[Path]:
    """The patches that a patch builds on, from its last lines, which `git format-patch --base` writes."""
    wanted = set(re.findall(r"^prerequisite-patch-id: (\w+)$", patch.read_text(encoding="utf-8"), re.MULTILINE))
    if not wanted:
        return []
    ids = {other: subprocess.run(PATCH_ID, input=other.read_bytes(), capture_output=True, check=True) for other in PATCHES}
    found = [other for other, done in ids.items() if done.stdout.split()[0].decode() in wanted]
    if len(found) != len(wanted):
        raise ValueError(f"{patch.name}: a patch that it builds on is not here, or has changed since")
    return found


def clone_of(checkout: str, folder: Path) -> Path:
    """A fresh clone of the checkout's commit."""
    run(["git", "clone", "--quiet", "--shared", checkout, str(folder)])
    return folder


def link_rows(clone: Path) -> None:
    """Puts SEA_HUB_MIRROR's folders into the clone, where `datasets` looks for owner/name before it asks the hub."""
    if mirror := os.environ.get("SEA_HUB_MIRROR"):
        for owner in Path(mirror).iterdir():
            if owner.is_dir() and not (clone / owner.name).exists():
                (clone / owner.name).symlink_to(owner)


def apply(patch: Path, clone: Path) -> bool:
    """Whether the patch applies, as a commit."""
    return run(["git", *AS_SENDER, "am", "--quiet", str(patch.resolve())], clone, check=False).returncode == 0


def install_hooks(checkout: str, folder: Path) -> Path:
    """Installs the tools of lm-eval's pre-commit configuration in the releases that it names; the folder of their commands."""
    config = (Path(checkout) / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    named = re.findall(r"repo: https://github\.com/\S+/(\S+)\n\s+rev: v(\S+)", config)
    venv.create(folder, with_pip=True)
    wanted = [f"{PACKAGES[repository]}=={release}" for repository, release in named]
    run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *wanted])
    return folder / "bin"


def lint(changed: list[str], clone: Path, tools: Path) -> str:
    """What the hooks find in the changed files that they do not find without the patch."""
    present = [name for name in changed if (clone / name).is_file()]
    after = findings(present, clone, tools)
    run(["git", "checkout", "--quiet", "HEAD~1"], clone)
    before = findings([name for name in present if (clone / name).is_file()], clone, tools)
    run(["git", "checkout", "--quiet", "-"], clone)
    new = after - before
    for finding in new:
        print(finding, file=sys.stderr)
    old = f", {before.total()} as before" if before else ""
    return f"FAILS: {new.total()} findings" if new else f"clean{old}"


def findings(names: list[str], clone: Path, tools: Path) -> Counter[str]:
    """Finding → how often it occurs; without line numbers, which a patch shifts."""
    python = [name for name in names if name.endswith(".py")]
    spelled = [name for name in names if not re.fullmatch(r".*\.json|ignore.txt|lm_eval/tasks/.*|.*yaml|.*\.ipynb", name)]
    markdown = [name for name in names if name.endswith(".md") and not name.startswith("lm_eval/tasks/")]
    commands = [
        (["ruff", "check", "--output-format=concise"], python),
        (["ruff", "format", "--check"], python),
        (["codespell", "--check-filenames", "--check-hidden", "--ignore-words=ignore.txt"], spelled),
        (["pymarkdown", "scan"], markdown),
    ]
    for hook in HOOKS:
        command = hook.split()
        commands.append((command, [name for name in names if name.endswith(SUFFIX.get(command[0], ""))]))
    found: Counter[str] = Counter()
    for command, files in commands:
        for part in range(0, len(files), 200):
            done = run([str(tools / command[0]), *command[1:], *files[part : part + 200]], clone, check=False)
            if done.returncode:
                lines = (done.stdout + done.stderr).splitlines()
                found.update(
                    re.sub(r":\d+(:\d+)?", "", f"{command[0]}: {line}") for line in lines if any(f in line for f in files)
                )
    run(["git", "checkout", "--quiet", "."], clone)  # some hooks mend what they find
    return found


def tests(changed: list[str], clone: Path) -> list[str]:
    """The cells of the columns validate and tests."""
    link_rows(clone)
    tasks = run([sys.executable, str(Path(__file__).with_name("changed_tasks.py")), json.dumps(changed)], clone, check=False)
    if tasks.returncode:
        return ["FAILS", f"FAILS: {tasks.stderr.strip().splitlines()[-1]}"]
    named, with_rows, without_rows = (json.loads(line) for line in tasks.stdout.splitlines()[-3:])
    validated = "no task"
    if named:  # an argument may have at most 128 KB
        parts = [",".join(named[start : start + 2000]) for start in range(0, len(named), 2000)]
        done = [run([sys.executable, "-m", "lm_eval", "validate", "--tasks", part], clone, check=False) for part in parts]
        validated = tasks_of(named) if not any(each.returncode for each in done) else "FAILS"
    cells = [test_tasks(with_rows, clone)] if with_rows else []
    if without_rows:
        cells.append(f"no rows for {tasks_of(without_rows)}")
    if own := [name for name in changed if re.fullmatch(r"tests/.*test_\w+\.py", name)]:
        cells.append(pytest(own, clone))
    failed = any("FAILS" in cell for cell in cells)
    return [validated, ("FAILS: " if failed else "") + (", ".join(cells) or "none of its own")]


def tasks_of(names: list[str]) -> str:
    """How many tasks."""
    return "1 task" if len(names) == 1 else f"{len(names)} tasks"


def test_tasks(yaml_files: list[str], clone: Path) -> str:
    """Runs lm-eval's tests/test_tasks.py on the tasks of these files, as its workflow does."""
    listed = clone / ".github" / "outputs" / "tasks_all_changed_and_modified_files.txt"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text(" ".join(yaml_files), encoding="utf-8")
    return f"{tasks_of(yaml_files)}: {pytest(['tests/test_tasks.py', '-k', 'TestNewTasksElseDefault'], clone)}"


def pytest(arguments: list[str], clone: Path) -> str:
    """How many passed, or the last line of pytest."""
    done = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments], clone, check=False)
    last = (done.stdout.strip().splitlines() or [done.stderr[-200:]])[-1]
    found = re.search(r"\d+ passed", last)
    if done.returncode or not found:
        print(done.stdout[-3000:] + done.stderr[-2000:], file=sys.stderr)
        return f"FAILS ({last})"
    return found.group()


def run(command: list[str], folder: Path | None = None, check: bool = True) -> "subprocess.CompletedProcess[str]":
    """Runs a command, in a folder with the folder's lm-eval."""
    environment = dict(os.environ)
    if folder:
        environment["PYTHONPATH"] = str(folder)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=check)


if __name__ == "__main__":
    together = "--together" in sys.argv
    given = [each for each in sys.argv[1:] if each != "--together"] or [os.environ.get("LM_EVAL_NEXT", "")]
    if not (Path(given[0]) / ".pre-commit-config.yaml").is_file():
        sys.exit("Name a git checkout of lm-eval: python upstream/check.py CHECKOUT")
    sys.exit(main(str(Path(given[0]).resolve()), given[1:], together))
