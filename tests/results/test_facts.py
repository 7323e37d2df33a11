"""Where the facts of a task stand in its results, which tasks share texts, and text that is made safe to look at."""

from itertools import combinations, permutations

import pytest
from datasets.utils.logging import disable_progress_bar, enable_progress_bar
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_sea.catalogue.check import distinct_data
from lm_eval_sea.catalogue.task_list import read_tasks
from lm_eval_sea.make.on_demand import select
from lm_eval_sea.results.facts import facts_of, version_note
from lm_eval_sea.results.visible_text import visible
from lm_eval_sea.tasks._shared.hub_files import DataError
from lm_eval_sea.tasks._shared.rows import iterate_rows

MADE_ON = {"data_sha256": "0123456789abcdef", "data_revision": "f00", "pack_version": "0.1.0", "signatures": {"bleu": "tok:13a"}}
MADE_ON |= {"rows": 900, "chance": 0.25, "headline_metric": "acc", "data_source": "org/rows", "data_files": {"test": "th.jsonl"}}
IS = {"version": 1.0, "dataset": "toy", "language": "th", "variant": "to_ppl"}


def test_facts_are_read_from_metadata_and_provenance_alike():
    """Results of earlier versions have all in `metadata`; later ones have what the task was made on in `provenance` within."""
    flat = facts_of(IS | MADE_ON)
    for chosen in (["data_sha256"], ["rows", "chance"], list(MADE_ON)):
        nested = {name: MADE_ON[name] for name in chosen}
        outside = {name: value for name, value in MADE_ON.items() if name not in chosen}
        assert facts_of(IS | outside | {"provenance": nested}) == flat
    assert (flat.digest, flat.rows, flat.chance) == ("0123456789ab", 900, 0.25)
    assert (flat.headline_metric, flat.data_file) == ("acc", "th.jsonl")


@pytest.mark.parametrize(
    "name",
    [
        *("sea_xnli_th", "sea_xnli_th_p2", "sea_xcopa_id_to_ppl_e1", "sea_belebele_th-vi_to_ppl", "sea_belebele_vi_to_en"),
        *("sea_belebele_th_order", "sea_flores_th_text", "sea_xcopa_th_choice_enprompt", "sea_xcopa_th_chat_lite"),
        *("sea_belebele_th_translated_chat", "sea_belebele_shn_translated_chat", "sea_belebele_th_translated_to_ppl"),
    ],
)
def test_another_version_of_a_task_is_noted_also_of_one_that_is_made_on_demand(name):
    [task] = select([name])
    own = task.metadata["version"]
    assert version_note(name, facts_of(task.metadata, name)) is None
    older = version_note(name, facts_of(task.metadata | {"version": 0.5}, name))
    assert older == f"made with version 0.5 of the task; the installed pack has {own}"


JUNK = st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.lists(st.none()), st.dictionaries(st.text(), st.none()))


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from([*IS, *MADE_ON, "provenance", "labels", "subset", "data_splits"]), JUNK))
def test_metadata_of_any_type_is_read(metadata):
    found = facts_of(metadata)
    assert isinstance(found.headline_metric, str) and 0 <= found.chance < 1 and isinstance(found.signatures, dict)
    assert found.rows is None or found.rows > 0


def test_text_in_scripts_of_the_region_is_unchanged():
    for text in ("ភាសា​ខ្មែរ", "မြန်မာ‌ဘာသာ", "ไทย", "a\tb\nc"):  # with zero-width spaces and joiners
        assert visible(text) == text
    assert visible("a\x1b[31mb\u202ec\ud800") == "a\\x1b[31mb\\u202ec\\ud800"


def _is_long(text: object) -> bool:
    return isinstance(text, str) and len(text) >= 20


def _middle(row: set[object]) -> str:
    longest = max(filter(_is_long, row), key=len, default="")
    return longest[len(longest) // 2 - 20 :][:40] if len(longest) >= 60 else ""


@pytest.mark.slow
def test_data_sets_that_share_texts_are_of_one_family(in_hub_mirror, monkeypatch):
    """A fifth of the rows of either has a text of the other's, or, in one data set, an id: translations have no text in common.

    Texts of 20 characters hardly stand in two places by chance, nor do ids that are no numbers. Nor does the middle of a text,
    which tells sentences that another data set has as passages.
    """
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    disable_progress_bar()
    texts, family = {}, {}
    for task in distinct_data([task for task in read_tasks().tasks.values() if not task.metadata.get("subset")]):
        facts = facts_of(task.metadata, task.name)
        key = (facts.dataset, facts.sea_helm_task, facts.language)
        if key in texts or not task.source.is_at_hand:
            continue
        try:
            splits, _ = task.source.load()
        except DataError:
            continue  # what the mirror lacks
        rows = [row for row in iterate_rows(splits, task.processor, task.name) if not isinstance(row, DataError)]
        ids = [{(*key[:2], row["id"])} if not row["id"].isdecimal() else set() for row in rows]
        texts[key] = [own | {text for text in row.values() if _is_long(text)} for own, row in zip(ids, rows, strict=True)]
        family[key] = facts.family
    enable_progress_bar()
    pools = {key: set().union(*rows) for key, rows in texts.items() if rows}
    sharing = [
        (one, other)
        for one, other in combinations(pools, 2)
        if (both := pools[one] & pools[other])
        and max(sum(bool(row & both) for row in texts[key]) / len(texts[key]) for key in (one, other)) >= 0.2
    ]
    assert len({one[:2] for one, _ in sharing}) > 5
    joined = {key: "\n".join(map(str, pool)) for key, pool in pools.items()}
    for one, other in permutations(pools, 2):
        if one[2] == other[2] and family[one] != family[other]:
            middles = list(filter(None, map(_middle, texts[one][:: len(texts[one]) // 20 or 1])))
            sharing += [(one, other)] * (sum(text in joined[other] for text in middles) > max(4, 0.2 * len(middles)))
    assert not [pair for pair in sharing if family[pair[0]] != family[pair[1]]]
