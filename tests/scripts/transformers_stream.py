"""Runs the Hugging Face Trainer on a stream of texts of unknown length, which needs max_steps, and
evaluates two sets before the training, every 4 steps and at the end."""
# long
import json
import os
import tempfile

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

counts = {"laps": 0, "samples": 0, "epochs": 1, "validations": 4,
          "validation_samples": [15, 15, 15, 15],
          "plan": {"steps": 9, "batch": 4, "validation": 15}}


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        for number in range(1000):
            yield {"input_ids": torch.full((6,), number % 20), "labels": number % 2}


class Counter(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        counts["laps"] += 1
        counts["samples"] += 4


def texts(number):
    return [{"input_ids": torch.full((6,), i), "labels": i % 2} for i in range(number)]


set_seed(1)
model = BertForSequenceClassification(BertConfig(
    vocab_size=20, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=16, max_position_embeddings=8, num_labels=2))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, max_steps=9, per_device_train_batch_size=4, eval_strategy="steps",
        eval_steps=4, save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True)
    trainer = Trainer(model=model, args=arguments, train_dataset=Stream(), callbacks=[Counter()],
                      eval_dataset={"first": texts(10), "second": texts(5)})
    trainer.evaluate()
    trainer.train()
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
