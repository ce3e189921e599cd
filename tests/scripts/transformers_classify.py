"""Classifies text with the Hugging Face Trainer: a small BERT with random weights, evaluated and
saved after each epoch. The texts have different lengths; those of the validation are longer."""
import json
import os
import tempfile

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0, "losses": [],
          "sequences": [], "validation_samples": [20, 20], "metrics": ["loss", "val_loss"],
          "plan": {"epochs": 2, "iterations": 7, "batch": 8, "train": 50, "validation": 20}}


class Counter(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        counts["laps"] += 1

    def on_epoch_end(self, args, state, control, **kwargs):
        counts["epochs"] += 1
        counts["samples"] += 50

    def on_evaluate(self, args, state, control, **kwargs):
        counts["validations"] += 1

    def on_save(self, args, state, control, **kwargs):
        counts["checkpoints"] += 1

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            counts["losses"].append(logs["loss"])


def sentences(number, longest):
    lengths = torch.randint(5, longest + 1, (number,)).tolist()
    words = [torch.randint(5, 100, (length,)) for length in lengths]
    return [{"input_ids": ids, "labels": int(ids[0] > 50)} for ids in words]


def padded(items):
    ids = torch.nn.utils.rnn.pad_sequence([item["input_ids"] for item in items], batch_first=True)
    return {"attention_mask": (ids > 0).long(), "labels": torch.tensor([item["labels"] for item in items]),
            "input_ids": ids}


class Longest(Trainer):
    """Notes each length that is longer than all before, from the third batch on."""
    steps = longest = 0

    def training_step(self, model, inputs, *arguments, **options):
        loss = super().training_step(model, inputs, *arguments, **options)
        length = inputs["input_ids"].shape[1]
        self.steps += 1
        if length > self.longest or self.steps == 3:
            self.longest = max(self.longest, length)
            if self.steps >= 3:
                counts["sequences"].append(str(self.longest))
        return loss


set_seed(1)
model = BertForSequenceClassification(BertConfig(
    vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=16, num_labels=2))
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, num_train_epochs=2, per_device_train_batch_size=8,
        eval_strategy="epoch", save_strategy="epoch", logging_steps=1, report_to="none",
        use_cpu=True, disable_tqdm=True)
    Longest(model=model, args=arguments, train_dataset=sentences(50, 11), eval_dataset=sentences(20, 16),
            data_collator=padded, callbacks=[Counter()]).train()
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
