#include "remote/slurm_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Reads lines as sinfo prints them, with '|' for its separator. Those that end with the state of
/// the partition are of tier 1, and their jobs cannot be preempted.
Result<std::vector<NodeType>> types(std::string text) {
  text = std::regex_replace(text, std::regex("\\|(up|down)\n"), "|$1|1|OFF\n");
  std::replace(text.begin(), text.end(), '|', '\x1f');
  return parse_sinfo(text);
}

TEST(NodeTypes, APartitionOfOneTypeNeedsNoMore) {
  const auto read =
      types("all*|64|2:32:1|512000|zen4,ib|gpu:a100:4(S:0-1)|2-00:00:00|n[1-8]|8|idle|up\n");
  ASSERT_TRUE(read);
  const NodeType& type = read->front();
  EXPECT_EQ(type.name, "all-64c-4xa100");
  EXPECT_EQ(type.partition, "all");
  EXPECT_EQ(type.layout, "2:32:1");
  EXPECT_EQ(type.memory_mib, 512'000);
  EXPECT_THAT(type.features, ElementsAre("ib", "zen4"));
  EXPECT_EQ(type.gres, "gpu:a100:4");
  EXPECT_EQ(type.time_limit_ns, 172'800'000'000'000);
  EXPECT_EQ(type.nodes, 8);
  EXPECT_EQ(type.place, (SlurmPlace{.partition = "all", .gres = "gpu:a100:4"}));
}

TEST(NodeTypes, NodesInSeveralStatesAreOneType) {
  const auto read = types(
      "p|8|1:8:1|100|(null)|(null)|infinite|a1|1|idle|up\n"
      "p|8|1:8:1|100|(null)|(null)|infinite|a[2-3]|2|down*|up\n"
      "p|8|1:8:1|100|(null)|(null)|infinite|a4|1|allocated|up\n"
      "p|8|1:8:1|100|(null)|(null)|infinite|a5|1|idle~|up\n");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().node_list, "a1,a[2-3],a4,a5");
  EXPECT_EQ(read->front().nodes, 5);
  EXPECT_EQ(read->front().usable, 3);
  EXPECT_EQ(types("p|8|1:8:1|100|||infinite|a1|1|idle|down\n")->front().usable, 0);
}

TEST(NodeTypes, SayWhyNodesCannotBeUsedNow) {
  const auto read = types(
      "p|8|1:8:1|100|(null)|gpu:h100:1|infinite|a[1-4]|4|reserved|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b1|1|idle|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b2|1|drained*|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b3|1|maint|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b4|1|mixed-|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b5|1|idle$|up\n"
      "q|8|1:8:1|100|(null)|gpu:a:4|infinite|b6|1|idle+drain|up\n");
  ASSERT_TRUE(read);
  EXPECT_TRUE(is_only_reserved((*read)[0]));
  EXPECT_FALSE(can_have(SlurmPlace{}, (*read)[0]));
  EXPECT_TRUE(can_have(SlurmPlace{.flags = {"--reservation=mine"}}, (*read)[0]));
  EXPECT_EQ((*read)[1].usable, 2);
  EXPECT_THAT((*read)[1].states, ElementsAre("drained", "in maintenance", "not answering"));
  EXPECT_TRUE(can_have(SlurmPlace{}, (*read)[1]));
}

TEST(NodeTypes, NamesHaveAllAccelerators) {
  const auto read = types(
      "p|16|2:8:1|100|(null)|gpu:turing:1,gpu:ampere:3|infinite|a|1|idle|up\n"
      "p|88|2:22:2|100|(null)|gpu:p100:6(S:0),gpu:rtx:2(S:0)|infinite|b|1|idle|up\n");
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].name, "p-16c-1xturing-3xampere");
  EXPECT_EQ((*read)[1].name, "p-88c-6xp100-2xrtx");
  EXPECT_EQ((*read)[0].place.gres, "gpu:turing:1,gpu:ampere:3");
}

TEST(NodeTypes, APartitionWhoseNodesAreHiddenShowsNoType) {
  const std::string hidden = "cloud|0|0:0:0|0|(null)|(null)|1:00:00||0|n/a|up\n";
  EXPECT_THAT(types(hidden).value_or(std::vector<NodeType>(1)), IsEmpty());
  EXPECT_EQ(types(hidden + "p|8|1:8:1|100|||infinite|a1|1|idle|up\n")->size(), 1u);
}

TEST(NodeTypes, FeaturesTellThemApartWhereTheyCan) {
  const auto read = types(
      "p|8|1:8:1|100|avx2|(null)|1:00|a|1|idle|up\n"
      "p|8|1:8:1|100|avx512|(null)|1:00|b|1|idle|up\n");
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].name, "p-8c-avx2");
  EXPECT_EQ((*read)[0].place.constraint, "avx2");
  EXPECT_THAT((*read)[0].place.flags, IsEmpty());
  EXPECT_EQ((*read)[1].place.constraint, "avx512");
}

TEST(NodeTypes, OthersAreLeftOutWhereFeaturesDoNot) {
  // avx2 alone would also find the second; the third has none; the fourth's has an operator in it.
  const auto read = types(
      "p|8|1:8:1|100|avx2|(null)|1:00|a[1-2]|2|idle|up\n"
      "p|8|1:8:1|100|avx2,big|(null)|1:00|b|1|idle|up\n"
      "p|8|1:8:1|100|(null)|(null)|1:00|c|1|idle|up\n"
      "p|8|1:8:1|100|x&y|(null)|1:00|d|1|idle|up\n"
      "q|16|1:16:1|100|avx2|(null)|1:00|e|1|idle|up\n");
  ASSERT_TRUE(read);
  EXPECT_THAT((*read)[0].place.flags, ElementsAre("--exclude=b,c,d"));
  EXPECT_EQ((*read)[0].place.constraint, "");
  EXPECT_EQ((*read)[1].place.constraint, "avx2&big");
  EXPECT_THAT((*read)[2].place.flags, ElementsAre("--exclude=a[1-2],b,d"));
  EXPECT_THAT((*read)[3].place.flags, ElementsAre("--exclude=a[1-2],b,c"));
  EXPECT_EQ((*read)[4].place, (SlurmPlace{.partition = "q"}));
}

TEST(NodeTypes, OfSeveralPartitionsAreOneType) {
  // a1 to a3 are in p, a2 and a3 in q, which allows less time; a3 is down; q has a node of its own.
  const auto read = types(
      "p*|8|1:8:1|100|avx2|(null)|2:00:00|a[1-2]|2|idle|up\n"
      "p*|8|1:8:1|100|avx2|(null)|2:00:00|a3|1|down|up\n"
      "q|8|1:8:1|100|avx2|(null)|1:00:00|a2|1|idle|up\n"
      "q|8|1:8:1|100|avx2|(null)|1:00:00|a3|1|down|up\n"
      "q|4|1:4:1|100||(null)|1:00:00|b|1|idle|up\n"
      "r|8|1:8:1|100|avx2|(null)|infinite|a[1-3]|3|idle|down\n");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  const NodeType& type = read->front();
  EXPECT_EQ(type.name, "p-8c");
  EXPECT_EQ(type.nodes, 3);
  EXPECT_EQ(type.usable, 2);
  EXPECT_EQ(type.time_limit_ns, 3'600'000'000'000);
  EXPECT_EQ(type.longest_limit_ns, 0);
  EXPECT_EQ(type.place, (SlurmPlace{.partition = "p,q,r", .constraint = "avx2"}));
  EXPECT_THAT(read->back().place.flags, ElementsAre("--exclude=a[1-2],a3,a2,a[1-3]"));
}

TEST(NodeTypes, APartitionWhoseJobsPreemptOthersIsLeftOut) {
  const std::string high = "high|8|1:8:1|100||(null)|1:00:00|a[1-3]|3|idle|up|20|REQUEUE\n";
  const std::string low = "low*|8|1:8:1|100||(null)|2:00:00|a[2-4]|3|idle|up|10|REQUEUE\n";
  const auto read = types(high + low);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().place.partition, "low");
  EXPECT_THAT(read->front().preempting, ElementsAre("high"));
  EXPECT_EQ(read->front().name, "low-8c");
  EXPECT_EQ(read->front().node_list, "a[2-4]");
  EXPECT_EQ(read->front().longest_limit_ns, 7'200'000'000'000);
  EXPECT_THAT(types(high)->front().preempting, IsEmpty()) << "asked for alone";

  // Nothing is preempted: jobs of the lower one never are; it shares no node; it is not up.
  for (const std::string other : {"low|8|1:8:1|100||(null)|2:00:00|a[2-4]|3|idle|up|10|OFF\n",
                                  "low|8|1:8:1|100||(null)|2:00:00|b[2-4]|3|idle|up|10|REQUEUE\n",
                                  "low|8|1:8:1|100||(null)|2:00:00|a[2-4]|3|idle|drain|10|CANCEL\n",
                                  "low|8|1:8:1|100||(null)|2:00:00|a[2-4]|3|idle|up|20|CANCEL\n"})
    EXPECT_EQ(types(high + other)->front().place.partition, "high,low") << other;
}

TEST(NodeTypes, ListsOfNodesAreCounted) {
  EXPECT_EQ(types("p|8|1:8:1|100||(null)|1:00|a[01-03,7],b,c[9-10]|7|idle|up\n")->front().nodes, 7);
  EXPECT_FALSE(types("p|8|1:8:1|100||(null)|1:00|a[1-900000000]|7|idle|up\n"));
  EXPECT_FALSE(types("p|8|1:8:1|100||(null)|1:00|a[x-y]|7|idle|up\n"));
  EXPECT_FALSE(types("p|8|1:8:1|100||(null)|1:00|a[00000000001-2]|2|idle|up\n"));
  std::string many;  // each row is small
  for (int i = 0; i < 200; ++i)
    many += "p|8|1:8:1|100||(null)|1:00|n" + std::to_string(i) + "x[1-9999]|9999|idle|up\n";
  EXPECT_FALSE(types(many));
}

TEST(NodeTypes, NamesAreUnique) {
  const auto read = types(
      "p|8|1:8:1|100||gpu:2|1:00|a|1|idle|up\n"
      "p|8|1:8:1|200||gpu:2|1:00|b|1|idle|up\n"
      "p|8|1:8:1|300||craynetwork:4,gpu:h200:8|1:00|c|1|idle|up\n");
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].name, "p-8c-2xgpu");
  EXPECT_EQ((*read)[1].name, "p-8c-2xgpu-2");
  EXPECT_EQ((*read)[2].name, "p-8c-8xh200");
  EXPECT_EQ((*read)[2].place.gres, "gpu:h200:8");  // the network is none of its business
}

TEST(NodeTypes, RefusesWhatSinfoDoesNotPrint) {
  EXPECT_THAT(types("sinfo: error\n").error().text, HasSubstr("1 fields"));
  const auto with = [](std::string partition, std::string cpus, std::string nodes) {
    return types(partition + "|" + cpus + "|1:1:1|100||(null)|1:00|" + nodes + "|1|idle|up\n");
  };
  EXPECT_TRUE(with("p", "8", "n[1-3],m"));
  EXPECT_FALSE(with("--wrap=x", "8", "n"));
  EXPECT_FALSE(with("p q", "8", "n"));
  EXPECT_FALSE(with("", "8", "n"));
  EXPECT_FALSE(with("p", "0", "n"));
  EXPECT_FALSE(with("p", "8+", "n"));
  EXPECT_FALSE(with("p", "8", "n;rm -rf"));
  EXPECT_FALSE(with("p", "8", "$(x)"));
  EXPECT_FALSE(types("p|8|1:1:1|100||(null)|1:00|n|1|idle|up|high|OFF\n"));
  std::string many;
  for (int i = 1; i <= 1001; ++i)
    many += "p|" + std::to_string(i) + "|1:1:1|100||(null)|1:00|n|1|idle|up\n";
  EXPECT_THAT(types(many).error().text, HasSubstr("1000 types"));
}

}  // namespace
}  // namespace lapcast
