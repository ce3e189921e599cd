#include "remote/nodes_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "machine/place.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLog = "lapcast-laps 1\n0 hello rank=0\n7 i 4\n";
constexpr const char* kLogOfLoads = "lapcast-laps 1\n0 hello\n5 load cpus=1\n";

ProbeRequest on_two_hosts() {
  ProbeRequest request;
  request.context.id = "abc";
  request.context.program = {"train", "{node}", "{nodes}", "{head}", "{batch}"};
  request.context.settings = {{"batch", "8"}};
  request.limits.budget = Seconds{60};
  request.keep_run_folder = true;
  request.place_setup.place = SshPlace{.host = "me@one", .others = {"two"}};
  return request;
}

Run run_that(Outcome outcome, std::vector<std::string> logs = {kLog}) {
  Run run;
  run.outcome = std::move(outcome);
  run.lap_logs = std::move(logs);
  return run;
}

/// What a node says at each call of follow(), and what it was told.
struct FakeNode {
  std::deque<RemoteNews> news;
  std::optional<Run> when_stopped;  // comes after the order "stop"
  std::vector<std::string> told;
  bool begins = true;
  bool was_begun = false;  // by an earlier command
  std::vector<std::string> files;
  std::map<std::filesystem::path, std::vector<std::string>> fetched;  // by local folder
};

class FakeRun : public NodeRun {
 public:
  explicit FakeRun(FakeNode& node) : node_(node) {}
  Result<bool> exists() override { return node_.was_begun; }
  Result<void> begin(const RemoteProgress&) override {
    if (node_.begins) return {};
    return because("two is out of reach");
  }
  RemoteNews follow(std::chrono::milliseconds) override {
    if (node_.news.empty()) return {};
    RemoteNews news = std::move(node_.news.front());
    node_.news.pop_front();
    return news;
  }
  Result<void> order(const std::string& what) override {
    node_.told.push_back(what);
    if (what == "stop" && node_.when_stopped)
      node_.news.push_back({.messages = {*node_.when_stopped}, .ended = true});
    return {};
  }
  Result<void> remove() override {
    node_.told.push_back("remove");
    return {};
  }
  Result<FetchedFiles> fetch(const std::filesystem::path&) override { return FetchedFiles{}; }
  std::string end_command() const override { return ""; }
  Result<std::vector<std::string>> own_files() override { return node_.files; }
  Result<FetchedFiles> fetch_only(std::vector<std::string> paths,
                                  const std::filesystem::path& local) override {
    node_.fetched[local] = std::move(paths);
    return FetchedFiles{.bytes = 10};
  }

 private:
  FakeNode& node_;
};

/// Follows a run on two nodes to its end; returns its result, or the reason why there is none.
class TwoNodes {
 public:
  FakeNode head, other;
  std::unique_ptr<RemoteRun> run = nodes_run(on_two_hosts(), [this](const ProbeRequest& request) {
    return std::make_unique<FakeRun>(request.context.id == "abc" ? head : other);
  });

  AgentMessage result() {
    for (int turn = 0; turn < 20; ++turn) {
      RemoteNews news = run->follow(std::chrono::milliseconds{0});
      for (AgentMessage& said : news.messages)
        if (std::holds_alternative<ProbeProgress>(said))
          ++progress;
        else
          return std::move(said);
    }
    return Reason{"no result"};
  }
  int progress = 0;
};

RemoteNews end_of(Run run) {
  return {.messages = {std::move(run)}, .ended = true};
}

TEST(NodesRun, FillsInTheWordsOfEachNode) {
  const auto requests = requests_of_nodes(on_two_hosts());
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_THAT(filled_program(requests[0].context), ElementsAre("train", "0", "2", "one", "8"));
  EXPECT_THAT(filled_program(requests[1].context), ElementsAre("train", "1", "2", "one", "8"));
  EXPECT_EQ(requests[0].place_setup.place, Place(SshPlace{"me@one"}));
  EXPECT_EQ(requests[1].place_setup.place, Place(SshPlace{"two"}));
  EXPECT_EQ(requests[0].context.id, "abc");
  EXPECT_EQ(requests[1].context.id, "abc-n1");
  // The head decides when there are enough laps.
  EXPECT_EQ(requests[0].limits.budget, Seconds{60});
  EXPECT_EQ(requests[1].limits.budget, Seconds{120});
  // The user's own values come first.
  ProbeRequest by_address = on_two_hosts();
  by_address.context.settings["head"] = "10.0.0.1";
  EXPECT_EQ(filled_program(requests_of_nodes(by_address)[1].context).at(3), "10.0.0.1");
}

TEST(OnlyNode, HasWordsWhereTheUserGaveNone) {
  RunContext context = on_two_hosts().context;
  EXPECT_THAT(filled_program(on_only_node(context)),
              ElementsAre("train", "0", "1", "127.0.0.1", "8"));
  context.settings["head"] = "own";
  EXPECT_THAT(filled_program(on_only_node(context)), ElementsAre("train", "0", "1", "own", "8"));
}

TEST(NodesRun, EndsTheOthersWhenTheHeadHasEnough) {
  TwoNodes nodes;
  nodes.other.when_stopped = run_that(outcome::Interrupted{}, {kLogOfLoads, kLog});
  nodes.head.news = {{.messages = {ProbeProgress{}}}, end_of(run_that(outcome::Enough{"8 laps"}))};
  nodes.other.news = {{.messages = {ProbeProgress{}}}};
  const AgentMessage said = nodes.result();
  ASSERT_TRUE(std::holds_alternative<lapcast::Run>(said));
  const lapcast::Run& run = std::get<lapcast::Run>(said);
  EXPECT_EQ(run.outcome, Outcome(outcome::Enough{"8 laps"}));
  EXPECT_THAT(run.lap_logs, ElementsAre(kLog, kLog));  // of both nodes, without the other's load
  EXPECT_THAT(nodes.other.told, ElementsAre("stop"));
  EXPECT_EQ(nodes.progress, 1);  // the head's
}

TEST(NodesRun, NamesTheNodeThatFailsAndEndsAll) {
  TwoNodes nodes;
  nodes.head.when_stopped = run_that(outcome::Interrupted{});
  nodes.other.news = {end_of(run_that(outcome::Crashed{.exit_status = 3}))};
  const AgentMessage said = nodes.result();
  ASSERT_TRUE(std::holds_alternative<lapcast::Run>(said));
  EXPECT_THAT(describe(std::get<lapcast::Run>(said).outcome),
              HasSubstr("two: failed with exit status 3"));
  EXPECT_THAT(nodes.head.told, ElementsAre("stop"));
}

TEST(NodesRun, WaitsForTheOthersWhenOneEndsByItself) {
  TwoNodes nodes;
  nodes.head.news = {end_of(run_that(outcome::Ended{})), {}, {}};
  nodes.other.news = {{}, {}, {}, end_of(run_that(outcome::Ended{}))};
  const AgentMessage said = nodes.result();
  ASSERT_TRUE(std::holds_alternative<lapcast::Run>(said));
  EXPECT_EQ(std::get<lapcast::Run>(said).outcome, Outcome(outcome::Ended{}));
  EXPECT_THAT(nodes.other.told, ElementsAre());
}

TEST(NodesRun, NamesANodeThatIsLost) {
  TwoNodes nodes;
  nodes.head.when_stopped = run_that(outcome::Interrupted{});
  nodes.other.news = {{.lost = Reason{"no answer for 10 min"}}};
  const AgentMessage said = nodes.result();
  ASSERT_TRUE(std::holds_alternative<Reason>(said));
  EXPECT_EQ(std::get<Reason>(said).text, "two: no answer for 10 min");
}

TEST(NodesRun, EndsWhatHasBegunWhereANodeCannotBegin) {
  TwoNodes nodes;
  nodes.other.begins = false;
  nodes.head.news = {{}, {.ended = true}};  // the agent takes the order in the second look
  EXPECT_FALSE(nodes.run->begin([](const std::string&) {}));
  EXPECT_THAT(nodes.head.told, ElementsAre("kill", "remove"));
  EXPECT_TRUE(nodes.head.news.empty());
  EXPECT_THAT(nodes.other.told, ElementsAre());
}

TEST(NodesRun, LeavesWhatAnEarlierCommandBegan) {
  TwoNodes nodes;
  nodes.head.was_begun = true;
  nodes.other.begins = false;
  EXPECT_FALSE(nodes.run->begin([](const std::string&) {}));
  EXPECT_THAT(nodes.head.told, ElementsAre());  // what it wrote is still to be fetched
}

class NodesRunFiles : public FolderTest {};

TEST_F(NodesRunFiles, ComeIntoOneFolderFromAllNodes) {
  const std::filesystem::path folder = folder_ / "lapcast-1";
  TwoNodes nodes;
  nodes.head.files = {"epoch-1", "log"};
  nodes.other.files = {"part-1", "log"};
  const auto fetched = nodes.run->fetch(folder);
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->bytes, 30);
  EXPECT_THAT(nodes.head.fetched[folder], ElementsAre("epoch-1", "log"));
  EXPECT_THAT(nodes.other.fetched[folder], ElementsAre("part-1"));
  // The head has a file of this name, too.
  EXPECT_THAT(nodes.other.fetched[folder_ / "lapcast-1-node-1"], ElementsAre("log"));
}

TEST(NodesRun, ASessionEndsEveryNodeByItself) {
  ProbeRequest request = on_two_hosts();
  request.watch = WatchRequest{.limits = {.max_cost = Money::parse("1"), .session = Seconds{100}}};
  const auto requests = requests_of_nodes(request);
  EXPECT_EQ(requests[0].watch->limits.session, Seconds{100});
  EXPECT_EQ(requests[1].watch->limits.session, Seconds{160});  // the head ends it before
  EXPECT_FALSE(requests[1].watch->limits.max_cost);
  request.place_setup.place = LocalPlace{};
  EXPECT_EQ(requests_of_nodes(request).size(), 1u);
}

TEST(NodesIn, AreThoseOfAHostList) {
  const Place place = SshPlace{.host = "a", .config = "f", .others = {"b", "c"}};
  EXPECT_EQ(nodes_of(place), 3);
  EXPECT_FALSE(can_suspend(place));
  EXPECT_THAT(nodes_in(place), ElementsAre(Place(SshPlace{"a", "f"}), Place(SshPlace{"b", "f"}),
                                           Place(SshPlace{"c", "f"})));
  EXPECT_EQ(describe(place), "ssh a + b + c");
  EXPECT_THAT(nodes_in(SlurmPlace{.nodes = 4}), ElementsAre(Place(SlurmPlace{.nodes = 4})));
  EXPECT_EQ(nodes_of(LocalPlace{}), 1);
}

}  // namespace
}  // namespace lapcast
