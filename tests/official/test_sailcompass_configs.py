"""A configuration that departs from the one known form is refused with file and line."""

from __future__ import annotations

import pytest

from lm_eval_sea.official.config_reader import ConfigError
from lm_eval_sea.official.sailcompass_configs import read_configuration

GENERATED = "configs/datasets/xquad/xquad_th_a1b2c3.py"
RANKED = "configs/datasets/xcopa/xcopa_id_ppl_a1b2c3.py"
WORDS = "configs/datasets/vsmec/vsmec_vi_a1b2c3.py"


def test_a_generated_answer(miniature):
    configuration = read_configuration(miniature, GENERATED)
    assert not configuration.is_ranked
    assert configuration.max_new_tokens == 155
    assert configuration.data_file == "data/xquad/xquad_th.json"
    assert configuration.turns()[-2:] == ["เรื่อง: {context}\nถาม: {question}", "คำตอบ:"]


def test_the_cue_of_ranked_options_is_found_without_prompt_output(miniature):
    configuration = read_configuration(miniature, RANKED)
    assert (configuration.cue, dict(configuration.options)) == ("Jawaban:", {"0": "{choice1}", "1": "{choice2}"})


def test_the_order_of_labels_is_that_of_the_comprehension(miniature):
    labels = ["Khác", "Thích thú", "Buồn bã", "Tức giận", "Sợ hãi", "Ghê tởm", "Bất ngờ"]
    assert list(read_configuration(miniature, WORDS).options) == labels


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        (GENERATED, "do_sample=False", "do_sample=True", "generation that is not greedy"),
        (GENERATED, ", max_out_len=155", "", "GenInferencer without max_out_len"),
        (GENERATED, 'role="BOT", prompt=prompt_output', 'role="HUMAN", prompt=prompt_output', "a turn of HUMAN where one of BOT"),
        (GENERATED, "prompt=prompt_output", 'prompt=""', "an empty turn"),
        (GENERATED, 'path="./data/', 'path="/tmp/data/', "not below ./data/"),
        (GENERATED, 'abbr="xquad-th"', 'abbr="xquad-th", sample=100', "the key 'sample'"),
        (GENERATED, 'abbr="xquad-th",', "", "a dictionary without the key 'abbr'"),
        (GENERATED, 'abbr="xquad-th"', "abbr=3", "abbr, which is no str"),
        (GENERATED, "xquad_datasets = [", "other = [", "must define one list <set>_datasets"),
        (RANKED, "generation_kwargs=", "max_out_len=5, generation_kwargs=", "PPLInferencer with max_out_len"),
        (RANKED, '"Jawaban: {{choice{ans}}}"', '"Jawab{ans}: {{choice{ans}}}"', "where the cue ends"),
        (RANKED, "prompt=exp_1", 'prompt="{ans}".format(ans=ans)', "labels whose turns differ before the answer"),
        (RANKED, '["0", "1"]', '["0"]', "answers that do not all begin with"),
        (WORDS, 'f"Cảm xúc: {ans}"', 'f"{ans}"', "answers that do not all begin with 'Cảm xúc:'"),
    ],
)
def test_another_form(miniature, path, old, new, message):
    file = miniature / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        read_configuration(miniature, path)
    assert str(caught.value).startswith(f"{path}:")
    assert str(caught.value).removeprefix(f"{path}:").split(":")[0].isdigit()
