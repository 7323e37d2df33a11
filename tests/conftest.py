"""What all tests share: tiny models, data folders, and an environment that no cache or setting of the user reaches."""

import contextlib
import ctypes
import functools
import gc
import logging
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]


def modules_of_tasks(name: str) -> list[ModuleType]:
    """The modules of this name in `tasks/_shared` that tasks have loaded, which are no modules of the package (`entry.py`)."""
    return [
        module for each, module in sys.modules.items() if each.startswith("lm_eval_sea_shared_") and each.endswith(f".{name}")
    ]


# Before any library reads them. In this process nothing may ask the network; tests that need the hub start their own
# server and a process that knows its address.
_home = tempfile.TemporaryDirectory(prefix="hf_home_")
for _name in [name for name in os.environ if name.startswith("HF_")]:
    del os.environ[_name]
os.environ |= {"HF_HOME": _home.name, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
os.environ["OMP_NUM_THREADS"] = "1"  # as many tests run at once as there are cores
# What libraries and the browser keep in the user's home.
os.environ |= {name: f"{_home.name}/{name.lower()}" for name in ("PYTHAINLP_DATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}

# A fork that is killed while it draws a bar would keep tqdm's own lock, which processes share, and this one wait for ever.
tqdm.set_lock(threading.RLock())

sys.path.insert(0, str(ROOT / "scripts"))

# A shell starts its background jobs with Ctrl-C ignored, and the commands under test would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A slow machine is no fault of the code. The same code gets the same examples, so that a run can be repeated;
# `--hypothesis-profile new_examples` tries others.
settings.register_profile("same_examples", deadline=None, derandomize=True)
settings.register_profile("new_examples", deadline=None)
settings.load_profile("same_examples")


# They take minutes, on one core.
LONGEST = ("test_lm_evals_own_checks_pass", "test_the_quick_tests_pass_on_it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest tests first: begun last, one of them would have all other processes wait for it."""
    items.sort(key=lambda item: item.name not in LONGEST)


@pytest.fixture(scope="session")
def everything(pytestconfig) -> bool:
    """Whether checks are made of all tasks, as `bash scripts/test.sh --all` does, or of one of each kind."""
    return "not slow" not in pytestconfig.getoption("markexpr")


@pytest.fixture(autouse=True)
def heard_log() -> Iterator[None]:
    """Lets the log speak again after a test: scripts that print tables silence it for the rest of their process."""
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="session", autouse=True)
def frozen_modules() -> None:
    """Has no garbage looked for in what was imported: a third of a second each time, and backends do it for each batch size."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def known_machine() -> Iterator[None]:
    """Asks once what the machine is, for which lm-eval starts pip and ten other programs, and reads its certificates once."""
    from torch.utils import collect_env

    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((collect_env, "get_pretty_env_info"), (ssl, "create_default_context")):
            patch.setattr(module, name, functools.cache(getattr(module, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def lm_evals_log() -> None:
    """Sets up lm-eval's log, which stops propagating then: the first test of a process to do so would hear nothing of it."""
    from lm_eval.utils import setup_logging

    setup_logging()


@pytest.fixture(scope="session", autouse=True)
def known_tasks() -> Iterator[None]:
    """Reads the task files of the pack and of lm-eval once: a `TaskManager` does so anew, for two to ten seconds."""
    import lm_eval.tasks
    from lm_eval.tasks._index import TaskIndex

    build, fixed = TaskIndex.build, (ROOT / "lm_eval_sea" / "tasks", Path(lm_eval.tasks.__file__).parent)
    build_once = functools.cache(lambda folder: build([folder]))

    def known(folders: Iterable[Path], **options: bool) -> dict:
        if options:
            return build(folders, **options)
        found = {}
        for folder in folders:
            found |= build_once(folder) if any(map(folder.is_relative_to, fixed)) else build([folder])
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TaskIndex, "build", staticmethod(known))
        yield


def _tiny_model(factory: pytest.TempPathFactory, *, bos: bool) -> Path:
    from make_tiny_model import make_model

    folder = factory.mktemp("tiny_model")
    make_model(folder, bos=bos, max_length=8192, hidden=64, layers=2, seed=0)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """A random model whose tokenizer adds no begin-of-sequence token."""
    return _tiny_model(tmp_path_factory, bos=False)


@pytest.fixture(scope="session")
def tiny_model_bos(tmp_path_factory) -> Path:
    """A random model whose tokenizer adds one."""
    return _tiny_model(tmp_path_factory, bos=True)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The mirror folder of hand-written rows."""
    return ROOT / "lm_eval_sea" / "samples"


@pytest.fixture
def no_rights() -> Iterator[Callable[[Path], None]]:
    """Takes all rights to a file or folder from this process, also if it is root's, until the test ends."""
    with contextlib.ExitStack() as undone:
        if not os.geteuid():
            capabilities = getattr(ctypes.CDLL(None), "capset", None)
            if capabilities is None:
                pytest.skip("root reads every file, and this system cannot take that right from a process")
            header, before = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
            ctypes.CDLL(None).capget(header, before)
            fewer = (ctypes.c_uint32 * 6)(before[0] & ~0b110, *before[1:])  # without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
            capabilities(header, fewer)
            undone.callback(capabilities, header, before)

        def no_rights(path: Path) -> None:
            path.chmod(0)
            undone.callback(path.chmod, 0o755)

        yield no_rights


@pytest.fixture
def in_samples(samples, monkeypatch) -> Path:
    """The same as the current folder."""
    monkeypatch.chdir(samples)
    return samples


@pytest.fixture(scope="session")
def copied_samples(samples, tmp_path_factory) -> Path:
    """Where a copy of the hand-written rows lies while no test uses it: many small files take long to copy and to remove."""
    folder = tmp_path_factory.mktemp("samples") / "mirror"
    shutil.copytree(samples, folder)
    return folder


@pytest.fixture
def mirror(samples, copied_samples, tmp_path, monkeypatch) -> Iterator[Path]:
    """A copy of the hand-written rows, as the current folder; a test may change it."""
    folder = copied_samples.rename(tmp_path / "mirror")
    before = states(folder)
    monkeypatch.chdir(folder)
    yield folder
    _mirror_again(samples, folder, before)
    folder.rename(copied_samples)


def states(folder: Path) -> dict[str, tuple[int, ...]]:
    """Names of the files and folders below a folder → what changes with them; the last number even if the others are set back."""
    places = [os.path.join(where, name) for where, *both in os.walk(folder) for names in both for name in names]
    found = {place[len(f"{folder}/") :]: os.lstat(place) for place in places}
    return {name: (state.st_mode, state.st_size, state.st_mtime_ns, state.st_ctime_ns) for name, state in found.items()}


def _mirror_again(samples: Path, folder: Path, before: dict[str, tuple[int, ...]]) -> None:
    """Takes back what was changed in a copy."""
    after = states(folder)
    changed = {name for name, _ in before.items() ^ after.items()}
    for name in sorted(changed & after.keys(), reverse=True):  # what is in a folder before the folder
        path = folder / name
        if not path.is_dir() or path.is_symlink():
            path.unlink()
        elif not (samples / name).is_dir():
            path.rmdir()
    for name in changed:
        path, original = folder / name, samples / name
        if original.is_file() and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(original, path)


@pytest.fixture(scope="session")
def manager():
    """All tasks of the pack."""
    from lm_eval.tasks import TaskManager

    return TaskManager(include_path=str(ROOT / "lm_eval_sea" / "tasks"), include_defaults=False)


@pytest.fixture(scope="session")
def load_tasks(samples, manager):
    """Loads tasks of the pack by their names, on the hand-written rows or those of a mirror folder: name → task."""

    def load_tasks(*names: str, folder: Path = samples) -> dict:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            return manager.load(list(names))["tasks"]

    return load_tasks


@pytest.fixture(scope="session")
def hub_mirror() -> Path:
    """A mirror folder of the real rows."""
    if "SEA_HUB_MIRROR" not in os.environ:
        pytest.skip("needs real rows: set SEA_HUB_MIRROR to a folder laid out like the hub")
    return Path(os.environ["SEA_HUB_MIRROR"]).resolve()


@pytest.fixture
def in_hub_mirror(hub_mirror, monkeypatch) -> Path:
    """The same as the current folder."""
    monkeypatch.chdir(hub_mirror)
    return hub_mirror


@pytest.fixture
def run_python(tmp_path):
    """Runs `python -m MODULE ARGUMENTS` in an empty folder, with a fresh cache; both can be chosen.

    `online` is the hub's address; without it the process is told that there is no network.
    """
    (tmp_path / "empty").mkdir()

    def run(*arguments: object, cwd: Path = tmp_path / "empty", home: Path = tmp_path / "home", online: str | None = None):
        environment = dict(os.environ) | {"HF_HOME": str(home), "PYTHONPATH": str(ROOT)}
        if online:
            del environment["HF_HUB_OFFLINE"]
            environment["HF_ENDPOINT"] = online
        command = [sys.executable, "-m", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)

    return run
