"""Classifies text with the Trainer of Hugging Face Transformers.

    python transformers_classify.py [--epochs 3] [--batch 16] [--texts 2400] [--out FOLDER]

The network is a small BERT with random weights, made from a configuration: nothing is downloaded.
The texts are synthetic: a text belongs to the class of which it has more words. Two trainings at the
same time need two folders, because each keeps only its own newest checkpoint.
"""

import argparse

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          set_seed)

WORDS, LENGTH = 500, 32


def make_texts(number, seed):
    """Returns texts in which words below half of the vocabulary belong to class 0, the others to
    class 1."""
    random = torch.Generator().manual_seed(seed)
    texts = []
    for _ in range(number):
        label = int(torch.randint(0, 2, (), generator=random))
        leaning = torch.rand(LENGTH, generator=random) < 0.7
        words = torch.randint(0, WORDS // 2, (LENGTH,), generator=random)
        words[leaning == bool(label)] += WORDS // 2
        texts.append({"input_ids": words, "labels": label})
    return texts


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--texts", type=int, default=2400)
    parser.add_argument("--out", default="transformers-classify")
    args = parser.parse_args()
    set_seed(0)

    model = BertForSequenceClassification(BertConfig(
        vocab_size=WORDS, hidden_size=96, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=384, max_position_embeddings=LENGTH, num_labels=2))
    arguments = TrainingArguments(
        output_dir=args.out, num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch, per_device_eval_batch_size=args.batch,
        learning_rate=2e-4, eval_strategy="epoch", save_strategy="epoch", save_total_limit=1,
        logging_steps=50, report_to="none", disable_tqdm=True)
    trainer = Trainer(model=model, args=arguments, train_dataset=make_texts(args.texts, seed=1),
                      eval_dataset=make_texts(args.texts // 8, seed=2), compute_metrics=accuracy)
    trainer.train()
    print(f"accuracy {trainer.evaluate()['eval_accuracy']:.3f}")


if __name__ == "__main__":
    main()
