#include "suite/network_size.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

const std::string kTwins =
    R"({"name":"nn-twins","parameters":48,"batch":32,"epochs":50,"optimizer":"RMSprop",)"
    R"("optimizer_numbers":96,"input_numbers":5,"layers":[)"
    R"({"name":"dense1","parameters":30,"outputs":5,"multiply_adds":25},)"
    R"({"name":"dense2","parameters":18,"outputs":3,"multiply_adds":15}]})";

std::string with(std::string_view what, const std::string& instead) {
  std::string text = kTwins;
  return text.replace(text.find(what), what.size(), instead);
}

std::string size_refusal(const std::string& text) {
  const auto size = parse_network_size(text);
  return size ? "" : size.error().text;
}

TEST(NetworkSize, ReadsWhatAProgramDescribes) {
  const auto size = parse_network_size(kTwins + "\n");
  ASSERT_TRUE(size) << size.error().text;
  EXPECT_EQ(size->name, "nn-twins");
  EXPECT_EQ(size->optimizer_numbers, 96);
  ASSERT_EQ(size->layers.size(), 2u);
  EXPECT_EQ(size->layers[1], (LayerSize{"dense2", 18, 3, 15}));
}

TEST(NetworkSize, UnknownMembersAreSkipped) {
  EXPECT_TRUE(parse_network_size(with("\"batch\":32", "\"batch\":32,\"new\":[[1]]")));
}

TEST(NetworkSize, RefusesWhatIsNoDescription) {
  EXPECT_THAT(size_refusal(""), HasSubstr("not one JSON object"));
  EXPECT_THAT(size_refusal("training..."), HasSubstr("not one JSON object"));
  EXPECT_THAT(size_refusal(kTwins + kTwins), HasSubstr("not one JSON object"));
  EXPECT_THAT(size_refusal("[]"), HasSubstr("it is not an object"));
  EXPECT_THAT(size_refusal(std::string(100'000, '[')), HasSubstr("not one JSON object"));
  EXPECT_THAT(size_refusal(std::string(100'000, '[') + std::string(100'000, ']')),
              HasSubstr("not one JSON object"));
  EXPECT_THAT(size_refusal(std::string(2 << 20, ' ')), HasSubstr("more than 1 MiB"));
  EXPECT_THAT(size_refusal("\xff\xfe"), HasSubstr("not one JSON object"));
}

TEST(NetworkSize, NamesTheMemberThatIsWrong) {
  EXPECT_THAT(size_refusal(with("\"batch\":32", "\"batch\":-1")),
              HasSubstr("batch is not a whole number"));
  EXPECT_THAT(size_refusal(with("\"batch\":32", "\"batch\":0")), HasSubstr("batch is 0"));
  EXPECT_THAT(size_refusal(with("\"batch\":32", "\"batch\":1e99")), HasSubstr("batch is not"));
  EXPECT_THAT(size_refusal(with("\"epochs\":50,", "")), HasSubstr("epochs is missing"));
  EXPECT_THAT(size_refusal(with("\"outputs\":3", "\"outputs\":\"3\"")),
              HasSubstr("layers[1].outputs"));
  EXPECT_THAT(size_refusal(with("\"outputs\":3", "\"outputs\":99999999999999999999")),
              HasSubstr("layers[1].outputs"));
  EXPECT_THAT(size_refusal(with("\"name\":\"dense1\"", "\"name\":7")),
              HasSubstr("layers[0].name is not text"));
  EXPECT_THAT(size_refusal(with("\"parameters\":30", "\"parameters\":31")),
              HasSubstr("layers have 49 parameters, but it says 48"));
}

/// Returns the network of Lawrence 2017 with its own outputs: 64 maps after the second convolution.
NetworkSize embryo() {
  NetworkSize size;
  size.parameters = 16'834'432;
  size.optimizer_numbers = 2 * size.parameters;
  size.input_numbers = 64 * 64;
  size.layers = {{"conv1", 832, 64 * 64 * 32, 0},    {"pool1", 0, 32 * 32 * 32, 0},
                 {"conv2", 51'264, 32 * 32 * 64, 0}, {"pool2", 0, 16 * 16 * 64, 0},
                 {"dense1", 16'778'240, 1024, 0},    {"dense2", 4096, 4, 0}};
  return size;
}

// The sum is 4096 + 131072 + 32768 + 65536 + 16384 + 1024 + 4 = 250,884 numbers of a sample.
TEST(MemoryEstimate, CountsTheNumbersOfTheEmbryoNetwork) {
  const MemoryEstimate estimate = estimate_memory(embryo(), 480);
  EXPECT_EQ(estimate.parameters, 67'337'728);
  EXPECT_EQ(estimate.gradients, 67'337'728);
  EXPECT_EQ(estimate.optimizer_state, 134'675'456);
  EXPECT_EQ(estimate.per_sample, 1'003'536);
  EXPECT_EQ(estimate.activations(), 481'697'280);
  EXPECT_EQ(estimate.total(), 751'048'192);
  EXPECT_EQ(memory_of_one_sample(embryo()), 4 * 17'085'316);
}

// Lawrence 2017 prints 19,622,836 numbers for one image. With the 2,097,152 and 524,288 that it
// takes after the second convolution and pooling, and the right total of parameters, there are 2000
// more. That is 78.5 MB of 10^6 bytes, not the 83 that it says.
TEST(MemoryEstimate, AgreesWithThePapersOwnCount) {
  NetworkSize size = embryo();
  size.layers[2].outputs = 32 * 32 * 32 * 64;
  size.layers[3].outputs = 16 * 16 * 32 * 64;
  EXPECT_EQ(memory_of_one_sample(size), 4 * (19'622'836 + 2'000));
  EXPECT_NEAR(static_cast<double>(memory_of_one_sample(size)) * 1e-6, 78.5, 0.05);
}

TEST(MemoryEstimate, LargestBatchJustFits) {
  const std::int64_t bytes = 6'000'000'000;
  const std::int64_t batch = largest_batch(estimate_memory(embryo(), 1), bytes);
  EXPECT_EQ(batch, 5710);  // (6e9 - 269,350,912) / 1,003,536 = 5710.46
  EXPECT_LE(estimate_memory(embryo(), batch).total(), bytes);
  EXPECT_GT(estimate_memory(embryo(), batch + 1).total(), bytes);
}

TEST(MemoryEstimate, NothingFitsInTooLittleMemory) {
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 0), 0);
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 269'350'912), 0);
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 269'350'912 + 1'003'536), 1);
}

}  // namespace
}  // namespace lapcast
