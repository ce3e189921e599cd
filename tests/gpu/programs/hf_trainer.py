"""A small BERT on random tokens with the Trainer of Hugging Face."""

import argparse
import tempfile

import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback,
                          TrainingArguments)

import truth
from device import IMITATED

parser = argparse.ArgumentParser()
parser.add_argument("--per_device_train_batch_size", type=int, default=32)
parser.add_argument("--num_train_epochs", type=int, default=3)
parser.add_argument("--samples", type=int, default=6400)
parser.add_argument("--layers", type=int, default=12)
args = parser.parse_args()


class Texts(Dataset):
    def __init__(self, count):
        self.count, self.ids = count, torch.randint(5, 30000, (512, 128))

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return {"input_ids": self.ids[i % 512], "labels": i % 2,
                "attention_mask": torch.ones(128, dtype=torch.long)}


class Counter(TrainerCallback):
    def on_step_end(self, *_, **__):
        truth.step()


model = BertForSequenceClassification(BertConfig(num_hidden_layers=args.layers, num_labels=2))
settings = TrainingArguments(
    tempfile.mkdtemp(), num_train_epochs=args.num_train_epochs, eval_strategy="epoch",
    per_device_train_batch_size=args.per_device_train_batch_size, bf16=not IMITATED,
    use_cpu=IMITATED, save_strategy="no", report_to=[])
Trainer(model=model, args=settings, train_dataset=Texts(args.samples), callbacks=[Counter()],
        eval_dataset=Texts(args.samples // 8)).train()
