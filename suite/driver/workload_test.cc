#include "suite/driver/workload.h"

#include <gmock/gmock.h>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

const char* const kOne = R"([[workload]]
name = "a"
source = "[X]"
network = "5-3"
maker = "make-a"
training_samples = 100
test_samples = 30
batch = 8
epochs = 2
)";

std::string refusal(const std::string& text) {
  try {
    parse_suite(text, "s.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Suite, HasTheWorkloadsOfThePapers) {
  std::vector<std::string> names, timed;
  for (const Workload& workload : suite()) {
    names.push_back(workload.name);
    if (workload.stopwatch) timed.push_back(workload.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("mnist-mlp", "mnist-cnn3", "mnist-rnn", "mnist-lstm",
                                          "mnist-autoencoder", "mnist-cnn", "seismic-fcn",
                                          "cifar10-resnet50", "embryo-cnn", "nn-twins", "rnn-sa",
                                          "ic-dr", "mask-rcnn", "nqueens"));
  EXPECT_THAT(timed, testing::ElementsAre("mnist-mlp", "mnist-cnn3", "mnist-rnn", "mnist-lstm",
                                          "mnist-autoencoder"));
}

// The counts are worked out by hand from the layers: weights and biases.
TEST(Suite, CountsOfParametersFollowFromTheLayers) {
  EXPECT_EQ(workload_named("mnist-mlp").parameters,
            784 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10);
  EXPECT_EQ(workload_named("mnist-cnn3").parameters,
            9 * 64 + 64 + 2 * (9 * 64 * 64 + 64) + 3 * 3 * 64 * 10 + 10);
  EXPECT_EQ(workload_named("mnist-rnn").parameters, (28 + 256 + 1) * 256 + 256 * 10 + 10);
  EXPECT_EQ(workload_named("mnist-lstm").parameters, 4 * (28 + 256 + 1) * 256 + 256 * 10 + 10);
  EXPECT_EQ(workload_named("mnist-cnn").parameters,
            9 * 32 + 32 + 9 * 32 * 64 + 64 + 12 * 12 * 64 * 128 + 128 + 128 * 10 + 10);
  EXPECT_EQ(workload_named("mnist-autoencoder").parameters,
            9 * 32 + 32 + 9 * 32 * 64 + 64 + 3136 * 16 + 16 + 16 * 3136 + 3136 + 9 * 64 * 64 + 64 +
                9 * 64 * 32 + 32 + 9 * 32 + 1);
  EXPECT_EQ(workload_named("seismic-fcn").parameters,
            25 * 6 + 6 + 25 * 6 * 16 + 16 + 169 * 16 * 120 + 120 + 120 * 84 + 84 + 84 * 2 + 2);
  EXPECT_EQ(workload_named("embryo-cnn").parameters,
            25 * 32 + 32 + 25 * 32 * 64 + 64 + 16 * 16 * 64 * 1024 + 1024 + 1024 * 4);
  EXPECT_EQ(workload_named("nn-twins").parameters, 5 * 5 + 5 + 5 * 3 + 3);
  // The convolutions of ResNet-101 have 42,394,816 weights; the rest are those of 256 channels.
  EXPECT_EQ(workload_named("mask-rcnn").parameters,
            42394816 + (256 + 512 + 1024 + 2048) * 256 + 4 * 256 + 9 * (9 * 256 * 256 + 256) +
                15 * 256 + 15 + 49 * 256 * 1024 + 1024 + 1024 * 1024 + 1024 + 5 * (1024 * 91 + 91) +
                4 * 256 * 256 + 256 + 256 * 91 + 91);
  EXPECT_EQ(workload_named("rnn-sa").parameters,
            20000 * 128 + 4 * (128 + 128 + 1) * 128 + 128 * 128 + 128 + 128 * 64 + 64 + 64 * 2 + 2);
}

TEST(Suite, ReadsARow) {
  const std::vector<Workload> rows = parse_suite(kOne, "s.toml");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_EQ(rows[0].maker, (DataMaker{"make-a", 100, 30, {}, 1, 1}));
  EXPECT_FALSE(rows[0].parameters || rows[0].accuracy || rows[0].stopwatch);
  EXPECT_THAT(refusal(std::string(kOne) + "maker_arguments = [1]\n"), HasSubstr("not text"));
}

TEST(Suite, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal(std::string(kOne) + "epoch = 3\n"),
              HasSubstr("s.toml:10:1: unknown key 'epoch'"));
  EXPECT_THAT(refusal(std::string(kOne) + "stopwatch = 1\n"), HasSubstr("stopwatch is a number"));
  EXPECT_THAT(refusal(std::string(kOne) + "parameters = 1.5\n"), HasSubstr("whole number"));
  EXPECT_THAT(refusal(std::string(kOne) + kOne), HasSubstr("two workloads a"));
  EXPECT_THAT(refusal("[[workload]]\nname = \"a\"\n"), HasSubstr("has no source"));
  EXPECT_THAT(refusal("workload = 3\n"), HasSubstr("not a list"));
}

TEST(Suite, MakersAreToldSizes) {
  EXPECT_THAT(maker_arguments(*workload_named("mnist-mlp").maker, 600, 100),
              testing::ElementsAre("--train", "600", "--test", "100"));
  EXPECT_THAT(maker_arguments(*workload_named("embryo-cnn").maker, 49024, 12256),
              testing::ElementsAre("--train", "49024", "--test", "12256"));
  EXPECT_THAT(maker_arguments(*workload_named("ic-dr").maker, 64, 16),
              testing::ElementsAre("--train", "64", "--test", "16", "--size", "640x480", "--shards",
                                   "256"));
}

TEST(Suite, TestPartsKeepTheirProportion) {
  const DataMaker maker{.program = "m", .training_samples = 40512, .test_samples = 212};
  EXPECT_EQ(test_samples_for(maker, 40512), 212);
  EXPECT_EQ(test_samples_for(maker, 1000), 5);  // 5.23
  EXPECT_EQ(test_samples_for(maker, 10), 1);
}

// 64 patches would have a third of one to test with, 20 digits 3.3.
TEST(Suite, TestPartsCanHaveAllClasses) {
  EXPECT_EQ(test_samples_for(*workload_named("seismic-fcn").maker, 64), 2);
  EXPECT_EQ(test_samples_for(*workload_named("mnist-mlp").maker, 20), 10);
  EXPECT_EQ(test_samples_for(*workload_named("mnist-mlp").maker, 600), 100);
  EXPECT_EQ(workload_named("embryo-cnn").maker->classes, 4);
  EXPECT_EQ(workload_named("ic-dr").maker->classes, 5);
}

TEST(Suite, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THROW(workload_named("mnist"), Error);
}

}  // namespace
}  // namespace lapcast
