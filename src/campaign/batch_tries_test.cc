#include "campaign/batch_tries.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "campaign/fake_executor_test.h"

namespace lapcast {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

RunContext auto_candidate(const std::string& machine) {
  RunContext context;
  context.machine_type.name = machine;
  context.program = {"train", "{batch}"};
  context.settings = {{"batch", kAutoBatch}};
  return context;
}

Run try_of(const RunContext& candidate, const std::string& batch, std::int64_t rss,
           Outcome outcome = outcome::Ended{}) {
  lapcast::Run run = run_of_laps(10, 0.1, std::move(outcome), batch);
  run.context = candidate;
  run.context.id = "r" + batch;
  run.context.settings["batch"] = batch;
  run.context.machine.memory_bytes = 4000;
  run.usage.peak_rss_bytes = rss;
  return run;
}

TEST(BatchTries, OneOfEachPlaceIsNext) {
  RunContext elsewhere = auto_candidate("b");
  elsewhere.place = "ssh box";
  const auto next =
      next_tries(std::vector{auto_candidate("a"), auto_candidate("a2"), elsewhere}, {});
  ASSERT_THAT(next, SizeIs(2));
  EXPECT_EQ(next[0].settings.at("batch"), "8");
  EXPECT_EQ(next[1].machine_type.name, "b");
}

// 100 + 10 batch <= 0.95 x 4000 holds to 370 samples.
TEST(BatchTries, EndWithTheLargestThatFits) {
  const RunContext candidate = auto_candidate("a");
  std::vector<lapcast::Run> runs;
  for (int i = 0; i < 9; ++i) {
    const auto next = next_tries(std::vector{candidate}, runs);
    if (next.empty()) break;
    const std::string batch = next.front().settings.at("batch");
    const std::int64_t peak = 100 + 10 * std::stoll(batch);
    runs.push_back(peak <= 3800 ? try_of(candidate, batch, peak)
                                : try_of(candidate, batch, 0,
                                         outcome::Crashed{1, 0, {}, outcome::OutOfMemory{}}));
  }
  EXPECT_THAT(next_tries(std::vector{candidate}, runs), IsEmpty());
  EXPECT_EQ(largest_that_fits(tried_batches(candidate, runs).tries), 256);
}

TEST(BatchTries, AreThoseOfTheCandidate) {
  const RunContext candidate = auto_candidate("a");
  RunContext other = candidate;
  other.settings["lr"] = "1";
  const std::vector<lapcast::Run> runs{try_of(candidate, "8", 180), try_of(other, "32", 180),
                                       try_of(auto_candidate("b"), "32", 180),
                                       try_of(candidate, "64", 1, outcome::Interrupted{})};
  EXPECT_THAT(tried_batches(candidate, runs).tries, SizeIs(1));
}

TEST(BatchTries, EachBatchThatFitsIsACandidate) {
  const RunContext candidate = auto_candidate("a");
  const lapcast::Outcome full = outcome::Crashed{1, 0, {}, outcome::OutOfMemory{}};
  const std::vector<lapcast::Run> runs{
      try_of(candidate, "16", 260), try_of(candidate, "32", 0, full), try_of(candidate, "8", 180)};
  const auto fitting = with_fitting_batches(std::vector{candidate, auto_candidate("b")}, runs);
  ASSERT_THAT(fitting, SizeIs(2));
  EXPECT_EQ(fitting[0].settings.at("batch"), "8");
  EXPECT_EQ(fitting[1].settings.at("batch"), "16");
  EXPECT_EQ(fitting[1].machine_type.name, "a");
}

}  // namespace
}  // namespace lapcast
