"""What SEA-HELM computes from samples of lm-eval runs."""

from lm_eval_sea.catalogue import Refusal

# MetricX as SEA-HELM uses it, here because the help of the command names it, too, without the libraries of the model.
OFFICIAL_MODEL = "google/metricx-24-hybrid-xxl-v2p6-bfloat16"
OFFICIAL_TOKENIZER = "google/mt5-xl"
OFFICIAL_BATCH = 64  # rows
SEAHELM, GOOGLE = "seahelm", "google"
EOS_RULES = (SEAHELM, GOOGLE)  # whose treatment of end tokens, see `metricx_model.tokens_of`


class SeaHelmError(Refusal, RuntimeError):
    """A judge, its prompts or a model of metrics cannot be used; one line that says what and how to mend it."""

    status = 1
