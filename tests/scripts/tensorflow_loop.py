"""Trains in a hand-written TensorFlow loop: GradientTape inside of tf.function, tf.data, and a
# long
validation and a checkpoint after each epoch."""
import json
import os
import tempfile

import keras
import tensorflow as tf

counts = {"laps": 0, "samples": 0, "epochs": 0, "validations": 0, "checkpoints": 0, "losses": [],
          "validation_samples": [40, 40, 40], "plan": {"iterations": 4, "batch": 32}}
keras.utils.set_random_seed(1)
x = tf.random.normal((140, 4))
y = tf.reduce_sum(x, axis=1, keepdims=True)
train = tf.data.Dataset.from_tensor_slices((x[:100], y[:100])).shuffle(100, seed=1).batch(32)
test = tf.data.Dataset.from_tensor_slices((x[100:], y[100:])).batch(16)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)


@tf.function
def train_step(inputs, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


checkpoint = tf.train.Checkpoint(model=model)
with tempfile.TemporaryDirectory() as folder:
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    for epoch in range(3):
        for inputs, targets in train:
            counts["losses"].append(float(train_step(inputs, targets)))
            counts["laps"] += 1
            counts["samples"] += len(inputs)
        counts["epochs"] += 1
        for inputs, targets in test:
            tf.reduce_mean((model(inputs) - targets) ** 2)
        counts["validations"] += 1
        manager.save()
        counts["checkpoints"] += 1
with open(os.environ["LAPCAST_TEST_COUNTS"], "w") as out:
    json.dump(counts, out)
