#include "forecast/lap_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/cut_log.h"
#include "forecast/fake_log_test.h"
#include "forecast/forecast.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

LapProfile profile(const FakeLog& fake, const RunFacts& facts = {}) {
  const auto result = profile_of(fake.log, facts);
  EXPECT_TRUE(result.has_value());
  return result.value_or(LapProfile{});
}

TEST(LapProfile, NoLapsIsAReason) {
  EXPECT_EQ(profile_of(LapLog{}, {}).error().text, "no laps");
  lapcast::Run run;  // not testing::Test::Run
  run.outcome = outcome::Crashed{.exit_status = 3};
  EXPECT_THAT(profile_of(run).error().text, HasSubstr("exit status 3"));
}

// A single lap is taken as it is, with an interval of 10 % deviation (1.96 * 0.1).
TEST(LapProfile, OfOneLap) {
  const LapProfile one = profile(FakeLog(3).lap(0.5));
  EXPECT_DOUBLE_EQ(one.init.count(), 3);
  EXPECT_EQ(one.steady.laps, 1);
  EXPECT_EQ(one.steady.warm_up_laps, 0);
  EXPECT_DOUBLE_EQ(one.steady.mean.mid.count(), 0.5);
  EXPECT_NEAR(one.steady.mean.low.count(), 0.5 * (1 - 0.196), 1e-4);
  EXPECT_NEAR(one.steady.mean.high.count(), 0.5 * (1 + 0.196), 1e-4);
  EXPECT_DOUBLE_EQ(one.warm_up_excess.count(), 0);
  EXPECT_FALSE(one.validation);
  EXPECT_FALSE(one.epoch_overhead);
}

TEST(LapProfile, OfAWholeTraining) {
  const FakeLog fake = whole_training();
  const LapProfile whole =
      profile(fake, {.ended_by_itself = true, .wall = Seconds{kWholeTrainingSeconds}});
  EXPECT_NEAR(whole.init.count(), 2, 1e-9);
  EXPECT_NEAR(whole.first_lap.count(), 4.5, 1e-9);
  EXPECT_EQ(whole.steady.warm_up_laps, 1);
  EXPECT_EQ(whole.steady.laps, 57);  // 60 without the first and those that begin epochs 2 and 3
  EXPECT_NEAR(whole.steady.mean.mid.count(), 0.5, 1e-9);
  EXPECT_NEAR(whole.steady.samples_per_second.mid, 200, 1e-6);
  EXPECT_NEAR(whole.warm_up_excess.count(), 4, 1e-9);
  ASSERT_TRUE(whole.validation);
  EXPECT_NEAR(whole.validation->first.mid.count(), 1.5, 1e-9);
  EXPECT_NEAR(whole.validation->later.mid.count(), 1, 1e-9);
  EXPECT_EQ(whole.validation->provenance, Provenance::measured);
  EXPECT_EQ(whole.validations.every, 1);
  EXPECT_EQ(whole.validations.first, 1);
  ASSERT_TRUE(whole.epoch_overhead);
  EXPECT_NEAR(whole.epoch_overhead->mid.count(), 0.1, 1e-9);
  ASSERT_TRUE(whole.checkpoint);
  EXPECT_NEAR(whole.checkpoint->mid.count(), 0.25, 1e-9);
  EXPECT_EQ(whole.checkpoints_per_epoch, 1);
  EXPECT_NEAR(whole.teardown.mid.count(), 0.3, 1e-9);
  EXPECT_EQ(whole.teardown_provenance, Provenance::measured);
  EXPECT_NEAR(whole.real_total.count(), kWholeTrainingSeconds, 1e-9);
  EXPECT_EQ(whole.laps_per_epoch, 20);
  ASSERT_EQ(whole.epochs.size(), 3u);
  EXPECT_NEAR(whole.epochs[0].count(), 4.5 + 9.5 + 1.5 + 0.25 + 0.1, 1e-9);
  EXPECT_NEAR(whole.epochs[1].count(), 10 + 1 + 0.25 + 0.1, 1e-9);
  EXPECT_NEAR(whole.epochs[2].count(), 10 + 1 + 0.25, 1e-9);
}

TEST(LapProfile, FirstLapOfAnEpochBelongsToItsOverhead) {
  FakeLog fake;
  for (int epoch = 0; epoch < 3; ++epoch) {
    fake.begin_epoch().lap(1.5).laps(19, 0.5).end_epoch().idle(0.1);
  }
  const LapProfile loader_restarts = profile(fake);
  EXPECT_NEAR(loader_restarts.steady.mean.mid.count(), 0.5, 1e-9);
  EXPECT_NEAR(loader_restarts.epoch_overhead->mid.count(), 0.1 + 1.0, 1e-9);
  EXPECT_NEAR(loader_restarts.warm_up_excess.count(), 1, 1e-9);  // of the very first lap only
}

TEST(LapProfile, TheLengthComesFromTheCommandOrFromARunThatEnded) {
  FakeLog fake;
  for (int epoch = 0; epoch < 3; ++epoch) fake.begin_epoch().laps(20, 0.5).end_epoch();
  const TrainingPlan command{.epochs = 90, .from = "`--epochs 90` in its command"};
  EXPECT_FALSE(profile_of(fake.log, {})->length);
  EXPECT_EQ(profile_of(fake.log, {.command = command})->length, command);
  const TrainingPlan shorter{.epochs = 2, .from = "`--epochs 2` in its command"};
  EXPECT_FALSE(profile_of(fake.log, {.command = shorter})->length);
  const auto ended = profile_of(fake.log, {.ended_by_itself = true, .command = command})->length;
  EXPECT_EQ(ended->epochs, 3);
  EXPECT_EQ(ended->from, "the run itself, which ended");
  FakeLog laps;
  laps.laps(20, 0.5);
  EXPECT_EQ(profile_of(laps.log, {.ended_by_itself = true})->length->steps, 20);
  FakeLog late_epochs;  // the first one is not reported
  late_epochs.laps(20, 0.5).begin_epoch().laps(20, 0.5).end_epoch();
  const auto all = profile_of(late_epochs.log, {.ended_by_itself = true})->length;
  EXPECT_EQ(all->steps, 40);
  EXPECT_EQ(all->epochs, 0);
  laps.plan({.epochs = 5});
  const auto said = profile_of(laps.log, {.command = command});
  EXPECT_FALSE(said->length);
  ASSERT_EQ(said->notes.size(), 1u);
  EXPECT_EQ(said->notes[0],
            "the program announces another length than `--epochs 90` in its command: its own "
            "number counts");
  laps.plan({.epochs = 5, .from = "args.epochs"});
  const auto guessed = profile_of(laps.log, {.command = command});
  EXPECT_EQ(guessed->length, command);
  ASSERT_EQ(guessed->notes.size(), 1u);
  EXPECT_THAT(guessed->notes[0], HasSubstr("disagree on the length: the command counts"));
}

TEST(LapProfile, StoppedProbeTakesTearDownFromItsInit) {
  const LapProfile stopped = profile(FakeLog(2).laps(20, 0.5));
  EXPECT_EQ(stopped.teardown_provenance, Provenance::predicted);
  EXPECT_EQ(stopped.teardown, (Interval<Seconds>{Seconds{0}, Seconds{0.1}, Seconds{1}}));
  EXPECT_EQ(stopped.real_total, Seconds{0});
}

TEST(LapProfile, ForwardShareWhenNoValidationWasReached) {
  FakeLog fake;
  fake.plan({.validation_samples = 1000}).laps(20, 0.5);
  const LapProfile probe = profile(fake);
  ASSERT_TRUE(probe.validation);
  // 10 batches of 0.5 s are 5 s of training; validation takes 35 % of it, 20 to 80 %.
  EXPECT_NEAR(probe.validation->later.mid.count(), 1.75, 1e-9);
  EXPECT_NEAR(probe.validation->later.low.count(), 1.0, 1e-9);
  EXPECT_NEAR(probe.validation->later.high.count(), 4.0, 1e-9);
  EXPECT_EQ(probe.validation->provenance, Provenance::simulated);
  const LapProfile asked = profile(fake, {.validation_samples = 2000});
  EXPECT_NEAR(asked.validation->later.mid.count(), 3.5, 1e-9);
}

TEST(LapProfile, NotesSayWhatWasFound) {
  FakeLog fake;
  fake.laps(20, 0.5).lap(4).laps(20, 0.5);
  fake.log.laps[3].finished = false;
  fake.log.epochs.push_back({.epoch = 4});
  const LapProfile noted = profile(fake);
  EXPECT_EQ(noted.steady.stalls, 1);
  EXPECT_NEAR(noted.steady.mean.mid.count(), 0.5, 1e-9);
  EXPECT_GE(noted.steady.mean.high.count(), 0.5 + 3.5 / 40);
  EXPECT_THAT(noted.notes, Contains(HasSubstr("queued work")));
  EXPECT_THAT(noted.notes, Contains("the program resumed at epoch 4"));
}

// Five lines, each for ten laps; the last one came late. One late line is not a new level.
TEST(LapProfile, LapsThatShareATimeAreOneObservation) {
  FakeLog fake;
  for (const double lap : {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.3}) {
    fake.laps(10, lap);
    for (std::size_t i = 2; i <= 10; ++i) fake.log.laps[fake.log.laps.size() - i].shared = true;
  }
  const LapProfile lines = profile(fake);
  EXPECT_EQ(lines.steady.observations, 6);  // the first line is warm-up
  EXPECT_NEAR(lines.steady.mean.mid.count(), 0.1, 1e-9);
  EXPECT_EQ(lines.steady.stalls, 10);  // the laps of the late line
}

// Epochs 3 (its last 20 laps) and 4 (50 laps) of a training that ended.
TEST(LapProfile, OfAResumedTrainingTheSecondEpochIsAWholeOne) {
  FakeLog fake;
  fake.plan({.laps_done = 130});
  fake.begin_epoch().laps(20, 0.1).end_epoch().begin_epoch().laps(50, 0.1).end_epoch();
  fake.log.epochs[0].epoch = 3;
  fake.log.epochs[1].epoch = 4;
  const LapProfile resumed = profile_of(fake.log, {.ended_by_itself = true}).value();
  EXPECT_EQ(resumed.epochs_before, 2);
  EXPECT_EQ(resumed.laps_per_epoch, 50);
  EXPECT_EQ(resumed.length->epochs, 4);
  const auto plan = plan_of({}, resumed);
  EXPECT_DOUBLE_EQ(laps_of(*plan), 70);
}

TEST(LapProfile, PhaseChangeMakesEarlierLapsWarmUp) {
  const LapProfile phases = profile(FakeLog().laps(20, 0.2).phase("large").laps(15, 0.8));
  EXPECT_EQ(phases.steady.warm_up_laps, 21);
  EXPECT_NEAR(phases.steady.mean.mid.count(), 0.8, 1e-9);
  EXPECT_NEAR(phases.warm_up_excess.count(), 20 * (0.2 - 0.8), 1e-9);
}

// Scaling all times by a power of two scales every figure by exactly that.
TEST(LapProfile, UnitsDoNotMatter) {
  std::mt19937_64 generator(21);
  FakeLog fast(1), slow(4);
  for (double lap : noisy_laps(generator, 60, 0.1, 0.3)) {
    const double whole_ns = std::floor(lap * 1e8) * 1e-9;
    fast.lap(whole_ns);
    slow.lap(4 * whole_ns);
  }
  const LapProfile a = profile(fast), b = profile(slow);
  EXPECT_EQ(a.steady.warm_up_laps, b.steady.warm_up_laps);
  EXPECT_NEAR(b.steady.mean.high.count(), 4 * a.steady.mean.high.count(), 1e-7);
  EXPECT_NEAR(b.steady.median.low.count(), 4 * a.steady.median.low.count(), 1e-7);
  EXPECT_NEAR(b.warm_up_excess.count(), 4 * a.warm_up_excess.count(), 1e-7);
  EXPECT_NEAR(a.steady.samples_per_second.mid, 4 * b.steady.samples_per_second.mid, 1e-4);
}

TEST(LapProfile, MidLiesInEveryInterval) {
  std::mt19937_64 generator(22);
  for (std::size_t laps = 1; laps < 40; ++laps) {
    FakeLog fake;
    for (double lap : noisy_laps(generator, laps, 0.2)) fake.lap(std::max(0.01, lap));
    const SteadyLaps steady = profile(fake).steady;
    for (const Interval<Seconds>& interval : {steady.mean, steady.median}) {
      EXPECT_TRUE(interval.contains(interval.mid)) << laps;
      EXPECT_GE(interval.low.count(), 0) << laps;
      EXPECT_LT(interval.high.count(), 100) << laps;
    }
  }
}

TEST(FirstEpochs, KeepsWhatFollowsTheEpochUntilTheNextBegins) {
  const LapLog log = log_of_first_epochs(whole_training().log, 2).value();
  ASSERT_EQ(log.epochs.size(), 3U);
  EXPECT_EQ(log.epochs[2].span.begin_ns, log.last_ns) << "the next one's begin";
  EXPECT_FALSE(log.epochs[2].ended);
  EXPECT_EQ(log.epochs[2].laps, 0);
  EXPECT_EQ(log.laps.size(), 40U);
  EXPECT_EQ(log.validations.size(), 2U);
  EXPECT_EQ(log.stages.size(), 2U);
  EXPECT_FALSE(log.said_bye);
  // Init takes 2 s, epochs 14 and 10 s, validations 1.5 and 1 s, checkpoints and boundaries 2 *
  // 0.35 s.
  EXPECT_EQ(log.last_ns, 29'200'000'000);
}

TEST(FirstEpochs, ForecastTheWholeFromTwo) {
  const LapLog log = log_of_first_epochs(whole_training().log, 2).value();
  const LapProfile profile = profile_of(log, {.wall = from_ns(log.last_ns)}).value();
  const Forecast result = forecast(profile, plan_of({}, profile).value()).value();
  EXPECT_NEAR(result.total.mid.count(), kWholeTrainingSeconds, 0.35);  // the tear-down is not seen
}

TEST(FirstEpochs, NoneAtAllIsALogWithoutLaps) {
  const LapLog log = log_of_first_epochs(whole_training().log, 0).value();
  EXPECT_TRUE(log.laps.empty());
  ASSERT_EQ(log.epochs.size(), 1U);
  EXPECT_EQ(log.epochs[0].laps, 0);
}

TEST(FirstEpochs, SaysWhyNot) {
  EXPECT_EQ(log_of_first_epochs(whole_training().log, 3).error().text,
            "it has no more than 3 epochs");
  EXPECT_EQ(log_of_first_epochs(FakeLog().lap(1).log, 1).error().text, "its log reports no epochs");
}

// Laps of 0.1 s in turns of ten; in every other turn others take half of the time.
TEST(LapProfile, UndisturbedLapsAreThoseWithoutTheWorkOfOthers) {
  FakeLog fake(0);
  for (int turn = 0; turn < 8; ++turn) {
    const double lap = turn % 2 == 0 ? 0.1 : 0.2;
    for (int i = 0; i < 10; ++i) fake.lap(lap);
    const auto span = static_cast<std::int64_t>(10 * lap * 1e9);
    fake.log.loads.push_back({.at_ns = fake.log.laps.back().end_ns,
                              .span_ns = span,
                              .cpus = 1,
                              .delay_ns = turn % 2 == 0 ? 0 : span / 2,
                              .others_ns = span / 2});
  }
  EXPECT_GT(profile(fake).steady.mean.mid.count(), 0.12);
  const LapProfile undisturbed = profile(fake, {.conditions = Conditions::undisturbed});
  EXPECT_NEAR(undisturbed.steady.mean.mid.count(), 0.1, 1e-9);
  EXPECT_EQ(undisturbed.steady.laps + undisturbed.steady.warm_up_laps, 40);
  fake.log.loads.clear();
  EXPECT_EQ(profile_of(fake.log, {.conditions = Conditions::undisturbed}).error().text,
            "what else the machine did is not known");
}

}  // namespace
}  // namespace lapcast
