#include "query/sweep_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "lap/lap_log_writer.h"
#include "store/store_folder_test.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a probe of 30 laps of `lap_ns` each, of a training of 100 laps.
Run probe_of(const RunContext& candidate, std::int64_t lap_ns) {
  lapcast::Run run;
  run.context = candidate;
  run.context.plan.steps = 100;
  run.outcome = outcome::Enough{};
  run.started_ns = 100 * kSecond;
  std::string log = lap_log_opening({run.started_ns, 1000, 7, 0, 1, "a", "test"});
  for (int lap = 1; lap <= 30; ++lap) log += std::to_string(lap * lap_ns) + " i 8\n";
  run.ended_ns = run.started_ns + 31 * lap_ns;
  run.lap_logs = {log};
  return run;
}

RunContext candidate(const std::string& machine) {
  RunContext context;
  context.machine_type.name = machine;
  context.program = {"./train"};
  return context;
}

Assessment from_own_laps(const Run& run) {
  return assess(run);
}

TEST(FinishedRuns, AreCountedByCandidate) {
  std::vector<lapcast::Run> runs{
      probe_of(candidate("a"), kSecond), probe_of(candidate("a"), kSecond),
      probe_of(candidate("b"), kSecond), probe_of(candidate("b"), kSecond)};
  runs[2].outcome = outcome::Interrupted{};
  runs[3].outcome = outcome::Crashed{1, 0};
  using Counts = std::map<std::string, std::size_t>;
  EXPECT_EQ(finished_runs(runs, RunKind::probe, false), (Counts{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(finished_runs(runs, RunKind::probe, true), (Counts{{"a", 2}}));
  EXPECT_THAT(finished_candidates(runs, RunKind::probe, false), ElementsAre("a", "b"));
  EXPECT_TRUE(finished_runs(runs, RunKind::find_epochs, false).empty());
}

TEST(ToConfirm, StoredRunsSayWhichCandidateAndNeverWhatIsRun) {
  const std::vector<RunContext> candidates{candidate("slow"), candidate("fast")};
  std::vector<lapcast::Run> runs{probe_of(candidates[0], kSecond),
                                 probe_of(candidates[1], kSecond / 10)};
  for (lapcast::Run& run : runs) run.context.program = {"./another"};
  const auto chosen = to_confirm(candidates, runs, 1, from_own_laps);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0], candidates[1]);
  EXPECT_TRUE(to_confirm({candidate("third")}, runs, 1, from_own_laps).empty());
}

TEST(ToConfirm, WhatCannotBePricedIsTheMostExpensive) {
  std::vector<RunContext> candidates{candidate("centuries"), candidate("days")};
  Offer price;
  price.price.per_hour = Money::parse("1");
  for (RunContext& each : candidates) each.price = price;
  std::vector<lapcast::Run> runs{probe_of(candidates[0], kSecond / 10),
                                 probe_of(candidates[1], kSecond)};
  runs[0].context.plan.steps = 1'000'000'000'000;  // 1e11 s
  const auto chosen = to_confirm(candidates, runs, 1, from_own_laps);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].machine_type.name, "days");
}

// The numbers are from an independent implementation of the 64-bit Mersenne Twister.
TEST(RandomOrder, DependsOnTheSeedOnly) {
  EXPECT_THAT(random_order(6, 1), ElementsAre(1U, 3U, 0U, 4U, 5U, 2U));
  EXPECT_THAT(random_order(6, 2), ElementsAre(3U, 4U, 2U, 1U, 5U, 0U));
  EXPECT_THAT(random_order(1, 1), ElementsAre(0U));
  EXPECT_THAT(random_order(0, 1), IsEmpty());
}

class FoundSweepTest : public InTestFolder {
 protected:
  FoundSweep find(const ProgramContent& program, bool keep = false, bool again = false) {
    return find_or_begin(
        store_,
        {.key = "k", .fleet_file = "fleet.toml", .program = program, .again = again, .keep = keep});
  }
  Store store_ = Store::open(file());
  const ProgramContent one_{{"train.py", "1"}, {"lib.py", "1"}};
  const ProgramContent two_{{"train.py", "2"}, {"lib.py", "1"}};
};

TEST_F(FoundSweepTest, TheSameProgramGoesOn) {
  const FoundSweep first = find(one_);
  EXPECT_THAT(first.said, IsEmpty());
  const FoundSweep again = find(one_);
  EXPECT_EQ(again.sweep.id, first.sweep.id);
  EXPECT_THAT(again.said, IsEmpty());
}

TEST_F(FoundSweepTest, AChangedProgramBeginsAnewAndSaysWhatChanged) {
  const std::string first = find(one_).sweep.id;
  const FoundSweep changed = find(two_);
  EXPECT_NE(changed.sweep.id, first);
  EXPECT_THAT(changed.said, ElementsAre("the program changed since sweep " + first +
                                        ": train.py; measuring anew (--keep goes on with what was "
                                        "measured)"));
  // Once more it is known; and so is the first, when the change is taken back.
  EXPECT_EQ(find(two_).sweep.id, changed.sweep.id);
  EXPECT_EQ(find(one_).sweep.id, first);
  EXPECT_EQ(store_.sweeps().size(), 2u);
}

TEST_F(FoundSweepTest, KeepGoesOnWithTheNewestAndSaysSoEachTime) {
  const std::string first = find(one_).sweep.id;
  for (int i = 0; i < 2; ++i) {
    const FoundSweep kept = find(two_, true);
    EXPECT_EQ(kept.sweep.id, first);
    EXPECT_THAT(kept.said, ElementsAre("the program changed since sweep " + first +
                                       ": train.py; going on with what was measured (--keep)"));
  }
  EXPECT_NE(find(two_).sweep.id, first);
}

TEST_F(FoundSweepTest, AgainBeginsAnew) {
  const std::string first = find(one_).sweep.id;
  EXPECT_NE(find(one_, false, true).sweep.id, first);
}

TEST_F(FoundSweepTest, RunsThatNobodyFollowsAnyMoreAreNamed) {
  const std::string first = find(one_).sweep.id;
  store_.save_pending_run({"e1", first, "probe", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  store_.save_pending_run({"e2", first, "probe", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  store_.save_pending_run({"e3", "", "offload", "ssh box", "2026-11-22T00:00:00Z", "{}"});
  EXPECT_THAT(find(one_).said, IsEmpty());
  EXPECT_THAT(find(two_).said,
              testing::Contains(HasSubstr("2 runs of sweep " + first + " are still")));
}

// docs/reference.md tells this format to those who read the store with other tools.
TEST_F(FoundSweepTest, TheStoredDescriptionIsTheDocumentedJson) {
  EXPECT_EQ(find(one_).sweep.description, R"({"program":{"lib.py":"1","train.py":"1"}})");
  EXPECT_EQ(store_.sweeps().back().description, find(one_).sweep.description);
  EXPECT_EQ(find_or_begin(store_, {.key = "s", .subject = "mnist-mlp", .program = one_})
                .sweep.description,
            R"({"program":{"lib.py":"1","train.py":"1"},"subject":"mnist-mlp"})");
}

TEST(SweepDescription, SurvivesAnyBytes) {
  const ProgramContent program{{"a\xff.py", "1"}, {"b \"c\".py", "2"}};
  const auto read = program_of_description(describe_sweep("set", program));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at("b \"c\".py"), "2");
  for (const char* damaged : {"", "{}", "[]", "mnist-mlp", "{\"program\": 1}", "{\"program\":"})
    EXPECT_FALSE(program_of_description(damaged)) << damaged;
  EXPECT_TRUE(program_of_description("{\"program\": {\"a\": 1}}")->empty());
}

class SweepLockTest : public InTestFolder {
 protected:
  SweepLockTest() { std::ofstream(file()) << ""; }

  /// Returns the process that keeps another one from having the lock; "nobody" when it can have it.
  std::string holder_of(const std::string& key) const {
    return in_child([&] {
      std::string holder = "nobody";
      const auto lock = SweepLock::acquire(file(), key, [&](pid_t who) {
        holder = std::to_string(who);
        return false;
      });
      return holder;
    });
  }
};

std::optional<SweepLock> take(const fs::path& store, const std::string& key) {
  return SweepLock::acquire(store, key, [](pid_t) { return false; });
}

TEST_F(SweepLockTest, IsHeldByOneProcessAndOnlyForItsKey) {
  {
    const auto lock = take(file(), "a");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock->why_not_held());
    EXPECT_EQ(holder_of("a"), std::to_string(getpid()));
    EXPECT_EQ(holder_of("b"), "nobody");
  }
  EXPECT_EQ(holder_of("a"), "nobody");
}

TEST_F(SweepLockTest, EndsWithItsHolderAndIsNotInherited) {
  int ready[2] = {-1, -1};
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const auto lock = take(file(), "a");
    const pid_t child = fork();  // as a worker, which may outlive its coordinator
    if (child == 0) {
      sleep(60);
      _exit(0);
    }
    if (::write(ready[1], &child, sizeof child) < 0) _exit(1);
    sleep(60);
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ready[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_EQ(holder_of("a"), std::to_string(holder));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(holder_of("a"), "nobody");
  kill(child, SIGKILL);
}

TEST_F(SweepLockTest, LeavesOneEmptyFileForAllKeys) {
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(take(file(), std::to_string(i)));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(file().parent_path()))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre(file().filename().string(),
                                                   file().filename().string() + "-lock"));
  EXPECT_EQ(fs::file_size(file().string() + "-lock"), 0u);
}

TEST_F(SweepLockTest, IsTheSameThroughALinkToTheStore) {
  const fs::path link = file().parent_path() / "link.db";
  fs::create_symlink(file(), link);
  const auto lock = take(link, "a");
  ASSERT_TRUE(lock);
  EXPECT_EQ(holder_of("a"), std::to_string(getpid()));
}

TEST_F(SweepLockTest, WhereThereIsNoneItSaysWhy) {
  fs::create_symlink("/nowhere", file().string() + "-lock");
  const auto lock = take(file(), "a");
  ASSERT_TRUE(lock);
  ASSERT_TRUE(lock->why_not_held());
  EXPECT_THAT(lock->why_not_held()->text, testing::HasSubstr("-lock: "));
}

}  // namespace

}  // namespace lapcast
