"""Comparing languages on a parallel test: the same questions, asked in each. Pure functions, no I/O.

An answer is right or wrong; a question has the same id and the same cluster (its passage) in all languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from lm_eval_sea.results.uncertainty import FEWEST_CLUSTERS, Estimate, estimate, paired_difference

FEWEST_LANGUAGES = 5  # two random orders of four are the same or the reverse in one case of twelve


class Answers(NamedTuple):
    """What a model answered in one language."""

    right: Mapping[str, bool]  # by the question's id
    clusters: Mapping[str, str]  # likewise
    chosen: Mapping[str, Any] = {}  # by question, if known: the position of the chosen option; None: there is none
    limited: bool = False  # whether these are not all questions

    @property
    def accuracy(self) -> float:
        """Share of right answers, 0 to 1."""
        return sum(self.right.values()) / len(self.right)


class AgainstEnglish(NamedTuple):
    """One language beside English, on the questions asked in both. Shares and differences are 0 to 1, −1 to 1."""

    accuracy: float
    accuracy_en: float
    difference: Estimate  # accuracy − accuracy_en; standard error clustered by passage
    english_only: float  # share of the questions that are right only in English
    language_only: float  # share of those that are right only in the language
    lost: float | None  # share of the questions right in English that are wrong in the language; None: none is right


class SharedErrors(NamedTuple):
    """What the errors in two languages have in common, on the questions asked in both. Shares are 0 to 1."""

    wrong_first: float
    wrong_second: float
    wrong_in_both: float
    by_chance: float  # if the errors were independent
    excess: Estimate  # wrong_in_both − by_chance; standard error clustered by passage
    kappa: float | None  # error consistency, −1 to 1; None where fewer than `FEWEST_CLUSTERS` are wrong, or right, in a language
    same_wrong: float | None  # share of those wrong in both with the same wrong option; None if they are as few, or unknown


class RankCorrelation(NamedTuple):
    """How similarly two settings order the languages, −1 to 1; None if all languages score the same."""

    languages: int
    kendall: float | None  # τ-b, which allows for ties
    kendall_p: float | None  # two-sided, that the two orders are independent; the accuracies are taken for exact
    spearman: float | None  # ρ


class Consistency(NamedTuple):
    """The same answer in several languages, right or wrong, to the questions that were asked in all. Shares are 0 to 1."""

    of: int  # number of languages, L
    questions: int
    accuracy: float  # mean over the languages
    languages: int  # s, 2 to L: how many languages are compared at a time
    consistency: float  # M_s
    low: float | None  # of its 95 % interval, clustered by passage
    high: float | None
    ac3: float
    few: bool  # whether there are so few passages that it says little


def against_english(language: Answers, english: Answers) -> AgainstEnglish | None:
    """A language beside English, on the questions asked in both; None if there are none.

    The difference is paired: what is averaged is right(language) − right(English) of each question, 1, 0 or −1.
    """
    common = [question for question in english.right if question in language.right]
    if not common:
        return None
    own = [float(language.right[question]) for question in common]
    other = [float(english.right[question]) for question in common]
    lost, gained = (sum(a > b for a, b in zip(*pair, strict=True)) for pair in ((other, own), (own, other)))
    return AgainstEnglish(
        accuracy=sum(own) / len(common),
        accuracy_en=sum(other) / len(common),
        difference=paired_difference(own, other, [english.clusters[question] for question in common]),
        english_only=lost / len(common),
        language_only=gained / len(common),
        lost=lost / sum(other) if sum(other) else None,
    )


def shared_errors(first: Answers, second: Answers) -> SharedErrors | None:
    """Whether the questions that are wrong in one language are wrong in the other, too; None if no question was asked in both.

    With e and f the errors, 0 or 1, on n questions in the two languages,

        excess = Σ_i e_i f_i / n − ē f̄ = Σ_i (e_i − ē)(f_i − f̄) / n,   kappa = (o − c) / (1 − c)

    with o the share of questions right in both or wrong in both, and c = ē f̄ + (1 − ē)(1 − f̄): the error consistency of Geirhos
    et al. 2020 (arXiv:2006.16736). The excess is a mean of products (to first order ē and f̄ are known), whose error and test by
    passage are those of `paired_difference`. If errors are rare and none is in both languages, products hardly vary; so the
    error is at least that of independent errors, √(ē (1 − ē) f̄ (1 − f̄) / n), as in the χ² test, and that of the same questions
    with one more that is right in both and one that is wrong in both. If all answers in a language are right, or all wrong, there
    is no interval. Questions that are hard in every language make the excess positive; a model that prefers one option in one
    language and another in the other makes it negative.
    """
    common = [question for question in first.right if question in second.right]
    if not common:
        return None
    e, f = (np.array([not given.right[question] for question in common], dtype=float) for given in (first, second))
    products = ((e - e.mean()) * (f - f.mean())).tolist()
    independent = e.var() * f.var()
    more = np.prod([errors - errors.mean() for errors in (np.append(e, (0, 1)), np.append(f, (0, 1)))], axis=0).var()
    least = float(np.sqrt(max(independent, more) / len(common))) if independent else 0.0
    rarest = min(min(errors.sum(), len(common) - errors.sum()) for errors in (e, f))
    chance, same = float(e.mean() * f.mean()), float((e == f).mean())
    agreed_by_chance = chance + float((1 - e.mean()) * (1 - f.mean()))
    both = [question for question in common if not first.right[question] and not second.right[question]]
    choices = [(first.chosen.get(question), second.chosen.get(question)) for question in both]
    known = bool(first.chosen and second.chosen and len(both) >= FEWEST_CLUSTERS)
    return SharedErrors(
        wrong_first=float(e.mean()),
        wrong_second=float(f.mean()),
        wrong_in_both=len(both) / len(common),
        by_chance=chance,
        excess=paired_difference(products, [0.0] * len(common), [first.clusters[question] for question in common], least),
        kappa=(same - agreed_by_chance) / (1 - agreed_by_chance) if rarest >= FEWEST_CLUSTERS else None,
        same_wrong=sum(one is not None and one == other for one, other in choices) / len(both) if known else None,
    )


def rank_correlation(first: Mapping[str, float], second: Mapping[str, float]) -> RankCorrelation | None:
    """Rank correlation of the accuracies of the languages that two settings share; None for fewer than `FEWEST_LANGUAGES`."""
    common = [language for language in first if language in second]
    if len(common) < FEWEST_LANGUAGES:
        return None
    columns = [[accuracies[language] for language in common] for accuracies in (first, second)]
    if any(len(set(column)) == 1 for column in columns):
        return RankCorrelation(len(common), None, None, None)
    kendall, spearman = stats.kendalltau(*columns), stats.spearmanr(*columns)
    return RankCorrelation(len(common), float(kendall.statistic), float(kendall.pvalue), float(spearman.statistic))


def same_answer(answers: Collection[Hashable | None], languages: int) -> float:
    """The share of the subsets of s of the L answers to a question in which all s are equal, 0 to 1.

    The mean over questions is M_s = Σ over subsets of s languages, Σ over questions, [all s answers are equal] / (C(L, s) ·
    questions). An answer that a of the L languages share fills C(a, s) subsets, so the subsets need not be listed.
    None (an answer that could not be read) equals nothing.
    """
    counts = Counter(answer for answer in answers if answer is not None)
    return sum(comb(count, languages) for count in counts.values()) / comb(len(answers), languages)


def ac3(accuracy: float, consistency: float) -> float:
    """Harmonic mean of accuracy and consistency, all 0 to 1; 0 where both are 0."""
    return 2 * accuracy * consistency / (accuracy + consistency) if accuracy + consistency else 0.0


def consistencies(answers: Mapping[str, Answers], *, every: bool = True) -> Iterator[Consistency]:
    """SeaEval's consistency, for s = 2 to the number of languages, on the questions that were asked in all.

    There is none if the choices are unknown. Definitions of Wang et al. 2024 (https://arxiv.org/abs/2309.04766; in its
    repository src/dataset_src/eval_methods/cross_lingual_assessment.py). Without `every`, only for 2 and for all languages.
    """
    given = list(answers.values())
    common = [question for question in given[0].chosen if all(question in each.chosen for each in given)] if given else []
    if len(given) < 2 or not common:
        return
    chosen = [[each.chosen[question] for each in given] for question in common]
    clusters = [given[0].clusters.get(question, question) for question in common]
    accuracy = sum(each.right[question] for each in given for question in common) / (len(given) * len(common))
    for size in range(2, len(given) + 1) if every else dict.fromkeys((2, len(given))):
        share = estimate([same_answer(each, size) for each in chosen], clusters)
        found = (len(given), len(common), accuracy, size, share.mean, share.low, share.high, ac3(accuracy, share.mean))
        yield Consistency(*found, few=share.clusters < FEWEST_CLUSTERS)
