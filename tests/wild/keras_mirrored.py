# habit: Keras under a MirroredStrategy, whose counters have a part on each replica
# long
# needs: tensorflow
# truth laps: 12
# truth epochs: [4, 4, 4]
# truth validations: 3
# truth samples: 16
# truth plan: {"epochs": 3, "iterations": 4, "batch": 16, "train": 64, "validation": 16}
import keras
import numpy
import tensorflow

x = numpy.random.rand(80, 4).astype("float32")
y = x.sum(axis=1, keepdims=True)
with tensorflow.distribute.MirroredStrategy().scope():
    net = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    net.compile(optimizer="sgd", loss="mse")
net.fit(x, y, batch_size=16, epochs=3, validation_split=0.2, verbose=0)
