#include "campaign/chosen_campaign.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;

class ChosenCampaignTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.machine_type.name = name;
    return request;
  }

  /// Runs the requests as `wanted` says, one name after the other.
  CampaignResult run(std::vector<ProbeRequest> requests, std::deque<std::string> wanted,
                     std::vector<lapcast::Run> earlier = {}) {
    const ProbeChooser choose =
        [&](std::span<const lapcast::Run> runs) -> std::optional<std::string> {
      seen_.push_back(runs.size());
      if (wanted.empty()) return std::nullopt;
      const std::string next = wanted.front();
      wanted.pop_front();
      return next;
    };
    return run_chosen(std::move(requests), choose, std::move(earlier),
                      {executor_, store_, interrupt_, {}, [this] { return executor_.now(); }});
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  std::vector<std::size_t> seen_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(ChosenCampaignTest, RunsOneAfterTheOtherAsChosen) {
  const CampaignResult result = run({request("a"), request("b"), request("c")}, {"c", "a"});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_THAT(executor_.started, ElementsAre("c", "a"));
  EXPECT_EQ(executor_.most_at_once, 1u);
  EXPECT_THAT(seen_, ElementsAre(0u, 1u, 2u));  // each choice knows the runs before it
  EXPECT_EQ(store_.runs().size(), 2u);
}

TEST_F(ChosenCampaignTest, KnowsTheRunsOfEarlierCommands) {
  run({request("a")}, {"a"}, std::vector<lapcast::Run>(3));
  EXPECT_THAT(seen_, ElementsAre(3u, 4u));
}

TEST_F(ChosenCampaignTest, AFailedRunIsKnownAndTheSearchGoesOn) {
  executor_.outcomes["a"] = outcome::NotStarted{"no such host"};
  const CampaignResult result = run({request("a"), request("b")}, {"a", "b"});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_EQ(result.failed, 1u);
}

TEST_F(ChosenCampaignTest, EndsAtAMachineThatHasNoRequestLeft) {
  const CampaignResult result = run({request("a"), request("b")}, {"a", "a", "b"});
  EXPECT_EQ(result.finished, 1u);
  EXPECT_THAT(executor_.started, ElementsAre("a"));
}

}  // namespace
}  // namespace lapcast
