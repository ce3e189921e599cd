// Tests that every network can move to another type, and so to another device: none of its tensors
// stays behind.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/adadelta.h"
#include "common/objective.h"
#include "models/embryo_cnn.h"
#include "models/ic_dr.h"
#include "models/keras_lstm.h"
#include "models/mnist_autoencoder.h"
#include "models/mnist_cnn.h"
#include "models/mnist_cnn3.h"
#include "models/mnist_lstm.h"
#include "models/mnist_mlp.h"
#include "models/mnist_rnn.h"
#include "models/nn_twins.h"
#include "models/resnet50.h"
#include "models/rnn_sa.h"
#include "models/seismic_fcn.h"
#include "models/simple_rnn.h"

namespace lapcast::workloads {
namespace {

using Make = std::function<std::shared_ptr<Network>()>;

template <typename Net, typename... Arguments>
Make maker(Arguments... arguments) {
  return [=] { return std::make_shared<Net>(arguments...); };
}

const std::map<std::string, Make> kNetworks = {{"embryo-cnn", maker<EmbryoCnn>(0.1)},
                                               {"ic-dr", maker<IcDr>(75)},
                                               {"mnist-autoencoder", maker<MnistAutoencoder>()},
                                               {"mnist-cnn", maker<MnistCnn>(0.25, 0.5)},
                                               {"mnist-cnn3", maker<MnistCnn3>(0.2)},
                                               {"mnist-lstm", maker<MnistLstm>(0.2)},
                                               {"mnist-mlp", maker<MnistMlp>(0.2)},
                                               {"mnist-rnn", maker<MnistRnn>(0.2)},
                                               {"nn-twins", maker<NnTwins>()},
                                               {"cifar10-resnet50", maker<ResNet50>(10)},
                                               {"rnn-sa", maker<RnnSa>(0.2)},
                                               {"seismic-fcn", maker<SeismicFcn>(0.2)}};

TEST(EveryNetwork, TrainsAfterAMoveToAnotherType) {
  at::set_num_threads(1);
  for (const auto& [name, make] : kNetworks) {
    SCOPED_TRACE(name);
    const std::shared_ptr<Network> network = make();
    network->to(at::kDouble);
    std::vector<int64_t> shape = network->input_shape();
    shape.insert(shape.begin(), 2);
    const bool are_words = network->input_type() == at::kInt;
    const Batch batch{are_words ? at::ones(shape, at::kInt) : at::rand(shape, at::kDouble),
                      at::tensor({0, 1}, at::kLong)};
    const bool is_autoencoder = name == "mnist-autoencoder";
    Adadelta adadelta(network->parameters());
    at::Tensor loss;
    ASSERT_NO_THROW(loss = loss_of(is_autoencoder ? Objective::kReconstruct : Objective::kClassify,
                                   network->forward(batch.inputs, true),
                                   {is_autoencoder ? batch.inputs.to(at::kFloat) : batch.inputs,
                                    batch.labels}));
    loss.backward();
    ASSERT_NO_THROW(adadelta.step());
    ASSERT_NO_THROW(network->forward(batch.inputs, false));
  }
}

/// Expects that the weights follow each other in one array without gaps, and that it has room for
/// the second bias that cuDNN takes.
void expect_one_array(const torch::nn::Module& layer) {
  const auto weights = layer.named_parameters(/*recurse=*/false);
  int64_t end = 0;
  for (const char* name : {"input_weight", "recurrent_weight", "bias"}) {
    const at::Tensor& weight = *weights.find(name);
    EXPECT_EQ(weight.storage().data(), weights.front().value().storage().data()) << name;
    EXPECT_EQ(weight.storage_offset(), end) << name;
    EXPECT_TRUE(weight.is_contiguous()) << name;
    EXPECT_TRUE(weight.is_leaf() && weight.requires_grad()) << name;
    end += weight.numel();
  }
  const at::Tensor& bias = *weights.find("bias");
  const auto size = static_cast<int64_t>(bias.storage().nbytes() / bias.element_size());
  EXPECT_EQ(size, end + bias.numel());
}

/// Trains the layer for a step, after which its weights must still be in place.
template <typename Layer>
void expect_stays_one_array(Layer layer) {
  expect_one_array(*layer);
  const at::Tensor x = at::rand({4, 3, 5});
  const at::Tensor before = layer->forward(x);
  Adadelta adadelta(layer->parameters());
  layer->forward(x).sum().backward();
  adadelta.step();
  expect_one_array(*layer);
  EXPECT_FALSE(at::allclose(layer->forward(x), before));

  const at::Tensor trained = layer->forward(x);
  layer->to(at::kDouble);
  expect_one_array(*layer);
  EXPECT_TRUE(at::allclose(layer->forward(x.to(at::kDouble)), trained.to(at::kDouble), 1e-4, 1e-5));
  layer->to(at::Device(at::kCPU), at::kFloat);
  layer->to(at::Device(at::kCPU));
  expect_one_array(*layer);
  EXPECT_TRUE(at::equal(layer->forward(x), trained));
}

TEST(RecurrentWeights, AreOneArrayAsCudnnTakesThem) {
  at::manual_seed(1);
  expect_stays_one_array(KerasLstm(5, 6));
  expect_stays_one_array(SimpleRnn(5, 6));
}

TEST(RecurrentWeights, AreOneArrayWithinAMovedNetwork) {
  for (const char* name : {"mnist-lstm", "mnist-rnn", "rnn-sa"}) {
    const std::shared_ptr<Network> network = kNetworks.at(name)();
    network->to(at::kDouble);
    network->to(at::kFloat);
    for (const auto& child : network->named_children()) {
      if (child.key() == "lstm" || child.key() == "rnn") expect_one_array(*child.value());
    }
  }
}

}  // namespace
}  // namespace lapcast::workloads
