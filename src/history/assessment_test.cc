#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "history/assessment.h"
#include "run/race_outcomes.h"

namespace lapcast {
namespace {

/// Returns a run of ten laps of 1 s on 100 samples, followed by validations of 2 s on 50 samples.
Run run_of(const std::string& id, int validations, std::vector<std::string> program = {"./train"}) {
  Run run;
  run.context.id = id;
  run.context.program = std::move(program);
  run.context.machine_type.name = "small";
  run.outcome = outcome::Ended{};
  std::string log = "lapcast-laps 1\n0 hello clock=0\n";
  std::int64_t at = 0;
  for (int i = 0; i < 10; ++i) log += fmt::format("{} i 100\n", at += 1000000000);
  for (int i = 0; i < validations; ++i) {
    log += fmt::format("{} validation-begin\n", at);
    log += fmt::format("{} validation-end 50\n", at += 2000000000);
  }
  run.lap_logs = {log};
  run.ended_ns = at;
  return run;
}

TEST(ValidationSources, TheOneThatSawMost) {
  const std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 3), run_of("c", 0),
                                       run_of("d", 9, {"./other"})};
  const std::vector<ValidationSource> validation_sources = validation_sources_of(runs);
  ASSERT_EQ(validation_sources.size(), 3u);
  const ValidationSource* validation_source =
      validation_source_for(runs[2].context, validation_sources);
  ASSERT_NE(validation_source, nullptr);
  EXPECT_EQ(validation_source->run_id, "b");
  EXPECT_EQ(validation_source->validation.where, "run b on small");
  EXPECT_NEAR(validation_source->validation.later_ratio, 4, 1e-9);  // 2 s / 50 over 1 s / 100
}

TEST(Assess, AStoppedRunNeedsThreeSteadyLaps) {
  const auto stopped_after = [](int laps) {
    lapcast::Run run = run_of("a", 0);
    std::string log = "lapcast-laps 1\n0 hello clock=0\n";
    for (int i = 1; i <= laps; ++i) log += fmt::format("{} i 100\n", i * 1'000'000'000LL);
    run.lap_logs = {log};
    run.context.plan.steps = 100;
    run.outcome = outcome::BudgetSpent{"time budget"};
    return run;
  };
  EXPECT_EQ(
      assess(stopped_after(3)).forecast.error().text,
      "2 of the 3 steady laps that a forecast needs: a longer --budget or a larger --max-laps "
      "gives it more");
  EXPECT_TRUE(assess(stopped_after(4)).forecast);
  lapcast::Run ended = stopped_after(2);
  ended.outcome = outcome::Ended{};
  EXPECT_TRUE(assess(ended).forecast);
  lapcast::Run of_sweep = stopped_after(2);
  of_sweep.context.sweep = "s";
  EXPECT_FALSE(assess(of_sweep).forecast);
  for (const Outcome& by_race : {Outcome{out_of_race("too dear")}, Outcome{end_of_round()}}) {
    of_sweep.outcome = by_race;
    EXPECT_TRUE(assess(of_sweep).forecast);
  }
}

TEST(ValidationSources, NobodyGivesToItself) {
  const std::vector<lapcast::Run> runs{run_of("a", 1)};
  EXPECT_EQ(validation_source_for(runs[0].context, validation_sources_of(runs)), nullptr);
}

TEST(ValidationSources, OfOtherSettingsNothingIsTaken) {
  std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 0)};
  runs[0].context.settings = {{"batch", "64"}};
  EXPECT_EQ(validation_source_for(runs[1].context, validation_sources_of(runs)), nullptr);
}

/// Returns a run that starts at 1 s. Its log begins 0.5 s later and has two epochs of 2 s, each
/// with a second of validation; the tear-down takes 0.25 s.
Run two_epochs() {
  Run run;
  run.started_ns = 1'000'000'000;
  run.ended_ns = 7'750'000'000;
  run.outcome = outcome::Ended{};
  run.lap_logs = {
      "lapcast-laps 1\n"
      "0 hello clock=1500000000 wall=1790000000.0 pid=1\n"
      "0 epoch-begin 1\n"
      "2000000000 i 10\n"
      "2000000000 epoch-end 1\n"
      "2000000000 validation-begin\n"
      "3000000000 validation-end 5\n"
      "3000000000 epoch-begin 2\n"
      "5000000000 i 10\n"
      "5000000000 epoch-end 2\n"
      "5000000000 validation-begin\n"
      "6000000000 validation-end 5\n"};
  return run;
}

TEST(RealTime, IsTheWallTimeOfTheWholeRun) {
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 0).count(), 6.75);
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 2).count(), 6.75);
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 3).count(), 6.75);
}

TEST(RealTime, OfFewerEpochsEndsWhereTheNextOneBegan) {
  EXPECT_DOUBLE_EQ(real_time(two_epochs(), 1).count(), 0.5 + 3.0 + 0.25);
}

TEST(RealTimeOfAPlan, NeedsThePlansLaps) {
  const TrainingPlan two{.epochs = 2, .iterations_per_epoch = 1, .batch_size = 10};
  EXPECT_DOUBLE_EQ(real_time_of(two_epochs(), two).value().count(), 6.75);
  const TrainingPlan twenty{.epochs = 20, .iterations_per_epoch = 1, .batch_size = 10};
  EXPECT_FALSE(real_time_of(two_epochs(), twenty));
  lapcast::Run stopped = two_epochs();
  stopped.outcome = outcome::BudgetSpent{};
  EXPECT_FALSE(real_time_of(stopped, two));
}

// An epoch has five laps, so a plan of one epoch has the first five.
TEST(RealTimeOfAPlan, OfFewerEpochsIsTheirs) {
  lapcast::Run run = two_epochs();
  std::string& log = run.lap_logs[0];
  for (const char* lap : {"2000000000 i 10\n", "5000000000 i 10\n"}) {
    for (int more = 0; more < 4; ++more) log.insert(log.find(lap), lap);
  }
  const TrainingPlan one{.epochs = 1, .iterations_per_epoch = 5, .batch_size = 10};
  EXPECT_DOUBLE_EQ(real_time_of(run, one).value().count(), 3.75);
}

lapcast::Run waited(const char* sweep, const char* machine, double seconds) {
  static int runs = 0;
  lapcast::Run run;
  run.context.id = "run" + std::to_string(++runs);
  run.context.sweep = sweep;
  run.context.machine_type.name = machine;
  run.context.place = "slurm gpu";
  run.preparation = {{"queue", Seconds{seconds}, 0}, {"send program", Seconds{100}, 0}};
  return run;
}

/// Returns 0 where nothing is known.
Seconds queue_wait(const std::vector<lapcast::Run>& runs, const char* machine) {
  return queue_waits(runs)[machine];
}

TEST(QueueWait, JobsOfOneSweepWaitForEachOtherToo) {
  const std::vector<lapcast::Run> runs{waited("s1", "m", 70), waited("s1", "m", 10),
                                       waited("s2", "m", 30), waited("s2", "other", 1)};
  EXPECT_EQ(queue_wait(runs, "m"), Seconds{20});
  EXPECT_EQ(queue_wait(runs, "other"), Seconds{1});
}

TEST(QueueWait, ProbesOfNoSweepCountEach) {
  const std::vector<lapcast::Run> runs{waited("", "m", 4), waited("", "m", 8)};
  EXPECT_EQ(queue_wait(runs, "m"), Seconds{6});
}

TEST(QueueWait, NoneWithoutAQueue) {
  lapcast::Run here = waited("s", "m", 9);
  here.context.place.clear();
  EXPECT_EQ(queue_wait({}, "m"), Seconds{0});
  EXPECT_EQ(queue_wait({here}, "m"), Seconds{0});
}

}  // namespace

}  // namespace lapcast
