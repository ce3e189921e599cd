"""Runs the Hugging Face Trainer with max_steps, accumulated gradients and bf16, evaluates and saves
every 3 steps, then resumes from the last checkpoint."""
# long
import json
import os
import tempfile

import torch
from transformers import (GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments,
                          set_seed)

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0,
          "validation_samples": [10, 10, 10, 10],
          "plan": {"steps": 11, "iterations": 4, "batch": 12, "train": 42, "validation": 10}}


class Counter(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        counts["laps"] += 1

    def on_epoch_end(self, args, state, control, **kwargs):
        counts["epochs"] += state.epoch == int(state.epoch)

    def on_evaluate(self, args, state, control, **kwargs):
        counts["validations"] += 1

    def on_save(self, args, state, control, **kwargs):
        counts["checkpoints"] += 1


class Counting(Trainer):
    def training_step(self, model, inputs, *args, **kwargs):
        counts["samples"] += len(inputs["input_ids"])
        return super().training_step(model, inputs, *args, **kwargs)


def train(folder, steps, resume):
    set_seed(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=1,
                                       n_head=2, bos_token_id=0, eos_token_id=0))
    texts = [{"input_ids": ids, "labels": ids} for ids in torch.randint(0, 50, (42, 10))]
    arguments = TrainingArguments(
        output_dir=folder, max_steps=steps, per_device_train_batch_size=4,
        gradient_accumulation_steps=3, bf16=True, eval_strategy="steps", eval_steps=3,
        save_steps=3, logging_steps=2, report_to="none", use_cpu=True, disable_tqdm=True)
    Counting(model=model, args=arguments, train_dataset=texts, eval_dataset=texts[:10],
             callbacks=[Counter()]).train(resume_from_checkpoint=resume)


with tempfile.TemporaryDirectory() as folder:
    train(folder, 6, None)
    train(folder, 11, True)
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
