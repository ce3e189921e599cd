#include "forecast/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

LapProfile whole_profile() {
  return *profile_of(whole_training().log,
                     {.ended_by_itself = true, .wall = Seconds{kWholeTrainingSeconds}});
}

TrainingPlan whole_plan(const LapProfile& profile) {
  return *plan_of({}, profile);
}

/// Returns the profile of a probe of that training that was stopped within its first epoch.
LapProfile probe_profile() {
  FakeLog fake;
  fake.plan(*whole_training().log.plan).begin_epoch().lap(4.5).laps(15, 0.5);
  return *profile_of(fake.log, {});
}

Seconds part(const Forecast& forecast, PartKind kind) {
  return part_of(forecast, kind).time.mid;
}

TEST(Forecast, OfAWholeTrainingIsThatTraining) {
  const LapProfile profile = whole_profile();
  const auto result = forecast(profile, whole_plan(profile));
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->total.mid.count(), kWholeTrainingSeconds, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::init).count(), 2, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::warm_up).count(), 4, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::laps).count(), 30, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::validation).count(), 3.5, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::epoch_overhead).count(), 0.2, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::checkpoints).count(), 0.75, 1e-6);
  EXPECT_EQ(part_of(*result, PartKind::checkpoints).provenance, Provenance::measured);
  EXPECT_NEAR(part(*result, PartKind::tear_down).count(), 0.3, 1e-6);
}

// The parts are 2 + 4 + 30; validation is 3 * 400/100 * 0.5 * 0.35 = 2.1, overhead 2 * 0.25 * 0.5 =
// 0.25, tear-down 0.05 * 2 = 0.1.
TEST(Forecast, OfAProbeUsesPriorsForWhatWasNotReached) {
  const LapProfile profile = probe_profile();
  const auto result = forecast(profile, whole_plan(profile));
  ASSERT_TRUE(result);
  EXPECT_NEAR(part(*result, PartKind::validation).count(), 2.1, 1e-6);
  EXPECT_EQ(part_of(*result, PartKind::checkpoints).provenance, Provenance::not_seen);
  EXPECT_NEAR(part(*result, PartKind::epoch_overhead).count(), 0.25, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::tear_down).count(), 0.1, 1e-6);
  EXPECT_NEAR(result->total.mid.count(), 36 + 2.1 + 0.25 + 0.1, 1e-6);
  EXPECT_EQ(result->parts[3].provenance, Provenance::simulated);
  EXPECT_EQ(result->parts[4].provenance, Provenance::predicted);
}

TEST(Forecast, ValidationWidensTheInterval) {
  LapProfile profile = probe_profile();
  TrainingPlan plan = whole_plan(profile);
  const auto guessed = forecast(profile, plan);
  profile.validation->later = Interval<Seconds>::exactly(profile.validation->later.mid);
  profile.validation->first = profile.validation->later;
  const auto known = forecast(profile, plan);
  EXPECT_EQ(known->total.mid, guessed->total.mid);
  EXPECT_LT(known->total.high, guessed->total.high);
  EXPECT_GT(known->total.low, guessed->total.low);
}

TEST(Forecast, PlannedValidationThatNothingIsKnownOfIsAReason) {
  LapProfile profile = *profile_of(FakeLog().laps(15, 0.5, 0).log, {});
  TrainingPlan plan{.steps = 100, .validation_samples = 10};
  EXPECT_THAT(forecast(profile, plan).error().text, HasSubstr("validation"));
  plan.validation_samples = 0;
  EXPECT_TRUE(forecast(profile, plan));
}

/// Returns the profile of two epochs of 10 laps of 0.1 s without a validation.
LapProfile two_epochs() {
  FakeLog fake;
  for (int i = 0; i < 2; ++i) fake.begin_epoch().laps(10, 0.1).end_epoch();
  return *profile_of(fake.log, {});
}

// Of 12 epochs, those after the third and every third take 4 times 0.02 epochs, up to 4 epochs.
TEST(Forecast, AnnouncedValidationsReachUpwards) {
  TrainingPlan plan{.epochs = 12, .iterations_per_epoch = 10};
  EXPECT_EQ(part(*forecast(two_epochs(), plan), PartKind::validation).count(), 0);
  plan.validate_every = 3;
  const ForecastPart validation = part_of(*forecast(two_epochs(), plan), PartKind::validation);
  EXPECT_EQ(validation.provenance, Provenance::predicted);
  EXPECT_NEAR(validation.time.low.count(), 0, 1e-9);
  EXPECT_NEAR(validation.time.mid.count(), 4 * 0.02, 1e-6);
  EXPECT_NEAR(validation.time.high.count(), 4, 1e-6);
}

// The first one was due after the first epoch, and none came.
TEST(Forecast, AnnouncedValidationsThatDidNotComeCountAsNone) {
  const TrainingPlan plan{.epochs = 12, .iterations_per_epoch = 10, .validate_every = 1};
  EXPECT_EQ(part(*forecast(two_epochs(), plan), PartKind::validation).count(), 0);
}

// 1000 steps with a validation of 2 s after every 100 and a save of 0.5 s after every 50; nobody
// reports samples: 100 s of laps, 10 * 2 s, 20 * 0.5 s.
TEST(Forecast, APlanInStepsKeepsValidationsWithoutSamples) {
  FakeLog fake;
  for (int i = 0; i < 4; ++i) {
    fake.laps(50, 0.1, 0).checkpoint(0.5);
    if (i % 2 == 1) fake.validation(2, 0);
  }
  const LapProfile profile = *profile_of(fake.log, {});
  const auto result = forecast(profile, TrainingPlan{.steps = 1000});
  ASSERT_TRUE(result);
  EXPECT_NEAR(part(*result, PartKind::laps).count(), 100, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::validation).count(), 20, 1e-6);
  EXPECT_NEAR(part(*result, PartKind::checkpoints).count(), 10, 1e-6);
}

// Half an epoch of 40 laps, with validations after every 10 laps.
TEST(Forecast, AFractionOfAnEpochKeepsItsValidations) {
  FakeLog fake;
  fake.begin_epoch();
  for (int i = 0; i < 3; ++i) fake.laps(10, 0.1).validation(1, 100);
  const LapProfile profile = *profile_of(fake.plan({.iterations_per_epoch = 40}).log, {});
  const TrainingPlan plan{.steps = 20, .iterations_per_epoch = 40, .validation_samples = 100};
  EXPECT_NEAR(part(*forecast(profile, plan), PartKind::validation).count(), 2, 1e-6);
}

TEST(Forecast, PartialBatchesCountBySamples) {
  LapProfile profile = probe_profile();
  TrainingPlan plan{.epochs = 1, .batch_size = 100, .training_samples = 1950};
  EXPECT_NEAR(part(*forecast(profile, plan), PartKind::laps).count(), 19.5 * 0.5, 1e-9);
  plan.iterations_per_epoch = 19;  // the program drops the partial batch
  EXPECT_NEAR(part(*forecast(profile, plan), PartKind::laps).count(), 19 * 0.5, 1e-9);
}

// Warm-up laps are laps of the plan: only what they took longer is added.
TEST(Forecast, ATrainingWithinTheWarmUp) {
  const LapProfile profile = *profile_of(FakeLog().laps(3, 4).laps(20, 0.5).log, {});
  ASSERT_EQ(profile.steady.warm_up_laps, 3);
  const auto two = forecast(profile, TrainingPlan{.steps = 2});
  EXPECT_NEAR((part(*two, PartKind::laps) + part(*two, PartKind::warm_up)).count(), 8, 1e-9);
  const auto ten = forecast(profile, TrainingPlan{.steps = 10});
  EXPECT_NEAR((part(*ten, PartKind::laps) + part(*ten, PartKind::warm_up)).count(), 12 + 7 * 0.5,
              1e-9);
}

TEST(Forecast, NoPlanOrNoLapsIsAReason) {
  EXPECT_FALSE(forecast(LapProfile{}, TrainingPlan{.steps = 5}));
  for (Method method : kAllMethods) {
    EXPECT_FALSE(forecast(probe_profile(), TrainingPlan{}, method)) << to_string(method);
  }
}

TEST(Forecast, EveryMethodSumsToItsTotalAndHoldsIt) {
  const LapProfile profile = whole_profile();
  for (Method method : kAllMethods) {
    const auto result = forecast(profile, whole_plan(profile), method);
    ASSERT_TRUE(result) << to_string(method);
    EXPECT_EQ(result->method, method);
    Seconds sum{0};
    for (const ForecastPart& part : result->parts) {
      sum += part.time.mid;
      EXPECT_TRUE(part.time.contains(part.time.mid)) << facts_of(part.kind).name;
    }
    EXPECT_NEAR(sum.count(), result->total.mid.count(), 1e-9) << to_string(method);
    EXPECT_TRUE(result->total.contains(result->total.mid)) << to_string(method);
    EXPECT_GT(result->total.low.count(), 0);
  }
}

// Eq. 5.1 gives 2 + first epoch 15.85 + 2 * 11.35, eq. 5.4 gives 2 + 4.5 + 59 * 0.5, and eq. 5.3
// adds validations of 1.5 + 2 * 1. The others take 60 laps like the first, or like any other.
TEST(Forecast, PapersMethodsByHand) {
  const LapProfile profile = whole_profile();
  const auto seconds = [&](Method method) {
    return forecast(profile, whole_plan(profile), method)->total.mid.count();
  };
  EXPECT_NEAR(seconds(Method::epoch), 2 + 15.85 + 2 * 11.35, 1e-6);
  EXPECT_NEAR(seconds(Method::iteration), 2 + 4.5 + 29.5, 1e-6);
  EXPECT_NEAR(seconds(Method::iteration_with_validation), 2 + 4.5 + 29.5 + 3.5, 1e-6);
  EXPECT_NEAR(seconds(Method::first_iteration), 60 * 4.5, 1e-6);
  EXPECT_NEAR(seconds(Method::second_iteration), 30, 1e-6);
  EXPECT_NEAR(seconds(Method::mean_of_2_to_10), 30, 1e-6);
}

TEST(Forecast, MethodsAreKnownByTheirNames) {
  for (const Method method : kAllMethods) EXPECT_EQ(method_named(to_string(method)), method);
  EXPECT_FALSE(method_named("magic"));
  EXPECT_FALSE(method_named(""));
}

// Init 2 s; laps of 1 s, three in an epoch; validations of 0.5 s, without a number of samples. 2 +
// 3 x (3 + 0.5), and 2 + 9 without validations.
TEST(Forecast, ValidationsWithoutSamplesCountInThePapersMethod) {
  LapProfile profile;
  profile.init = Seconds{2};
  profile.first_lap = Seconds{1};
  profile.laps = {Seconds{1}, Seconds{1}, Seconds{1}};
  profile.validation.emplace();
  profile.validation->first = profile.validation->later = Interval<Seconds>::exactly(Seconds{0.5});
  const TrainingPlan plan{.epochs = 3, .iterations_per_epoch = 3};
  const auto seconds = [&](Method method) {
    return forecast(profile, plan, method)->total.mid.count();
  };
  EXPECT_NEAR(seconds(Method::iteration_with_validation), 12.5, 1e-9);
  EXPECT_NEAR(seconds(Method::iteration), 11, 1e-9);
}

TEST(Forecast, PapersMethodsSayWhatTheyLack) {
  const LapProfile probe = probe_profile();
  EXPECT_THAT(forecast(probe, whole_plan(probe), Method::epoch).error().text,
              HasSubstr("fewer than two whole epochs"));
  LapProfile one_lap = *profile_of(FakeLog().lap(1).log, {});
  const TrainingPlan plan{.steps = 10, .validation_samples = 5};
  EXPECT_FALSE(forecast(one_lap, plan, Method::iteration));
  EXPECT_FALSE(forecast(one_lap, plan, Method::second_iteration));
  EXPECT_FALSE(forecast(one_lap, plan, Method::mean_of_2_to_10));
  one_lap.laps.push_back(Seconds{1});
  one_lap.validation.reset();
  EXPECT_THAT(forecast(one_lap, plan, Method::iteration_with_validation).error().text,
              HasSubstr("no validation"));
}

TEST(Forecast, SpreadBetweenRunsWidens) {
  const LapProfile profile = whole_profile();
  const TrainingPlan plan = whole_plan(profile);
  Seconds before{0};
  for (double spread : {0.0, 0.02, 0.1}) {
    const auto result = forecast(profile, plan, Method::lapcast, spread);
    const Seconds width = result->total.high - result->total.low;
    EXPECT_GT(width, before) << spread;
    before = width;
    EXPECT_GE(result->spread_between_runs, 0.8 * spread);
  }
}

// With nothing else uncertain, the interval is that of the lognormal between runs:
// exp(+-1.96 * 0.02 * share of the total that is not the start).
TEST(Forecast, IntervalByHand) {
  LapProfile profile;
  profile.laps = {Seconds{1}};
  profile.steady.mean = Interval<Seconds>::exactly(Seconds{1});
  const auto result = forecast(profile, TrainingPlan{.steps = 100});
  EXPECT_NEAR(result->total.high.count(), 100 * std::exp(1.959964 * 0.02), 1e-3);
  EXPECT_NEAR(result->total.low.count(), 100 * std::exp(-1.959964 * 0.02), 1e-3);
  EXPECT_DOUBLE_EQ(result->spread_between_runs, 0.02);
}

/// Returns the forecast of a training of 5000 laps of mean 1 s whose first `seen` were probed.
Result<Forecast> forecast_of_noisy(std::mt19937_64& generator, std::size_t seen, double rho,
                                   double spread) {
  FakeLog fake(2);
  fake.lap(8);
  for (double lap : noisy_laps(generator, seen, 0.05, rho)) fake.lap(lap);
  return forecast(*profile_of(fake.log, {}), TrainingPlan{.steps = 5000}, Method::lapcast, spread);
}

// The other runs' laps are 3 % (sd) faster or slower, which the probe cannot see.
TEST(Forecast, CoversWhatOtherRunsTake) {
  for (double rho : {0.0, 0.5}) {
    std::mt19937_64 generator(31);
    std::normal_distribution<double> normal;
    const double covered = share_of(400, [&] {
      const double real = 2 + 7 + 5000 * std::exp(0.03 * normal(generator)) + 0.1;
      return forecast_of_noisy(generator, 40, rho, 0.03)->total.contains(Seconds{real});
    });
    EXPECT_GE(covered, 0.90) << rho;
    EXPECT_LE(covered, 0.99) << rho;
  }
}

TEST(Forecast, MoreLapsOfTheSameNoiseNarrowIt) {
  std::mt19937_64 generator(32);
  double before = 1e9;
  for (std::size_t laps : {15, 60, 240, 1000}) {
    double width = 0;  // averaged over ten runs: one run's noise may be smaller by chance
    for (int i = 0; i < 10; ++i) {
      const auto result = forecast_of_noisy(generator, laps, 0, 0);
      width += (result->total.high - result->total.low).count() / 10;
    }
    EXPECT_LT(width, before) << laps;
    before = width;
  }
}

TEST(Forecast, ScalesWithTheUnits) {
  LapProfile profile = probe_profile();
  const TrainingPlan plan = whole_plan(profile);
  const auto once = forecast(profile, plan);
  FakeLog slow(20);
  slow.plan(*whole_training().log.plan).begin_epoch().lap(45).laps(15, 5);
  const auto tenfold = forecast(*profile_of(slow.log, {}), plan);
  EXPECT_NEAR(tenfold->total.low.count(), 10 * once->total.low.count(), 1e-6);
  EXPECT_NEAR(tenfold->total.mid.count(), 10 * once->total.mid.count(), 1e-6);
  EXPECT_NEAR(tenfold->total.high.count(), 10 * once->total.high.count(), 1e-6);
}

// Only the first lap of three has a known end, and was reported with no time.
TEST(Forecast, OfOneKnownLapWithoutTimeSaysSo) {
  FakeLog fake(0);
  fake.lap(0).lap(0.1).lap(0.1);
  fake.log.laps[1].finished = fake.log.laps[2].finished = false;
  const LapProfile profile = *profile_of(fake.log, {});
  const auto result = forecast(profile, *plan_of({.steps = 10}, profile));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "1 lap known, and it took no time; of 2 others the end is not known: a longer probe "
            "shows more");
}

// Four laps at time 0, after which the program trained for 6 s without laps.
TEST(Forecast, OfLapsLongBeforeTheEndSaysSo) {
  FakeLog fake(0);
  fake.lap(0).lap(0).lap(0).lap(0);
  const LapProfile profile = *profile_of(fake.log, {.ended_by_itself = true, .wall = Seconds{6}});
  const auto result = forecast(profile, *plan_of({.steps = 10}, profile));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "its 4 laps took no time and ended 6.00 s before the program: it trained without laps");
  EXPECT_THAT(profile.notes, testing::Contains(HasSubstr("ended 6.00 s before the program")));
}

}  // namespace
}  // namespace lapcast
