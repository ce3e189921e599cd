#include "run/run.h"

#include <gmock/gmock.h>

#include "lap/lap_log_writer.h"
#include "run/kept_logs.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kRunSecond = 1'000'000'000;

TEST(Outcome, OnlySomeHaveLaps) {
  EXPECT_TRUE(has_laps(outcome::Enough{}));
  EXPECT_TRUE(has_laps(outcome::BudgetSpent{}));
  EXPECT_TRUE(has_laps(outcome::Ended{}));
  EXPECT_FALSE(has_laps(outcome::Crashed{}));
  EXPECT_FALSE(has_laps(outcome::NoLaps{}));
  EXPECT_FALSE(has_laps(outcome::NotStarted{}));
  EXPECT_FALSE(has_laps(outcome::Interrupted{}));
  EXPECT_FALSE(has_laps(outcome::NotEnded{}));
}

TEST(Outcome, ARunThatWasCutOffSaysNothingAboutItsProgram) {
  EXPECT_TRUE(was_cut_off(outcome::Interrupted{}));
  EXPECT_TRUE(was_cut_off(outcome::NotEnded{}));
  EXPECT_FALSE(was_cut_off(outcome::Ended{}));
  EXPECT_FALSE(was_cut_off(outcome::NotStarted{}));
}

TEST(Outcome, IsDescribedInOneLine) {
  EXPECT_EQ(describe(outcome::Enough{"10 steady laps"}), "enough: 10 steady laps");
  EXPECT_EQ(describe(outcome::BudgetSpent{"200 laps"}), "budget spent: 200 laps");
  EXPECT_EQ(describe(outcome::Ended{}), "ended");
  EXPECT_EQ(describe(outcome::Crashed{3, 0}), "failed with exit status 3");
  EXPECT_EQ(describe(outcome::Crashed{0, 11}), "crashed with signal 11 (SIGSEGV)");
  EXPECT_EQ(describe(outcome::Crashed{0, 40}), "crashed with signal 40");
  EXPECT_EQ(describe(outcome::NoLaps{"time-out"}), "no laps: time-out");
  EXPECT_EQ(describe(outcome::NotStarted{}), "not started");
  EXPECT_EQ(describe(outcome::Interrupted{}), "interrupted");
  EXPECT_EQ(describe(outcome::NotEnded{"it goes on"}), "not ended: it goes on");
}

TEST(Outcome, KindIsThatOfTheDescription) {
  const std::pair<Outcome, std::string> kinds[] = {
      {outcome::Enough{"10 steady laps"}, "enough"},
      {outcome::BudgetSpent{"200 laps"}, "budget-spent"},
      {outcome::Ended{}, "ended"},
      {outcome::Crashed{3, 0}, "crashed"},
      {outcome::Crashed{0, 11}, "crashed"},
      {outcome::Crashed{1, 0, outcome::OutOfMemory{"no", "128"}}, "out-of-gpu-memory"},
      {outcome::Crashed{1, 0, outcome::OutOfMemory{}}, "out-of-gpu-memory"},
      {outcome::Crashed{0, 9, {}, outcome::OutOfMemory{"Killed", "64"}}, "out-of-main-memory"},
      {outcome::NoLaps{"no laps: within"}, "no-laps"},
      {outcome::NotStarted{"crashed with"}, "not-started"},
      {outcome::Interrupted{}, "interrupted"},
      {outcome::NotEnded{}, "not-ended"}};
  for (const auto& [outcome, kind] : kinds) {
    EXPECT_EQ(outcome_kind(outcome), kind);
    EXPECT_EQ(outcome_kind_of(describe(outcome)), kind) << describe(outcome);
  }
}

TEST(Outcome, PrecisionIsThatOfLaps) {
  const std::string text = "enough: 26 steady laps within 1.8 %";
  EXPECT_EQ(text.substr(0, precision_at(text)), "enough: 26 steady laps");
  EXPECT_EQ(precision_at("enough: within 4.1 %, 9 observations"), std::string::npos);
}

TEST(FilledProgram, ReplacesKnownPlaceholdersOnce) {
  RunContext context;
  context.program = {
      "./t", "--b={batch}{batch}", "{run_dir}/x", "{lr}", "{\"a\": {batch}}", "{batch", "}"};
  context.settings = {{"batch", "128"}, {"lr", "{batch}"}};
  EXPECT_THAT(filled_program(context), ElementsAre("./t", "--b=128128", "{run_dir}/x", "{batch}",
                                                   "{\"a\": 128}", "{batch", "}"));
  EXPECT_TRUE(filled_program({}).empty());
}

Run with_id(std::string id) {
  lapcast::Run run;
  run.context.id = std::move(id);
  return run;
}

TEST(WhyNotKept, IdsAreSafeInPathsAndCommands) {
  EXPECT_FALSE(why_not_kept(with_id("3fb09c61d2aa")));
  EXPECT_FALSE(why_not_kept(with_id(std::string(64, 'z'))));
  for (const std::string& id : {std::string(), std::string(65, 'z'), std::string("../a"),
                                std::string("A"), std::string("a\0b", 3)}) {
    EXPECT_THAT(why_not_kept(with_id(id))->text, HasSubstr("id is not")) << id;
  }
}

TEST(WhyNotKept, ClocksAreInRange) {
  lapcast::Run run = with_id("a");
  run.ended_ns = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(why_not_kept(run)->text, "ended_ns is out of range");
  run.ended_ns = 1;
  EXPECT_FALSE(why_not_kept(run));
}

TEST(WasImported, OldLogsAreImportedWhateverElseTheySay) {
  RunContext context;
  EXPECT_FALSE(was_imported(context));
  context.imported_from = "mllog a.log";
  EXPECT_TRUE(was_imported(context));
  context = {};
  context.imported = true;
  EXPECT_TRUE(was_imported(context));
}

/// Returns two laps of 1 s after 2 s of its own.
std::string log_text(std::int64_t clock_ns, double wall, int rank, const std::string& host) {
  return lap_log_opening({clock_ns, wall, 7, rank, 2, host, "test"}) +
         "2000000000 epoch-begin 1\n3000000000 i 8\n4000000000 i 8\n4000000000 epoch-end 1\n";
}

Run run_from_100_to_200_s() {
  lapcast::Run run;
  run.started_ns = 100 * kRunSecond;
  run.ended_ns = 200 * kRunSecond;
  return run;
}

TEST(LapsOf, TimesAreAfterTheStartOfTheRun) {
  lapcast::Run run = run_from_100_to_200_s();
  run.lap_logs = {log_text(105 * kRunSecond, 1000, 0, "a")};
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 2u);
  EXPECT_EQ(log.laps[0].begin_ns,
            (5 + 2) * kRunSecond);  // hello 5 s after the start, 2 s of its own
  EXPECT_EQ(log.laps[1].end_ns, (5 + 4) * kRunSecond);
  EXPECT_EQ(log.epochs.at(0).span, (Span{7 * kRunSecond, 9 * kRunSecond}));
  EXPECT_EQ(log.last_ns, 9 * kRunSecond);
  EXPECT_EQ(log.hello->clock_ns, 100 * kRunSecond);
  EXPECT_DOUBLE_EQ(log.hello->wall_seconds, 995);
  EXPECT_FALSE(log.damage);
}

// The second lap ends 4 s after the hello, 1 s and more after the run.
TEST(LapsOf, ALapThatEndsAfterTheRunIsDamage) {
  lapcast::Run run = run_from_100_to_200_s();
  run.context.machine.host = "a";
  run.lap_logs = {log_text(197 * kRunSecond, 1000, 0, "a")};
  EXPECT_EQ(laps_of(run)->laps.size(), 1u);
  EXPECT_EQ(laps_of(run)->damage->what, "a time after the end of the run");
  run.lap_logs = {log_text(197 * kRunSecond, 1000, 0, "another")};  // whose clock says nothing here
  EXPECT_EQ(laps_of(run)->laps.size(), 2u);
}

TEST(LapsOf, NoLogsOrUselessOnes) {
  lapcast::Run run = run_from_100_to_200_s();
  EXPECT_TRUE(laps_of(run)->laps.empty());
  EXPECT_FALSE(laps_of(run)->damage);
  run.lap_logs = {"", "rubbish\n"};
  EXPECT_TRUE(laps_of(run)->laps.empty());
  EXPECT_TRUE(laps_of(run)->damage);
}

TEST(LapsOf, AreReadOnceUntilTheRunChanges) {
  lapcast::Run run = run_from_100_to_200_s();
  run.context.id = "once";
  run.lap_logs = {log_text(105 * kRunSecond, 1000, 0, "a")};
  const auto log = laps_of(run);
  EXPECT_EQ(laps_of(lapcast::Run(run)), log);
  const auto other_than = [&](auto change) {
    lapcast::Run changed = run;
    change(changed);
    return laps_of(changed) != log;
  };
  EXPECT_TRUE(other_than([](auto& other) { other.context.id = "twice"; }));
  EXPECT_TRUE(other_than([](auto& other) { other.lap_logs[0][30] = '9'; }));
  EXPECT_TRUE(other_than([](auto& other) { other.started_ns += 1; }));
  EXPECT_TRUE(other_than([](auto& other) { other.ended_ns += 1; }));
  EXPECT_TRUE(other_than([](auto& other) { other.pauses = {{110, 120}}; }));
  EXPECT_TRUE(other_than([](auto& other) { other.context.machine.host = "b"; }));
  EXPECT_TRUE(other_than([](auto& other) { other.context.imported_from = "mllog"; }));
  EXPECT_TRUE(other_than([](auto& other) { other.outcome = outcome::Ended(); }));
  EXPECT_EQ(laps_of(run), log);
}

TEST(LapsOf, OfADayAreNotKept) {
  lapcast::Run run = run_from_100_to_200_s();
  run.lap_logs = {log_text(105 * kRunSecond, 1000, 0, "a")};
  run.lap_logs[0].append(KeptLogs::kMostOfOne, '\n');
  EXPECT_EQ(laps_of(run).use_count(), 1);
}

// Rank 0 ran on another machine, whose clock says 9 s; its wall clock is 1 s before rank 1's.
TEST(LapsOf, AnotherMachinesLogIsPlacedByWallClock) {
  lapcast::Run run = run_from_100_to_200_s();
  run.lap_logs = {log_text(9 * kRunSecond, 1000, 0, "far"),
                  log_text(106 * kRunSecond, 1001, 1, "near")};
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 2u);
  EXPECT_EQ(log.laps[1].end_ns, (6 + 4) * kRunSecond);  // the slower rank's: hello at 106 s
  EXPECT_EQ(log.epochs.at(0).span.begin_ns, (5 + 2) * kRunSecond);  // rank 0's: hello at 105 s
  EXPECT_FALSE(log.damage);
}

TEST(LapsOf, AClockThatIsNotTheRunsIsSaid) {
  for (const std::int64_t clock_s : {0, 99, 201, 900'000'000}) {
    lapcast::Run run = run_from_100_to_200_s();
    run.lap_logs = {log_text(clock_s * kRunSecond, 1000, 0, "a")};
    const LapLog log = *laps_of(run);
    ASSERT_EQ(log.laps.size(), 2u);
    EXPECT_EQ(log.laps[0].begin_ns, 2 * kRunSecond);
    ASSERT_TRUE(log.damage);
    EXPECT_EQ(log.damage->lines, 0);
    EXPECT_THAT(log.damage->what, HasSubstr("clock is not that of the run"));
  }
}

TEST(LapsOf, ARunThatHasNotEndedYetIsReadToo) {
  lapcast::Run run = run_from_100_to_200_s();
  run.ended_ns = 0;
  run.lap_logs = {log_text(105 * kRunSecond, 1000, 0, "a")};
  EXPECT_EQ(laps_of(run)->laps.at(0).begin_ns, 7 * kRunSecond);
}

}  // namespace
}  // namespace lapcast
