// Tests the five networks of [G] (see ../suite.toml): their sizes, each against its description,
// and that they learn.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "common/adam.h"
#include "common/device.h"
#include "common/precision.h"
#include "common/sgd.h"
#include "models/layers_test.h"
#include "models/mnist_autoencoder.h"
#include "models/mnist_cnn3.h"
#include "models/mnist_lstm.h"
#include "models/mnist_mlp.h"
#include "models/mnist_rnn.h"
#include "models/network_test.h"
#include "models/training_test.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kPixels = 28 * 28;

// The numbers are those of Keras. By hand: (784 + 1) 256 + (256 + 1) 256 + (256 + 1) 10, and so on.
TEST(MnistNetworks, HaveTheSizesOfTheirDescriptions) {
  expect_layers_fit(MnistMlp(0.45), {kPixels, 269322, 10});
  expect_layers_fit(MnistCnn3(0.2), {kPixels, 80266, 10});
  expect_layers_fit(MnistRnn(0.2), {kPixels, 75530, 10});
  expect_layers_fit(MnistLstm(0.2), {kPixels, 294410, 10});
  expect_layers_fit(MnistAutoencoder(), {kPixels, 178001, kPixels});
}

int64_t multiply_adds(const Network& network) {
  int64_t sum = 0;
  for (const LayerSize& layer : network.layers()) sum += layer.multiply_adds;
  return sum;
}

TEST(MnistNetworks, CountTheirMultiplications) {
  EXPECT_EQ(multiply_adds(MnistMlp(0)), 784 * 256 + 256 * 256 + 256 * 10);
  EXPECT_EQ(multiply_adds(MnistCnn3(0)), 9 * 64 * 26 * 26 + 9 * 64 * 64 * (11 * 11 + 3 * 3) + 5760);
  EXPECT_EQ(multiply_adds(MnistRnn(0)), 28 * (28 + 256) * 256 + 2560);
  EXPECT_EQ(multiply_adds(MnistLstm(0)), 28 * (28 + 256) * 1024 + 2560);
  EXPECT_EQ(multiply_adds(MnistAutoencoder()), 9 * 32 * 14 * 14 + 9 * 32 * 64 * 7 * 7 +
                                                   2 * 3136 * 16 + 9 * 64 * 64 * 7 * 7 +
                                                   9 * 64 * 32 * 14 * 14 + 9 * 32 * 28 * 28);
}

TEST(MnistNetworks, GiveOneLogitPerClassOrAnImage) {
  const at::Tensor images = some_digits(3, MnistPart::kTest)->take(0, 3).inputs;
  for (const bool training : {false, true}) {
    EXPECT_EQ(MnistMlp(0.45).forward(images, training).sizes(), (at::IntArrayRef{3, 10}));
    EXPECT_EQ(MnistCnn3(0.2).forward(images, training).sizes(), (at::IntArrayRef{3, 10}));
    EXPECT_EQ(MnistRnn(0.2).forward(images, training).sizes(), (at::IntArrayRef{3, 10}));
    EXPECT_EQ(MnistLstm(0.2).forward(images, training).sizes(), (at::IntArrayRef{3, 10}));
    EXPECT_EQ(MnistAutoencoder().forward(images, training).sizes(), images.sizes());
  }
}

TEST(MnistMlp, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistMlp network(0);
  expect_described(network, Objective::kClassify, [](const at::Tensor& images, Weights& w) {
    at::Tensor x = images.reshape({-1, kPixels});
    x = at::relu(at::linear(x, w["dense1.weight"], w["dense1.bias"]));
    x = at::relu(at::linear(x, w["dense2.weight"], w["dense2.bias"]));
    return at::linear(x, w["dense3.weight"], w["dense3.bias"]);
  });
}

TEST(MnistCnn3, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistCnn3 network(0);
  expect_described(network, Objective::kClassify, [](const at::Tensor& images, Weights& w) {
    at::Tensor x = at::relu(at::conv2d(images, w["conv1.weight"], w["conv1.bias"]));
    x = at::relu(at::conv2d(at::max_pool2d(x, 2), w["conv2.weight"], w["conv2.bias"]));
    x = at::relu(at::conv2d(at::max_pool2d(x, 2), w["conv3.weight"], w["conv3.bias"]));
    x = x.permute({0, 2, 3, 1}).reshape({-1, 576});  // channels last, as Keras flattens
    return at::linear(x, w["dense.weight"], w["dense.bias"]);
  });
}

TEST(MnistRnn, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistRnn network(0);
  expect_described(network, Objective::kClassify, [](const at::Tensor& images, Weights& w) {
    at::Tensor h = at::zeros({images.size(0), 256});
    for (int64_t row = 0; row < 28; ++row) {
      const at::Tensor x = images.select(1, 0).select(1, row);
      h = at::tanh(at::matmul(x, w["rnn.input_weight"].t()) +
                   at::matmul(h, w["rnn.recurrent_weight"].t()) + w["rnn.bias"]);
    }
    return at::linear(h, w["dense.weight"], w["dense.bias"]);
  });
}

TEST(MnistLstm, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  MnistLstm network(0);
  expect_described(network, Objective::kClassify, [](const at::Tensor& images, Weights& w) {
    at::Tensor h = at::zeros({images.size(0), 256}), c = h;
    for (int64_t row = 0; row < 28; ++row) {
      const at::Tensor x = images.select(1, 0).select(1, row);
      const at::Tensor gates = at::matmul(x, w["lstm.input_weight"].t()) +
                               at::matmul(h, w["lstm.recurrent_weight"].t()) + w["lstm.bias"];
      const std::vector<at::Tensor> gate = gates.chunk(4, 1);  // i, f, g, o
      c = at::sigmoid(gate[1]) * c + at::sigmoid(gate[0]) * at::tanh(gate[2]);
      h = at::sigmoid(gate[3]) * at::tanh(c);
    }
    return at::linear(h, w["dense.weight"], w["dense.bias"]);
  });
}

at::Tensor turned(const at::Tensor& x) {
  return x.flip({2, 3});
}

/// Computes Keras's strided layer ("same"), which adds one row and column of zeros at the bottom
/// right; a transposed convolution removes one.
at::Tensor keras_halving(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return at::relu(at::conv2d(at::constant_pad_nd(x, {0, 1, 0, 1}), weight, bias, 2));
}

at::Tensor keras_doubling(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const int64_t side = 2 * x.size(2);
  const at::Tensor whole = at::conv_transpose2d(x, weight, bias, 2);
  return at::relu(whole.narrow(2, 0, side).narrow(3, 0, side));
}

/// Compares with Keras's network for images and weights rotated by 180 degrees.
TEST(MnistAutoencoder, IsKerasNetworkForTurnedImages) {
  at::manual_seed(3);
  MnistAutoencoder network;
  expect_described(network, Objective::kReconstruct, [](const at::Tensor& images, Weights& w) {
    at::Tensor x = keras_halving(turned(images), turned(w["conv1.weight"]), w["conv1.bias"]);
    x = turned(keras_halving(x, turned(w["conv2.weight"]), w["conv2.bias"]));
    x = x.permute({0, 2, 3, 1}).reshape({-1, 3136});  // channels last, as Keras flattens
    x = at::linear(x, w["encode.weight"], w["encode.bias"]);
    x = at::linear(x, w["decode.weight"], w["decode.bias"]);
    x = turned(x.reshape({-1, 7, 7, 64}).permute({0, 3, 1, 2}));
    x = keras_doubling(x, turned(w["deconv1.weight"]), w["deconv1.bias"]);
    x = keras_doubling(x, turned(w["deconv2.weight"]), w["deconv2.bias"]);
    x = at::conv_transpose2d(x, turned(w["deconv3.weight"]), w["deconv3.bias"], 1, 1);
    return turned(at::sigmoid(x));
  });
}

at::Tensor weight_of(const Network& network, const std::string& name) {
  return network.named_parameters()[name].detach();
}

TEST(MnistNetworks, BeginAsKerasDoes) {
  at::manual_seed(1);
  const MnistLstm lstm(0);
  const at::Tensor bias = weight_of(lstm, "lstm.bias");
  EXPECT_EQ(bias.sum().item<float>(), 256);  // the forget gate's bias
  EXPECT_EQ(bias.narrow(0, 256, 256).sum().item<float>(), 256);
  const at::Tensor u = weight_of(lstm, "lstm.recurrent_weight");
  EXPECT_TRUE(at::allclose(at::mm(u.t(), u), at::eye(256), 0, 1e-5));
  const double widest = weight_of(lstm, "lstm.input_weight").abs().max().item<double>();
  EXPECT_NEAR(widest, std::sqrt(6.0 / (28 + 1024)), 1e-4);  // Glorot, all gates together
  const at::Tensor v = weight_of(MnistRnn(0), "rnn.recurrent_weight");
  EXPECT_TRUE(at::allclose(at::mm(v.t(), v), at::eye(256), 0, 1e-5));
}

template <typename Rule, typename Net, typename... Arguments>
Learner<Rule> learner(const LearnerSetup& setup, Arguments... arguments) {
  at::set_num_threads(1);
  return Learner<Rule>([=] { return std::make_shared<Net>(arguments...); }, setup);
}

template <typename Rule, typename Net, typename... Arguments>
void expect_same_for_same_seed(Arguments... arguments) {
  const Batch batch = some_digits(16, MnistPart::kTraining)->take(0, 16);
  const auto loss = [&](uint64_t seed) {
    auto trained = learner<Rule, Net>({.seed = seed}, arguments...);
    trained.loss_of_step(batch);
    return trained.loss_of_step(batch);
  };
  EXPECT_EQ(loss(1), loss(1));
  EXPECT_NE(loss(1), loss(2));
}

TEST(MnistNetworks, TrainAlikeForTheSameSeed) {
  expect_same_for_same_seed<Adam, MnistMlp>(0.45);
  expect_same_for_same_seed<Adam, MnistCnn3>(0.2);
  expect_same_for_same_seed<Sgd, MnistRnn>(0.2);
  expect_same_for_same_seed<Sgd, MnistLstm>(0.2);
}

/// Checks that the loss of a step on 16 digits in mixed precision is nearly that of the step in
/// fp32.
template <typename Net, typename... Arguments>
void expect_trains_in_bf16(Objective objective, Arguments... arguments) {
  const Batch batch = some_digits(16, MnistPart::kTraining)->take(0, 16);
  const auto loss = [&](bool bf16) {
    return learner<Sgd, Net>({objective, 1, bf16}, arguments...).loss_of_step(batch);
  };
  EXPECT_NEAR(loss(true), loss(false), 0.02);
}

TEST(MnistNetworks, TrainInMixedPrecision) {
  try {
    require_bf16(torch::kCPU);
  } catch (const DeviceError& error) {
    GTEST_SKIP() << error.what();
  }
  expect_trains_in_bf16<MnistMlp>(Objective::kClassify, 0.0);
  expect_trains_in_bf16<MnistCnn3>(Objective::kClassify, 0.0);
  expect_trains_in_bf16<MnistRnn>(Objective::kClassify, 0.0);
  expect_trains_in_bf16<MnistLstm>(Objective::kClassify, 0.0);
  expect_trains_in_bf16<MnistAutoencoder>(Objective::kReconstruct);
}

/// Returns the accuracy on 1,000 test digits after passes over `samples` in batches of 16.
template <typename Rule, typename Net, typename... Arguments>
double accuracy_after(int64_t samples, int64_t passes, Arguments... arguments) {
  auto trained = learner<Rule, Net>({}, arguments...);
  const auto training = some_digits(samples, MnistPart::kTraining);
  for (int64_t epoch = 1; epoch <= passes; ++epoch) trained.train_epoch(*training, 16, epoch);
  const double accuracy = trained.validate(*some_digits(1000, MnistPart::kTest)).accuracy();
  std::cout << "accuracy after " << passes << " x " << samples << ": " << accuracy << '\n';
  return accuracy;
}

// A linear classifier reaches 63.8 % on these sets with all 60,000 digits.
TEST(MnistMlp, LearnsSyntheticDigits) {
  EXPECT_GT((accuracy_after<Adam, MnistMlp>(4000, 3, 0.45)), 0.60);
}

TEST(MnistCnn3, LearnsSyntheticDigits) {
  EXPECT_GT((accuracy_after<Adam, MnistCnn3>(3000, 1, 0.2)), 0.70);
}

TEST(MnistRnn, LearnsSyntheticDigits) {
  EXPECT_GT((accuracy_after<Sgd, MnistRnn>(2000, 3, 0.2)), 0.40);
}

/// Uses Adam, because an LSTM learns slowly at first under its own SGD (suite/docs/workloads.md).
TEST(MnistLstm, LearnsSyntheticDigits) {
  EXPECT_GT((accuracy_after<Adam, MnistLstm>(1000, 2, 0.2)), 0.30);
}

TEST(MnistAutoencoder, LearnsToReconstruct) {
  if (!std::getenv("LAPCAST_LONG_TESTS")) GTEST_SKIP() << "long: set LAPCAST_LONG_TESTS=1";
  auto trained = learner<Adam, MnistAutoencoder>({Objective::kReconstruct});
  const auto training = some_digits(2000, MnistPart::kTraining);
  const auto test = some_digits(500, MnistPart::kTest);
  for (int64_t epoch = 1; epoch <= 3; ++epoch) trained.train_epoch(*training, 16, epoch);
  const at::Tensor images = test->take(0, 500).inputs;
  // The mean image has this error.
  const at::Tensor mean = images.mean(0, true).expand_as(images);
  const double mean_image = at::mse_loss(mean, images).item<double>();
  const double loss = trained.validate(*test).loss();
  std::cout << "loss after 3 x 2000: " << loss << ", of the mean image " << mean_image << '\n';
  EXPECT_LT(loss, 0.85 * mean_image);
}

}  // namespace
}  // namespace lapcast::workloads
