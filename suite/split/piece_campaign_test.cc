#include "suite/split/piece_campaign.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "suite/split/pieces.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const Outcome kKilled = outcome::Crashed{0, SIGKILL};
const Outcome kFailed = outcome::Crashed{1, 0};

class PieceCampaignTest : public FolderTest {
 protected:
  static ProbeRequest on(const std::string& machine) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.program = {"./nqueens", "{piece}"};
    request.context.machine_type.name = machine;
    request.context.place = "ssh " + machine;
    request.place_setup.place = SshPlace{machine};
    return request;
  }

  /// Makes runs end as the function says, by their machine, piece and number of the start.
  void end(std::function<Outcome(const std::string&, std::size_t piece, std::size_t start)> how) {
    executor_.ended = [how](const RunContext& context, std::size_t start) {
      return run_of_laps(1, 1, how(context.machine_type.name, *piece_of(context, kPieces), start));
    };
  }

  PieceEnds run(std::vector<ProbeRequest> requests, std::set<std::size_t> done = {},
                std::map<std::size_t, PieceUnderWay> under_way = {}) {
    const RepeatValue value = [](const lapcast::Run& one) -> Result<double> {
      if (!std::holds_alternative<outcome::Ended>(one.outcome)) return because("it failed");
      return 1;
    };
    return run_pieces({.requests = std::move(requests),
                       .pieces = kPieces,
                       .done = std::move(done),
                       .under_way = std::move(under_way),
                       .value = value,
                       .tries = 4},
                      {executor_, store_, interrupt_, listener_});
  }

  /// Returns the machine of each start of a piece.
  std::vector<std::string> machines_of(std::size_t piece) const {
    std::vector<std::string> machines;
    for (const ProbeRequest& request : executor_.requests)
      if (piece_of(request.context, kPieces) == piece)
        machines.push_back(request.context.machine_type.name);
    return machines;
  }

  static constexpr std::size_t kPieces = 6;
  Interrupt interrupt_;
  FakeExecutor executor_;
  CampaignListener listener_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(PieceCampaignTest, EachPieceRunsOnceOnTheNextFreeMachine) {
  end([](auto&, auto, auto) { return outcome::Ended{}; });
  const PieceEnds ends = run({on("a"), on("b")});
  EXPECT_THAT(ends.reasons, IsEmpty());
  EXPECT_EQ(executor_.requests.size(), kPieces);
  for (std::size_t piece = 0; piece < kPieces; ++piece) EXPECT_THAT(machines_of(piece), SizeIs(1));
  EXPECT_EQ(std::ranges::count(executor_.started, "a"), 3);
  EXPECT_EQ(executor_.most_at_once, 2U);
  EXPECT_EQ(store_.count(), kPieces);
  std::set<std::string> ids;
  for (const ProbeRequest& request : executor_.requests) ids.insert(request.context.id);
  EXPECT_EQ(ids.size(), kPieces);
}

TEST_F(PieceCampaignTest, AKilledPieceRunsAgain) {
  end([](auto&, std::size_t, std::size_t start) {
    return start <= 2 ? kKilled : Outcome(outcome::Ended{});
  });
  EXPECT_THAT(run({on("a"), on("b")}).reasons, IsEmpty());
  std::size_t starts = 0;
  for (std::size_t piece = 0; piece < kPieces; ++piece) starts += machines_of(piece).size();
  EXPECT_GT(starts, kPieces);
  EXPECT_EQ(store_.count(), starts) << "a killed run is stored too";
}

TEST_F(PieceCampaignTest, APieceThatFailsOnOneMachineIsDoneOnAnother) {
  end([](const std::string& machine, std::size_t piece, auto) {
    return machine == "a" && piece == 0 ? kFailed : Outcome(outcome::Ended{});
  });
  const PieceEnds ends = run({on("a"), on("b")});
  EXPECT_THAT(ends.reasons, IsEmpty());
  EXPECT_THAT(ends.given_up, IsEmpty());
  EXPECT_EQ(machines_of(0).front(), "a");
  EXPECT_EQ(machines_of(0).back(), "b");
}

TEST_F(PieceCampaignTest, AMachineThatFailsAlwaysIsGivenUp) {
  end([](const std::string& machine, auto, auto) {
    return machine == "bad" ? kFailed : Outcome(outcome::Ended{});
  });
  const PieceEnds ends = run({on("bad"), on("good")});
  EXPECT_THAT(ends.reasons, IsEmpty());
  EXPECT_THAT(ends.given_up, ElementsAre(Pair("bad", "it failed")));
  EXPECT_EQ(std::ranges::count(executor_.started, "bad"), 3);
}

TEST_F(PieceCampaignTest, APieceIsGivenUpAfterItsTries) {
  end([](auto&, std::size_t piece, auto) {
    return piece == 2 ? kKilled : Outcome(outcome::Ended{});
  });
  const PieceEnds ends = run({on("a"), on("b")});
  EXPECT_THAT(ends.reasons, ElementsAre(Pair(2, "it failed")));
  EXPECT_THAT(machines_of(2), UnorderedElementsAre("a", "a", "b", "b"));
  EXPECT_EQ(executor_.requests.size(), kPieces - 1 + 4);
}

TEST_F(PieceCampaignTest, WithoutAMachineLeftTheOthersSaySo) {
  end([](auto&, auto, auto) { return kFailed; });
  const PieceEnds ends = run({on("a")});
  EXPECT_THAT(ends.given_up, SizeIs(1));
  EXPECT_EQ(executor_.requests.size(), 3U);
  EXPECT_THAT(ends.reasons, SizeIs(kPieces));
  EXPECT_EQ(ends.reasons.at(0), "it failed");
  EXPECT_EQ(ends.reasons.at(5), "there is no machine left that counts it");
}

TEST_F(PieceCampaignTest, WhatEarlierCommandsDidIsNotDoneAgain) {
  end([](auto&, auto, auto) { return outcome::Ended{}; });
  EXPECT_THAT(run({on("a")}, {0, 1, 4}).reasons, IsEmpty());
  EXPECT_EQ(executor_.requests.size(), 3U);
  EXPECT_THAT(machines_of(4), IsEmpty());
}

TEST_F(PieceCampaignTest, ARunUnderWayIsFollowedOnItsMachine) {
  end([](auto&, auto, auto) { return outcome::Ended{}; });
  run({on("a"), on("b")}, {}, {{3, {"b", "abc"}}, {5, {"gone", "def"}}});
  EXPECT_THAT(machines_of(3), ElementsAre("b"));
  const auto followed = std::ranges::find_if(
      executor_.requests, [](const ProbeRequest& request) { return request.context.id == "abc"; });
  ASSERT_NE(followed, executor_.requests.end());
  EXPECT_EQ(piece_of(followed->context, kPieces), 3U);
  EXPECT_THAT(machines_of(5), SizeIs(1)) << "its machine is not in the fleet any more";
  for (const ProbeRequest& request : executor_.requests) EXPECT_NE(request.context.id, "def");
}

TEST_F(PieceCampaignTest, AnInterruptLeavesTheOtherPieces) {
  end([](auto&, auto, std::size_t start) {
    if (start == 2) raise(SIGINT);
    return outcome::Ended{};
  });
  const PieceEnds ends = run({on("a")});
  EXPECT_TRUE(ends.interrupted);
  EXPECT_LE(executor_.requests.size(), 3U);
  EXPECT_EQ(ends.reasons.at(5), "interrupted");
}

}  // namespace
}  // namespace lapcast
