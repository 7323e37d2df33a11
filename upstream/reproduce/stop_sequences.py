"""Steps of a batch with two stop sequences: `python stop_sequences.py MODEL`, run in a checkout."""

import sys
import time

import torch
from lm_eval.models.utils_hf import stop_sequences_criteria
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1], padding_side="left")
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
towns = ("Bangkok", "Hanoi", "Jakarta", "Manila", "Singapore", "Phnom Penh", "Vientiane", "Yangon")
rows = tokenizer([f"{town} is a town" for town in towns], return_tensors="pt", padding=True)
length = rows["input_ids"].shape[1]
criteria = stop_sequences_criteria(tokenizer, [".", ","], length, len(towns))
begin = time.time()
answers = model.generate(**rows, max_new_tokens=140, do_sample=False, stopping_criteria=criteria)
print(f"{answers.shape[1] - length} steps, {time.time() - begin:.1f} s")
for text in tokenizer.batch_decode(answers[:, length:], skip_special_tokens=True):
    print(min(text.split("."), text.split(","), key=lambda parts: len(parts[0]))[0])
