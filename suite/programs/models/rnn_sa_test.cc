#include "models/rnn_sa.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/adam.h"
#include "common/cpus.h"
#include "common/word_batches.h"
#include "data/review_texts.h"
#include "data/word_rows.h"
#include "models/layers_test.h"
#include "models/training_test.h"

namespace lapcast::workloads {
namespace {

/// Counts by hand: 20,000 x 128; 4 x 128 x (128 + 128 + 1); (128 + 1) 128; (128 + 1) 64; (64 +
/// 1) 2.
TEST(RnnSa, ListsItsLayers) {
  expect_layers_fit(RnnSa(0.2), {300, 2560000 + 131584 + 16512 + 8256 + 130, 2});
}

TEST(RnnSa, BeginsUniform) {
  at::manual_seed(1);
  const RnnSa network(0);
  const auto parameters = network.named_parameters();
  for (const char* layer : {"embedding", "dense1", "dense2", "dense3"}) {
    const at::Tensor weight = parameters[std::string(layer) + ".weight"];
    EXPECT_NEAR(weight.abs().max().item<double>(), 0.05, 0.005);
  }
  EXPECT_EQ(parameters["dense3.bias"].abs().max().item<double>(), 0);
}

/// Computes the logits by the LSTM's equations step by step. Every word's numbers are multiplied
/// with the mask, count x 128.
at::Tensor described(const RnnSa& network, const at::Tensor& rows, const at::Tensor& mask) {
  const auto w = network.named_parameters();
  at::Tensor h = at::zeros_like(mask), c = h;
  for (int64_t t = 0; t < rows.size(1); ++t) {
    const at::Tensor x = w["embedding.weight"].index_select(0, rows.select(1, t)) * mask;
    const at::Tensor gates = at::matmul(x, w["lstm.input_weight"].t()) +
                             at::matmul(h, w["lstm.recurrent_weight"].t()) + w["lstm.bias"];
    const std::vector<at::Tensor> gate = gates.chunk(4, 1);  // i, f, g, o
    c = at::sigmoid(gate[1]) * c + at::sigmoid(gate[0]) * at::tanh(gate[2]);
    h = at::sigmoid(gate[3]) * at::tanh(c);
  }
  for (const std::string layer : {"dense1", "dense2"}) {
    h = at::relu(at::linear(h, w[layer + ".weight"], w[layer + ".bias"]));
  }
  return at::linear(h, w["dense3.weight"], w["dense3.bias"]);
}

TEST(RnnSa, ComputesWhatItsDescriptionSays) {
  at::manual_seed(3);
  RnnSa network(0.2);
  const at::Tensor rows = at::randint(20000, {3, 7}, at::kInt);
  EXPECT_TRUE(at::allclose(network.forward(rows, false),
                           described(network, rows, at::ones({3, 128})), 1e-4, 1e-6));
}

/// Checks that each review loses the same numbers of all its words.
TEST(RnnSa, HasOneMaskForAllWords) {
  at::manual_seed(3);
  RnnSa network(0.2);
  const at::Tensor rows = at::randint(20000, {3, 7}, at::kInt);
  network.seed_dropout(4);
  Dropout dropout(0.2);
  dropout.seed(mix_seeds(4, 1));
  const at::Tensor mask = dropout(at::ones({3, 128}), true);
  EXPECT_GT(mask.eq(0).sum().item<int64_t>(), 40);  // of 384, a fifth
  EXPECT_TRUE(
      at::allclose(network.forward(rows, true), described(network, rows, mask), 1e-4, 1e-6));
}

/// Compares with the definition: the mean over samples and classes.
TEST(Objective, OfEachClassIsBinaryCrossEntropy) {
  const at::Tensor logits = at::tensor({0.5f, -1.0f, 2.0f, 0.0f}).view({2, 2});
  const Batch batch{logits, at::tensor({1, 0}, at::kLong)};
  const at::Tensor p = at::sigmoid(logits);
  const at::Tensor each = at::tensor({0.0f, 1.0f, 1.0f, 0.0f}).view({2, 2});
  const at::Tensor loss = at::neg((each * p.log() + (1 - each) * (1 - p).log()).mean());
  EXPECT_TRUE(at::allclose(loss_of(Objective::kEachClass, logits, batch), loss));
}

Reviews made_reviews(int64_t count, uint64_t seed) {
  Reviews reviews;
  for (int64_t i = 0; i < count; ++i) {
    Random random(mix_seeds(seed, static_cast<uint64_t>(i)));
    reviews.texts.push_back(make_review(i % 2 == 0, random));
    reviews.labels.push_back(i % 2 == 0 ? 1 : 0);
  }
  return reviews;
}

/// Returns batches of the last `words` words of each row.
TableBatches last_words(const WordRows& rows, int64_t words) {
  const Batch all = word_batches(rows, c10::kCPU)->take(0, rows.count());
  return {all.inputs.narrow(1, kReviewWords - words, words).contiguous(), all.labels};
}

/// Checks what suite/docs/workloads.md states: in full with LAPCAST_LONG_TESTS=1, else on the last
/// words of a few reviews, with small batches.
TEST(RnnSa, LearnsSyntheticReviews) {
  const bool full = std::getenv("LAPCAST_LONG_TESTS") != nullptr;
  at::set_num_threads(full ? static_cast<int>(usable_cpus()) : 1);
  const int64_t count = full ? 36000 : 1500, epochs = full ? 5 : 3, words = full ? 300 : 24;
  const WordParts parts =
      numbered(made_reviews(count, 1), made_reviews(full ? 10000 : 500, 2), {}, 2);
  TableBatches training = last_words(parts.training, words);
  const TableBatches validation = last_words(parts.validation, words);
  AdamOptions rule;
  if (!full) rule.learning_rate = 0.003;
  Learner<Adam> learner([] { return std::make_shared<RnnSa>(0.2); }, {Objective::kEachClass}, rule);
  for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
    learner.train_epoch(training, full ? 1024 : 32, epoch);
  }
  const double accuracy = learner.validate(validation).accuracy();
  std::cout << "accuracy after " << epochs << " epochs of " << count << ": " << accuracy << '\n';
  EXPECT_GT(accuracy, full ? 0.85 : 0.80);
}

}  // namespace
}  // namespace lapcast::workloads
