"""Shows what `bench_backend.py` measured as Markdown. Pure functions over its records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from written import table

AGREEMENT = ("same predictions", "same `is_greedy`", "equal texts")


def render(records: Iterable[dict[str, Any]]) -> str:
    """One table for each backend, and one for its texts. Of records with equal setting, workload and rows, the last counts.

    Settings and agreements that are equal for the whole table stand above it, the others in columns.
    """
    tables: dict[tuple[str, bool], dict[str, dict[str, Any]]] = {}
    for record in records:
        kind = "vllm-shared-prefix" if "vllm" in record else "hf-shared-prefix", "equal_texts" in record
        key = repr([record["setting"], record["workload"], record["rows"]])
        tables.setdefault(kind, {})[key] = record
    parts = []
    for (backend, writes), of_key in tables.items():
        found = list(of_key.values())
        settings = [_setting(record["setting"]) for record in found]
        varying = [name for name in settings[0] if len({setting[name] for setting in settings}) > 1]
        common = ", ".join(value for name, value in settings[0].items() if value and name not in varying)
        rows = [{name: setting[name] for name in varying} | _row(record) for setting, record in zip(settings, found, strict=True)]
        agreed = [name for name in AGREEMENT if name in rows[0] and len({row[name] for row in rows}) == 1]
        common += "".join(f"; {name}: {rows[0][name]}" for name in agreed)
        names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in agreed]
        cells = ([row.get(name, "–") for name in names] for row in rows)
        title = f"{'Texts of `' if writes else '`'}{backend}`; {common}"
        parts.append(f"{title}\n\n{table(names, cells, texts=len(varying) + 1)}")
    return "\n".join(parts)


def _setting(setting: dict[str, Any]) -> dict[str, str]:
    count = setting["threads"]
    threads = "" if setting["device"].startswith("NVIDIA") else f"{count} thread{'s' * (count > 1)}"
    model, _, size = setting["model"].partition(" with random weights, ")
    return {
        "model": ", ".join(filter(None, [model, size.removesuffix(" parameters")])),
        "weights": f"random weights in {setting['dtype']}" if size else setting["dtype"],
        "machine": setting["device"],
        "threads": threads,
        **{name: f"{name} {version}" for name, version in setting["versions"].items()},
    }


def _row(record: dict[str, Any]) -> dict[str, str]:
    plain, shared = ("vllm", "vllm-shared-prefix") if "vllm" in record else ("hf", "hf-shared-prefix")
    before, after, rows = record[plain], record[shared], record["rows"]
    cells = {
        "workload": record["workload"],
        "rows": f"{rows:,}",
        f"`{plain}` s": f"{before['seconds']:.1f}",
        "shared s": f"{after['seconds']:.1f}",
        "times faster": _times(before["seconds"] / after["seconds"], record["times_faster"]),
    }
    needs = {}  # vLLM takes the memory it is given, and makes its own batches
    if plain == "hf":
        needs["memory MB"] = f"{before['bytes'] / 1e6:,.0f} → {after['bytes'] / 1e6:,.0f}"
        needs["batch size"] = " → ".join(dict.fromkeys(str(side["batch_size"]) for side in (before, after)))
    if "equal_texts" in record:
        kept = after["kept"]
        cells["tokens kept"] = f"{kept:,}"
        cells["tokens computed for each"] = f"{before['tokens'] / kept:.1f} → {after['tokens'] / kept:.1f}"
        return cells | needs | {"equal texts": f"{record['equal_texts']} of {rows}"}
    work, least = after["work"], after["work"]["distinct"]
    cells[f"work, `{plain}`"] = f"{before['tokens'] / least:.1f}"
    cells["work, shared (self-check)"] = f"{work['forwarded'] / least:.2f} (+{work['verification'] / least:.2f})"
    if plain == "hf":
        cells["of the limit"] = f"{least * after['plain_seconds_of_a_token'] / after['seconds']:.0%}"
    return {
        **cells,
        **needs,
        "difference, options": _difference(record["differences"]["options"]),
        "difference, prompts": _difference(record["differences"]["prompts"]),
        "same predictions": f"{record['same_predictions']:.1%}",
        "same `is_greedy`": f"{record['same_greedy']:.1%}",
    }


def _times(median: float, runs: Sequence[float]) -> str:
    """The median of several runs with the least and the most, or the only one."""
    return f"{median:.1f} ({min(runs):.1f}–{max(runs):.1f})" if len(runs) > 1 else f"{median:.1f}"


def _difference(difference: dict[str, float] | None) -> str:
    """The largest difference of two log-likelihoods, and the size of the log-likelihood it occurs at."""
    return f"{difference['nats']:.0e} of {difference['of']:,.0f}" if difference else "–"
