# Trains with Keras on TensorFlow, whose batches come out of tf.data within a graph.
# long
# truth padded: 30, 40, 60
# truth ragged: 30, 40, 60
# truth buckets: 180 tokens
# truth frames: 30, 40, 60
# truth own_loop: 30, 40, 60
# truth image_width:
# truth features:
# truth edges:
# truth captions_of_images:
# truth frames_without_steps:
import keras
import numpy as np
import tensorflow as tf
from cases import LENGTHS, run_cases

ANY = tf.TensorSpec((None,), tf.float32)


def reader():
    return keras.Sequential([keras.layers.Input((None,), dtype="int32"), keras.layers.Embedding(9, 4),
                             keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])


def batches(make, *specs):
    return tf.data.Dataset.from_generator(lambda: map(make, LENGTHS), output_signature=specs)


def fit(model, data):
    model.compile("sgd", "mse", jit_compile=False)
    model.fit(data, verbose=0)


def summed(inputs, *axes):
    """Returns a model that adds up its inputs, whatever their sides."""
    sums = [keras.layers.Lambda(lambda x, axis=axis: keras.ops.reshape(keras.ops.mean(keras.ops.cast(x, "float32"), axis=axis),
                                                                       (-1, 1)), output_shape=(1,))(each)
            for each, axis in zip(inputs, axes)]
    return keras.Model(inputs, keras.layers.Dense(1)(sums[0]))


def case_padded():
    items = [(np.ones(length), 0.0) for longest in LENGTHS for length in (longest, 5, 5, 5)]
    fit(reader(), tf.data.Dataset.from_generator(lambda: items, output_signature=(
        tf.TensorSpec((None,), tf.int32), tf.TensorSpec((), tf.float32))).padded_batch(4))


def case_ragged():
    texts = tf.ragged.constant([[1] * length for longest in LENGTHS for length in (longest, 5, 5, 5)], dtype=tf.int32)
    fit(reader(), tf.data.Dataset.from_tensor_slices((texts, np.zeros(28))).batch(4))


def case_buckets():  # of 6 x 30, 3 x 40, 2 x 60
    items = [(np.ones(length), 0.0) for length in (29, 30, 28, 5, 6, 7, 40, 39, 38, 29, 30, 30, 30, 5, 6, 60, 59, 5, 6, 7, 8, 9, 25)]
    data = tf.data.Dataset.from_generator(lambda: items, output_signature=(
        tf.TensorSpec((None,), tf.int32), tf.TensorSpec((), tf.float32)))
    fit(reader(), data.bucket_by_sequence_length(lambda text, target: tf.shape(text)[0], [31, 41], [6, 3, 2]))


def case_frames():
    fit(keras.Sequential([keras.layers.Input((None, 3)), keras.layers.Masking(), keras.layers.GRU(4), keras.layers.Dense(1)]),
        batches(lambda n: (np.ones((4, n, 3)), np.zeros(4)), tf.TensorSpec((None, None, 3), tf.float32), ANY))


def case_own_loop():
    model, optimizer = reader(), keras.optimizers.SGD()
    for texts, targets in batches(lambda n: (np.ones((4, n)), np.zeros(4)), tf.TensorSpec((None, None), tf.int32), ANY):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(texts)[:, 0] - targets) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))


def case_image_width():
    fit(keras.Sequential([keras.layers.Input((8, None, 1)), keras.layers.Conv2D(2, 3), keras.layers.GlobalAveragePooling2D(),
                          keras.layers.Dense(1)]),
        batches(lambda n: (np.ones((4, 8, n, 1)), np.zeros(4)), tf.TensorSpec((None, 8, None, 1), tf.float32), ANY))


def case_features():
    fit(summed([keras.Input((None,))], 1),
        batches(lambda n: (np.ones((4, n)), np.zeros(4)), tf.TensorSpec((None, None), tf.float32), ANY))


def case_edges():  # of graphs: two rows, and another number of nodes
    inputs = [keras.Input((3,), name="nodes"), keras.Input((None,), dtype="int32", name="edges")]
    fit(summed(inputs, 1, 1), batches(
        lambda n: ({"nodes": np.ones((n, 3)), "edges": np.ones((2, 2 * n))}, np.zeros(n)),
        {"nodes": tf.TensorSpec((None, 3), tf.float32), "edges": tf.TensorSpec((2, None), tf.int32)}, ANY))


def case_captions_of_images():  # of any size, which take most of the memory
    inputs = [keras.Input((None, None, 1), name="image"), keras.Input((None,), dtype="int32", name="text")]
    fit(summed(inputs, (1, 2, 3), 1), batches(
        lambda n: ({"image": np.ones((4, n, n, 1)), "text": np.ones((4, n))}, np.zeros(4)),
        {"image": tf.TensorSpec((None, None, None, 1), tf.float32), "text": tf.TensorSpec((None, None), tf.int32)}, ANY))


def case_frames_without_steps():  # an image whose layers say nothing of steps
    fit(summed([keras.Input((None, 3))], (1, 2)),
        batches(lambda n: (np.ones((4, n, 3)), np.zeros(4)), tf.TensorSpec((None, None, 3), tf.float32), ANY))


run_cases(globals())
