"""Defines the networks of the suite as a Python user of PyTorch writes them, layer by layer.

The C++ networks are compared with them: test_reference.py compares one training step,
benchmarks/suite_vs_python.py the time. Layers have the names of the suite's checkpoints.
"""

import dataclasses

import torch
from torch import nn
from torch.nn import functional


class Flatten(nn.Module):
    """Converts images to rows: in PyTorch's order, or channels last, as Keras and the suite do."""

    channels_last = False

    def forward(self, x):
        return (x.permute(0, 2, 3, 1) if self.channels_last else x).flatten(1)


class Unflatten(nn.Module):
    """Converts rows to images."""

    channels_last = False

    def __init__(self, channels, side):
        super().__init__()
        self.channels, self.side = channels, side

    def forward(self, x):
        if self.channels_last:
            return x.view(-1, self.side, self.side, self.channels).permute(0, 3, 1, 2)
        return x.view(-1, self.channels, self.side, self.side)


def flatten_channels_last(network):
    """Makes a network flatten as the suite does, so that the suite's weights fit it."""
    for module in network.modules():
        if isinstance(module, (Flatten, Unflatten)):
            module.channels_last = True


class MnistMlp(nn.Module):
    def __init__(self, dropout=0.45):
        super().__init__()
        self.dense1, self.dropout1 = nn.Linear(784, 256), nn.Dropout(dropout)
        self.dense2, self.dropout2 = nn.Linear(256, 256), nn.Dropout(dropout)
        self.dense3 = nn.Linear(256, 10)

    def forward(self, x):
        x = self.dropout1(functional.relu(self.dense1(x.flatten(1))))
        x = self.dropout2(functional.relu(self.dense2(x)))
        return self.dense3(x)


class MnistCnn3(nn.Module):
    def __init__(self, dropout=0.2):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 64, 3), nn.Conv2d(64, 64, 3)
        self.conv3, self.flatten = nn.Conv2d(64, 64, 3), Flatten()
        self.dropout, self.dense = nn.Dropout(dropout), nn.Linear(576, 10)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = self.flatten(functional.relu(self.conv3(x)))
        return self.dense(self.dropout(x))


class RowReader(nn.Module):
    """Is a recurrent layer over the rows of an image, dropout, and a dense layer over its last
    state."""

    def __init__(self, kind, name, dropout):
        super().__init__()
        self.name = name
        self.add_module(name, kind(28, 256, batch_first=True))
        self.dropout, self.dense = nn.Dropout(dropout), nn.Linear(256, 10)
        # Keras has one bias, so the second one stays 0.
        nn.init.zeros_(self.recurrent.bias_hh_l0).requires_grad_(False)

    @property
    def recurrent(self):
        return getattr(self, self.name)

    def forward(self, x):
        states, _ = self.recurrent(x.squeeze(1))
        return self.dense(self.dropout(states[:, -1]))


class MnistRnn(RowReader):
    def __init__(self, dropout=0.2):
        super().__init__(nn.RNN, "rnn", dropout)


class MnistLstm(RowReader):
    def __init__(self, dropout=0.2):
        super().__init__(nn.LSTM, "lstm", dropout)


class MnistAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3, 2, 1), nn.Conv2d(32, 64, 3, 2, 1)
        self.flatten, self.encode = Flatten(), nn.Linear(3136, 16)
        self.decode, self.unflatten = nn.Linear(16, 3136), Unflatten(64, 7)
        self.deconv1 = nn.ConvTranspose2d(64, 64, 3, 2, 1, output_padding=1)
        self.deconv2 = nn.ConvTranspose2d(64, 32, 3, 2, 1, output_padding=1)
        self.deconv3 = nn.ConvTranspose2d(32, 1, 3, 1, 1)

    def forward(self, x):
        x = functional.relu(self.conv2(functional.relu(self.conv1(x))))
        x = self.unflatten(self.decode(self.encode(self.flatten(x))))
        x = functional.relu(self.deconv2(functional.relu(self.deconv1(x))))
        return torch.sigmoid(self.deconv3(x))


class MnistCnn(nn.Module):
    def __init__(self, pool_dropout=0.5, dense_dropout=0.0):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.flatten = Flatten()
        self.dropout1, self.dropout2 = nn.Dropout(pool_dropout), nn.Dropout(dense_dropout)
        self.dense1, self.dense2 = nn.Linear(9216, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = functional.relu(self.conv2(functional.relu(self.conv1(x))))
        x = self.dropout1(self.flatten(functional.max_pool2d(x, 2)))
        return self.dense2(self.dropout2(functional.relu(self.dense1(x))))


class SeismicFcn(nn.Module):
    def __init__(self, dropout=0.5):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.conv3, self.dropout3 = nn.Conv2d(16, 120, 13), nn.Dropout(dropout)
        self.conv4, self.dropout4 = nn.Conv2d(120, 84, 1), nn.Dropout(dropout)
        self.conv5 = nn.Conv2d(84, 2, 1)

    def forward(self, x):
        x = (x - 128 / 255) * (255 / 127)
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        x = self.dropout3(functional.relu(self.conv3(x)))
        x = self.dropout4(functional.relu(self.conv4(x)))
        return self.conv5(x).flatten(1)


class EmbryoCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.flatten, self.dense1 = Flatten(), nn.Linear(16384, 1024)
        self.dense2 = nn.Linear(1024, 4, bias=False)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu(self.conv1(x)), 2)
        x = functional.max_pool2d(functional.relu(self.conv2(x)), 2)
        return self.dense2(functional.relu(self.dense1(self.flatten(x))))


class NnTwins(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense1, self.dense2 = nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x):
        return self.dense2(functional.relu(self.dense1(x)))


class RnnSa(nn.Module):
    def __init__(self, dropout=0.2):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(20000, 128), nn.Dropout(dropout)
        self.lstm = nn.LSTM(128, 128, batch_first=True)
        self.dense1, self.dense2 = nn.Linear(128, 128), nn.Linear(128, 64)
        self.dense3 = nn.Linear(64, 2)
        # Keras has one bias, so the second one stays 0.
        nn.init.zeros_(self.lstm.bias_hh_l0).requires_grad_(False)

    def forward(self, x):
        x = self.embedding(x)
        # Keras's LSTM drops the same inputs in every step.
        x = x * self.dropout(torch.ones_like(x[:, :1]))
        states, _ = self.lstm(x)
        x = functional.relu(self.dense1(states[:, -1]))
        return self.dense3(functional.relu(self.dense2(x)))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1 = nn.Conv2d(inputs, width, 1, stride, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                            nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet50(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, padding=3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1)
        inputs = 64
        rows = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, first stride
        for number, (width, blocks, stride) in enumerate(rows, 1):
            row = []
            for _ in range(blocks):
                row.append(Bottleneck(inputs, width, stride))
                inputs, stride = 4 * width, 1
            self.add_module(f"layer{number}", nn.Sequential(*row))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class InceptionConv(nn.Module):
    def __init__(self, inputs, outputs, size=1, stride=1, padding=None):
        super().__init__()
        size = (size, size) if isinstance(size, int) else size
        padding = tuple(side // 2 for side in size) if padding is None else padding
        self.conv = nn.Conv2d(inputs, outputs, size, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x):
        return functional.relu(self.bn(self.conv(x)), inplace=True)


class InceptionBlock(nn.Module):
    """Concatenates branches: (layers, heads, pooling). A branch with heads ends in several layers side
    by side; a layer is (name, outputs, size, stride, padding)."""

    def __init__(self, inputs, branches):
        super().__init__()
        self.branches, self.outputs = branches, 0
        for layers, heads, _ in branches:
            channels = inputs
            for name, outputs, *shape in layers:
                self.add_module(name, InceptionConv(channels, outputs, *shape))
                channels = outputs
            for name, outputs, *shape in heads:
                self.add_module(name, InceptionConv(channels, outputs, *shape))
            self.outputs += sum(head[1] for head in heads) or channels

    def forward(self, x):
        results = []
        for layers, heads, pooling in self.branches:
            y = pooling(x) if pooling else x
            for name, *_ in layers:
                y = getattr(self, name)(y)
            results += [getattr(self, name)(y) for name, *_ in heads] or [y]
        return torch.cat(results, 1)


def mean_pool(x):
    return functional.avg_pool2d(x, 3, 1, 1)


def max_pool(x):
    return functional.max_pool2d(x, 3, 2)


def chain(name, *layers):
    """Returns layers called NAME_1, NAME_2 and so on."""
    return [(f"{name}_{number}", *layer) for number, layer in enumerate(layers, 1)]


def inception_blocks():
    """Returns the branches of each block of Inception v3, by its name."""
    def block_a(pooled):
        return [([("branch1x1", 64)], [], None), (chain("branch5x5", (48,), (64, 5)), [], None),
                (chain("branch3x3dbl", (64,), (96, 3), (96, 3)), [], None),
                ([("branch_pool", pooled)], [], mean_pool)]

    def block_c(width):
        return [([("branch1x1", 192)], [], None),
                (chain("branch7x7", (width,), (width, (1, 7)), (192, (7, 1))), [], None),
                (chain("branch7x7dbl", (width,), (width, (7, 1)), (width, (1, 7)), (width, (7, 1)),
                       (192, (1, 7))), [], None),
                ([("branch_pool", 192)], [], mean_pool)]

    halving = 3, 2, 0
    block_b = [([("branch3x3", 384, *halving)], [], None),
               (chain("branch3x3dbl", (64,), (96, 3), (96, *halving)), [], None), ([], [], max_pool)]
    block_d = [(chain("branch3x3", (192,), (320, *halving)), [], None),
               (chain("branch7x7x3", (192,), (192, (1, 7)), (192, (7, 1)), (192, *halving)), [], None),
               ([], [], max_pool)]
    block_e = [([("branch1x1", 320)], [], None),
               ([("branch3x3_1", 384)], [("branch3x3_2a", 384, (1, 3)), ("branch3x3_2b", 384, (3, 1))],
                None),
               (chain("branch3x3dbl", (448,), (384, 3)),
                [("branch3x3dbl_3a", 384, (1, 3)), ("branch3x3dbl_3b", 384, (3, 1))], None),
               ([("branch_pool", 192)], [], mean_pool)]
    return {"Mixed_5b": block_a(32), "Mixed_5c": block_a(64), "Mixed_5d": block_a(64),
            "Mixed_6a": block_b, "Mixed_6b": block_c(128), "Mixed_6c": block_c(160),
            "Mixed_6d": block_c(160), "Mixed_6e": block_c(192), "Mixed_7a": block_d,
            "Mixed_7b": block_e, "Mixed_7c": block_e}


class InceptionV3(nn.Sequential):
    """Returns the mean over the image of the last maps: 2,048 numbers."""

    def __init__(self):
        super().__init__()
        self.Conv2d_1a_3x3 = InceptionConv(3, 32, 3, 2, 0)
        self.Conv2d_2a_3x3 = InceptionConv(32, 32, 3, 1, 0)
        self.Conv2d_2b_3x3 = InceptionConv(32, 64, 3)
        self.maxpool1 = nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = InceptionConv(64, 80)
        self.Conv2d_4a_3x3 = InceptionConv(80, 192, 3, 1, 0)
        self.maxpool2 = nn.MaxPool2d(3, 2)
        inputs = 192
        for name, branches in inception_blocks().items():
            block = InceptionBlock(inputs, branches)
            self.add_module(name, block)
            inputs = block.outputs

    def forward(self, x):
        return super().forward(x).mean((2, 3))


class IcDr(nn.Module):
    def __init__(self):
        super().__init__()
        self.inception = InceptionV3()
        self.dense1, self.dense2 = nn.Linear(2048, 1024), nn.Linear(1024, 5)

    def forward(self, x):
        return self.dense2(functional.relu(self.dense1(self.inception(x * 2 - 1))))


# Make the optimizers with the numbers of the programs, and PyTorch's defaults for the others.
def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.001, eps=1e-7)


def retina_adam(parameters):
    return torch.optim.Adam(parameters, lr=0.0014, eps=1e-7)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01)


def sgd_momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def adadelta(parameters):
    return torch.optim.Adadelta(parameters, lr=1.0, rho=0.95, eps=1e-7)


def rmsprop(parameters):
    return torch.optim.RMSprop(parameters, lr=0.001, alpha=0.9, eps=1e-7, momentum=0.9)


def classify(outputs, inputs, labels):
    return functional.cross_entropy(outputs, labels)


def classify_by_sigmoids(outputs, inputs, labels):
    each = functional.one_hot(labels, outputs.shape[1]).to(outputs.dtype)
    return functional.binary_cross_entropy_with_logits(outputs, each)


def reconstruct(outputs, inputs, labels):
    return functional.mse_loss(outputs, inputs)


@dataclasses.dataclass(frozen=True)
class Training:
    """Describes how a program of the suite trains by default."""

    network: type
    optimizer: object
    objective: object = classify


TRAININGS = {
    "mnist-mlp": Training(MnistMlp, adam),
    "mnist-cnn3": Training(MnistCnn3, adam),
    "mnist-rnn": Training(MnistRnn, sgd),
    "mnist-lstm": Training(MnistLstm, sgd),
    "mnist-autoencoder": Training(MnistAutoencoder, adam, reconstruct),
    "mnist-cnn": Training(MnistCnn, adadelta),
    "seismic-fcn": Training(SeismicFcn, sgd_momentum),
    "cifar10-resnet50": Training(ResNet50, sgd_momentum),
    "embryo-cnn": Training(EmbryoCnn, adam),
    "nn-twins": Training(NnTwins, rmsprop),
    "rnn-sa": Training(RnnSa, adam, classify_by_sigmoids),
    "ic-dr": Training(IcDr, retina_adam),
}

# Maps PyTorch's names for recurrent layers to those of the suite's checkpoints.
SUITE_NAMES = {"weight_ih_l0": "input_weight", "weight_hh_l0": "recurrent_weight",
               "bias_ih_l0": "bias"}


def suite_tensors(network):
    """Returns the trained parameters and the buffers under the names of the suite."""
    tensors = {}
    for name, tensor in [*network.named_parameters(), *network.named_buffers()]:
        layer, _, last = name.rpartition(".")
        # PyTorch counts batches, and nothing depends on the count.
        if last == "num_batches_tracked":
            continue
        if tensor.requires_grad or not isinstance(tensor, nn.Parameter):
            tensors[f"{layer}.{SUITE_NAMES.get(last, last)}"] = tensor
    return tensors


@torch.no_grad()
def load_suite(network, weights):
    """Loads the weights of a checkpoint of the suite, which must hold every tensor."""
    tensors = suite_tensors(network)
    if set(tensors) != set(weights):
        raise SystemExit(f"other layers than the suite's: {set(tensors) ^ set(weights)}")
    for name, tensor in tensors.items():
        tensor.copy_(weights[name])
