"""Trains with the Hugging Face Trainer and a collator that puts the texts of a batch into one row: the last
batch has two of them. The tokens of a batch count, which the model's positions do not limit."""
# long
import json
import os
import tempfile

from transformers import DataCollatorWithFlattening, GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

lengths = [20 + (i * 37) % 61 for i in range(50)]
tokens = [sum(lengths[first:first + 4]) for first in range(0, 50, 4)]
counts = {"laps": 13, "samples": 50, "epochs": 1, "plan": {"epochs": 1, "iterations": 13, "batch": 4, "train": 50},
          "sequences": [f"{most} tokens" for most in sorted({max(tokens[:end]) for end in range(3, 14)})]}


class InOrder(Trainer):
    def _get_train_sampler(self, *arguments):
        return None


set_seed(1)
model = GPT2LMHeadModel(GPT2Config(vocab_size=60, n_positions=2048, n_embd=16, n_layer=1, n_head=2, bos_token_id=1,
                                   eos_token_id=1))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(output_dir=folder, num_train_epochs=1, per_device_train_batch_size=4, save_strategy="no",
                                  report_to="none", use_cpu=True, disable_tqdm=True)
    InOrder(model=model, args=arguments, train_dataset=[{"input_ids": [1] * length} for length in lengths],
            data_collator=DataCollatorWithFlattening()).train()
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
