"""What SEA-HELM computes from samples of lm-eval runs."""

from lm_eval_sea.catalogue import Refusal

# MetricX as SEA-HELM uses it; here, because the help of the command names it without loading the model's libraries.
OFFICIAL_MODEL = "google/metricx-24-hybrid-xxl-v2p6-bfloat16"
OFFICIAL_TOKENIZER = "google/mt5-xl"
OFFICIAL_BATCH = 64  # rows
SEAHELM, GOOGLE = "seahelm", "google"
EOS_RULES = (SEAHELM, GOOGLE)  # how end tokens are treated; see `metricx_model.tokens_of`


class SeaHelmError(Refusal, RuntimeError):
    """A judge, its prompts or a metric model cannot be used; one line that says what is wrong and how to fix it."""

    status = 1
