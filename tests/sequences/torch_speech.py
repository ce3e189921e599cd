# Trains on speech and on images in loops of PyTorch. Only what the batch itself calls a length is one.
# truth frames_with_lengths: 40, 60
# truth spectrogram: 40, 60
# truth packed: 45 tokens, 55 tokens, 75 tokens
# truth width_of_images:
# truth frames_alone:
# truth features:
import torch
from cases import LENGTHS, run_cases
from torch.utils.data import DataLoader

ITEMS = [length for longest in LENGTHS for length in (longest, 5, 5, 5)]


def train(collate, used):
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for batch in DataLoader(ITEMS, batch_size=4, collate_fn=collate):
        loss = (weight * used(batch)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def letters(items):
    return torch.ones(4, 7 + items[0] % 5, dtype=torch.long)


def case_frames_with_lengths():
    train(lambda items: (torch.rand(4, max(items), 8), letters(items), torch.tensor(items), torch.tensor([7] * 4)),
          lambda batch: batch[0].mean())


def case_spectrogram():  # torchaudio's way, with lists of lengths
    train(lambda items: (torch.rand(4, 1, 8, max(items)), letters(items).float(), items, [7] * 4), lambda batch: batch[0].mean())


def case_packed():
    def in_one_row(items):
        ids = torch.ones(1, sum(items), dtype=torch.long)
        return {"input_ids": ids, "position_ids": ids}

    train(in_one_row, lambda batch: batch["input_ids"].float().mean())


def case_width_of_images():
    train(lambda items: (torch.rand(4, 3, 8, max(items)), torch.tensor(items) % 10), lambda batch: batch[0].mean())


def case_frames_alone():  # that they are speech is told by nothing, and the letters are not what takes the memory
    train(lambda items: (torch.rand(4, max(items), 8), letters(items)), lambda batch: batch[0].mean())


def case_features():
    train(lambda items: (torch.rand(4, max(items)), torch.zeros(4)), lambda batch: batch[0].mean())


run_cases(globals())
