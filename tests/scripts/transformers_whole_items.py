"""Trains with the Hugging Face Trainer on items that are batches already, of texts of
different lengths. The collator takes them out."""
# long
import json
import os
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

lengths = [30, 20, 25, 40, 35, 60, 50]
counts = {"laps": 7, "samples": 28, "epochs": 1, "plan": {"epochs": 1, "iterations": 7, "batch": None, "train": None},
          "sequences": ["30", "40", "60"]}


class InOrder(Trainer):
    def _get_train_sampler(self, *arguments):
        return None


set_seed(1)
model = GPT2LMHeadModel(GPT2Config(vocab_size=60, n_positions=2048, n_embd=16, n_layer=1, n_head=2, bos_token_id=1,
                                   eos_token_id=1))
items = [dict.fromkeys(("input_ids", "labels"), torch.ones(4, length, dtype=torch.long)) for length in lengths]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(output_dir=folder, num_train_epochs=1, per_device_train_batch_size=1, save_strategy="no",
                                  report_to="none", use_cpu=True, disable_tqdm=True)
    InOrder(model=model, args=arguments, train_dataset=items, data_collator=lambda items: items[0]).train()
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
