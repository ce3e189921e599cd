"""Trains a convolutional network on images like MNIST, in Keras.

    python keras_mnist_cnn.py [--epochs 12] [--batch 128] [--images 12000]

The images are synthetic (28 x 28 grey values, ten classes), so the example runs without a download.
"""

import argparse

import keras
import numpy as np
from keras import layers


def make_images(number, seed):
    """Returns ten classes of images: a bright bar under noise, whose place and direction tell the
    class."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, number)
    images = random.random((number, 28, 28, 1), dtype=np.float32) * 0.6
    for image, label in zip(images, labels):
        begin = 2 + 5 * (label % 5)
        if label < 5:
            image[begin : begin + 4] += 0.4
        else:
            image[:, begin : begin + 4] += 0.4
    return images, labels


def make_model():
    model = keras.Sequential([
        layers.Input((28, 28, 1)),
        layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Flatten(), layers.Dropout(0.5), layers.Dense(10, activation="softmax"),
    ])
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--images", type=int, default=12000)
    args = parser.parse_args()
    keras.utils.set_random_seed(0)

    x, y = make_images(args.images, seed=1)
    test_x, test_y = make_images(args.images // 6, seed=2)
    model = make_model()
    model.fit(x, y, batch_size=args.batch, epochs=args.epochs, validation_split=0.1, verbose=2)
    loss, accuracy = model.evaluate(test_x, test_y, verbose=0)
    print(f"test: loss {loss:.3f}, accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
