# Trains with Keras, on the backend that KERAS_BACKEND names.
# long
# truth pydataset: 30, 40, 60
# truth frames: 40, 60
# truth tensorflow frames: 30, 40, 60
# truth loader: 30, 40, 60
# truth image_width:
# truth features:
# truth arrays:
# truth one_length:
import keras
import numpy as np
from cases import LENGTHS, run_cases

TARGETS = np.zeros(4, "float32")


class Batches(keras.utils.PyDataset):
    def __init__(self, make):
        super().__init__()
        self.make = make

    def __len__(self):
        return len(LENGTHS)

    def __getitem__(self, i):
        return self.make(LENGTHS[i]), TARGETS


def reader():
    return keras.Sequential([keras.layers.Input((None,), dtype="int32"), keras.layers.Embedding(9, 4),
                             keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])


def fit(model, data, **options):
    model.compile("sgd", "mse", jit_compile=keras.backend.backend() == "jax")
    model.fit(data, verbose=0, shuffle=False, **options)


def case_pydataset():
    fit(reader(), Batches(lambda length: np.ones((4, length), "int32")))


def case_frames():
    fit(keras.Sequential([keras.layers.Input((None, 3)), keras.layers.LSTM(4), keras.layers.Dense(1)]),
        Batches(lambda length: np.ones((4, length, 3), "float32")))


def case_loader():
    import torch

    def padded(items):
        return torch.ones(len(items), max(items), dtype=torch.int32), torch.zeros(len(items))

    items = [length for longest in LENGTHS for length in (longest, 5, 5, 5)]
    fit(reader(), torch.utils.data.DataLoader(items, batch_size=4, collate_fn=padded))


def case_image_width():
    fit(keras.Sequential([keras.layers.Input((8, None, 1)), keras.layers.Conv2D(2, 3),
                          keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)]),
        Batches(lambda length: np.ones((4, 8, length, 1), "float32")))


def case_features():  # which the model sums
    fit(keras.Sequential([keras.layers.Input((None,)), keras.layers.Lambda(
        lambda x: keras.ops.sum(x, axis=1, keepdims=True), output_shape=(1,)), keras.layers.Dense(1)]),
        Batches(lambda length: np.ones((4, length), "float32")))


def case_arrays():
    fit(reader(), np.ones((28, 30), "int32"), y=np.zeros(28), batch_size=4)


def case_one_length():
    fit(reader(), Batches(lambda length: np.ones((4, 30), "int32")))


run_cases(globals())
