#include "suite/driver/network_size.h"

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
  EXPECT_EQ(size->layers[1], (LayerSize{"dense2", 18, 3, 15, {12}}));
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

TEST(NetworkSize, ReadsBlocksOfMemoryWhereTheProgramTellsThem) {
  const auto size = parse_network_size(with("\"multiply_adds\":15",
                                            "\"multiply_adds\":15,\"kept_bytes\":[20,12],"
                                            "\"gradient_bytes\":[12,20],\"temporary_bytes\":8"));
  ASSERT_TRUE(size) << size.error().text;
  EXPECT_EQ(size->layers[1], (LayerSize{"dense2", 18, 3, 15, {20, 12}, {12, 20}, 8}));
  EXPECT_EQ(size->step_samples, 0);
  const auto steps = parse_network_size(
      with("\"batch\":32", "\"batch\":32,\"step_samples\":8,\"step_bytes\":10000"));
  ASSERT_TRUE(steps) << steps.error().text;
  EXPECT_EQ(steps->step_samples, 8);
  EXPECT_EQ(steps->step_bytes, 10'000);
}

TEST(NetworkSize, RefusesBlocksThatNoMemoryHolds) {
  EXPECT_THAT(size_refusal(with("\"outputs\":3", "\"outputs\":3,\"kept_bytes\":[1,-1]")),
              HasSubstr("kept_bytes[1] is not a whole number"));
  EXPECT_THAT(size_refusal(with("\"outputs\":3", "\"outputs\":3,\"gradient_bytes\":[1e300]")),
              HasSubstr("gradient_bytes[0] is not a whole number"));
  EXPECT_THAT(
      size_refusal(with("\"outputs\":3",
                        "\"outputs\":3,\"kept_bytes\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]")),
      HasSubstr("layer dense2 has more than 16 blocks"));
}

}  // namespace
}  // namespace lapcast
