#include "forecast/effect_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "forecast/forecast.h"
#include "forecast/lap_profiler.h"
#include "forecast/planted_run_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using Kinds = std::set<EffectKind>;

LapProfile profile_of_planted(const Planted& planted, std::mt19937_64& generator) {
  const PlantedRun run(planted, generator);
  return *profile_of(run.log(), {.ended_by_itself = true, .wall = Seconds{run.seconds()}});
}

Kinds kinds_of(const LapProfile& profile) {
  Kinds kinds;
  for (const Effect& effect : profile.effects) kinds.insert(effect.kind);
  return kinds;
}

/// Returns the share of 100 runs in which exactly these effects are found, the first within 15 % of
/// its time.
double found(const Planted& planted, const Kinds& wanted, double time, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  return share_of(100, [&] {
    const LapProfile profile = profile_of_planted(planted, generator);
    const Effect* effect = find_effect(profile, *wanted.begin());
    return kinds_of(profile) == wanted && effect != nullptr &&
           std::abs(effect->time.count() - time) <= 0.15 * std::abs(time);
  });
}

TEST(Effects, WarmUp) {  // 4 + 2 + 0.5 laps of 0.1 s more
  EXPECT_GE(found({.first_laps = {5, 3, 1.5}}, {EffectKind::warm_up}, 0.65, 1), 0.95);
}

TEST(Effects, SlowFirstEpochs) {  // 60 laps of 0.1 s: 30 % and 10 % of 6 s more
  const Planted planted{.epochs = 6, .first_epochs = {1.3, 1.1}};
  EXPECT_GE(found(planted, {EffectKind::slow_epochs}, 2.4, 2), 0.95);
}

TEST(Effects, Stalls) {  // 9 laps of 0.1 s more each
  EXPECT_GE(found({.stalls = {100}}, {EffectKind::stalls}, 0.9, 3), 0.95);
  EXPECT_GE(found({.stalls = {30, 80, 100, 150}}, {EffectKind::stalls}, 3.6, 3), 0.95);
}

/// Expects that in the forecast of the same training the effect's part takes the effect's time.
void expect_counted(const Planted& planted, EffectKind kind) {
  std::mt19937_64 generator(11);
  const LapProfile profile = profile_of_planted(planted, generator);
  const Effect* effect = find_effect(profile, kind);
  ASSERT_NE(effect, nullptr) << facts_of(kind).name;
  const auto plan = plan_of({}, profile);
  ASSERT_TRUE(plan);
  const auto made = forecast(profile, *plan);
  ASSERT_TRUE(made);
  for (const ForecastPart& part : made->parts) {
    if (part.kind != facts_of(kind).part) continue;
    EXPECT_NEAR(part.time.mid.count(), effect->time.count(), 0.15 * effect->time.count())
        << facts_of(kind).name;
  }
}

TEST(Effects, AreCountedInThePartThatTheirTableNames) {
  expect_counted({.first_laps = {5, 3, 1.5}}, EffectKind::warm_up);
  expect_counted({.epochs = 6, .first_epochs = {1.3, 1.1}}, EffectKind::slow_epochs);
  expect_counted({.validation = 0.8}, EffectKind::validation);
  expect_counted({.boundary = 0.5, .checkpoint = 0.3}, EffectKind::epoch_overhead);
  expect_counted({.boundary = 0.5, .checkpoint = 0.3}, EffectKind::checkpoints);
}

TEST(Effects, EveryKindHasItsRowInTheTables) {
  for (int kind = 0; kind <= static_cast<int>(EffectKind::checkpoints); ++kind)
    EXPECT_EQ(facts_of(static_cast<EffectKind>(kind)).kind, static_cast<EffectKind>(kind));
  for (int kind = 0; kind <= static_cast<int>(PartKind::first_lap); ++kind)
    EXPECT_EQ(facts_of(static_cast<PartKind>(kind)).kind, static_cast<PartKind>(kind));
}

// A trend is cut into levels where it is steep; what is left of it is named.
TEST(Effects, Drift) {
  for (const double drift : {-0.04, 0.04}) {
    std::mt19937_64 generator(4);
    EXPECT_GE(
        share_of(100,
                 [&] { return !profile_of_planted({.drift = drift}, generator).effects.empty(); }),
        0.95);
  }
}

TEST(Effects, ChangeOfTheWork) {  // what was before: 100 laps of 0.1 s
  EXPECT_GE(found({.change_at = 100, .change = 1.5}, {EffectKind::level_change}, 10, 5), 0.95);
  EXPECT_GE(found({.change_at = 100, .change = 0.6}, {EffectKind::level_change}, 10, 5), 0.95);
}

TEST(Effects, Validations) {  // of 3: 0.8 s each; the first 1.6 s
  EXPECT_GE(found({.validation = 0.8}, {EffectKind::validation}, 2.4, 6), 0.95);
  EXPECT_GE(found({.validation = 0.8, .first_validation = 2},
                  {EffectKind::validation, EffectKind::first_validation}, 3.2, 6),
            0.95);
}

TEST(Effects, OverlappedValidations) {  // 2 of 1.5 s beside laps, 30 % slower: 0.35 s each
  const Planted planted{.beside = 1.5, .slowdown = 1.3};
  std::mt19937_64 generator(7);
  for (int i = 0; i < 20; ++i) {
    const LapProfile profile = profile_of_planted(planted, generator);
    const Effect* effect = find_effect(profile, EffectKind::overlapped_validation);
    ASSERT_NE(effect, nullptr);
    EXPECT_NEAR(effect->time.count(), 0.7, 0.2);
    EXPECT_NEAR(profile.steady.mean.mid.count(), 0.1, 0.001);
    EXPECT_NEAR(profile.validation->last_alone->mid.count(), 1.5, 0.1);
  }
}

TEST(Effects, EpochOverheadAndCheckpoints) {  // 2 boundaries of 0.5 s, 3 saves of 0.2 s
  EXPECT_GE(found({.boundary = 0.5, .checkpoint = 0.2},
                  {EffectKind::epoch_overhead, EffectKind::checkpoints}, 1.0, 8),
            0.95);
}

TEST(Effects, Phases) {
  FakeLog fake;
  fake.lap(3).laps(19, 0.2).phase("large").laps(15, 0.8);
  const LapProfile profile = *profile_of(fake.log, {});
  const Effect* phases = find_effect(profile, EffectKind::phases);
  ASSERT_NE(phases, nullptr);
  EXPECT_THAT(phases->what, HasSubstr("since lap 20 it is in phase 'large'"));
  EXPECT_THAT(phases->forecast, HasSubstr("holds only while this phase lasts"));
  EXPECT_NEAR(phases->time.count(), 3 + 19 * 0.2, 1e-9);
  const Effect* first = find_effect(profile, EffectKind::warm_up);
  ASSERT_NE(first, nullptr);
  EXPECT_NEAR(first->time.count(), 2.8, 1e-9);
}

TEST(Effects, AllAtOnce) {
  const Planted planted{.epochs = 8,
                        .first_epochs = {1.4, 1.15},
                        .stalls = {310},
                        .validation = 0.8,
                        .every = 2,
                        .from = 2,
                        .boundary = 0.3,
                        .checkpoint = 0.2};
  const Kinds wanted{EffectKind::slow_epochs, EffectKind::stalls, EffectKind::validation,
                     EffectKind::epoch_overhead, EffectKind::checkpoints};
  EXPECT_GE(found(planted, wanted, 3.3, 9), 0.9);
}

TEST(Effects, ShareIsOfTheTimeSeen) {  // init 2 s, laps of 0.5 s: 12 s, a stall of 5 s
  FakeLog fake(2);
  fake.laps(10, 0.5).lap(5.5).laps(9, 0.5);
  const LapProfile profile = *profile_of(fake.log, {});
  const Effect* stall = find_effect(profile, EffectKind::stalls);
  ASSERT_NE(stall, nullptr);
  EXPECT_NEAR(stall->time.count(), 5, 1e-9);
  EXPECT_NEAR(stall->share, 5 / 17.0, 1e-9);
  EXPECT_THAT(stall->what, HasSubstr("1 lap stalled, the longest for 11 times"));
}

TEST(Effects, StartUpOfAShortRun) {
  const LapProfile profile = *profile_of(FakeLog(10).laps(20, 0.5).log, {});
  const auto half = start_up_effect(profile, *forecast(profile, {.steps = 20}));
  ASSERT_TRUE(half);
  EXPECT_NEAR(half->time.count(), 10, 1e-9);
  EXPECT_THAT(half->what, HasSubstr("as long as 20 laps"));
  EXPECT_FALSE(start_up_effect(profile, *forecast(profile, {.steps = 1000})));
}

// Effects that are not planted are not found more often than docs/forecast.md says.
double false_alarms(double rho, double noise, std::uint64_t seed, int tries) {
  std::mt19937_64 generator(seed);
  std::uniform_int_distribution<int> epochs(1, 8), laps(10, 150);
  return share_of(tries, [&] {
    const Planted clean{.noise = noise,
                        .rho = rho,
                        .epochs = epochs(generator),
                        .laps = laps(generator),
                        .validation = 0.5,
                        .checkpoint = 0.1};
    Kinds kinds = kinds_of(profile_of_planted(clean, generator));
    kinds.erase(EffectKind::validation);
    kinds.erase(EffectKind::checkpoints);
    return !kinds.empty();
  });
}

TEST(Effects, NoneInCleanRuns) {
  for (const double noise : {0.005, 0.02, 0.05}) {
    EXPECT_LE(false_alarms(0, noise, 100, 600), 0.02) << noise;
    EXPECT_LE(false_alarms(0.5, noise, 101, 600), 0.05) << noise;
  }
}

// Each lap is an epoch of its own, as in an imported log.
double false_alarms_of_coarse_laps(double noise, int tries) {
  std::mt19937_64 generator(102);
  std::uniform_int_distribution<int> epochs(2, 40);
  return share_of(tries, [&] {
    const Planted clean{.noise = noise, .epochs = epochs(generator), .laps = 1};
    return !profile_of_planted(clean, generator).effects.empty();
  });
}

TEST(Effects, NoneInCleanCoarseRuns) {
  for (const double noise : {0.005, 0.02}) {
    EXPECT_LE(false_alarms_of_coarse_laps(noise, 600), 0.03) << noise;
  }
}

}  // namespace
}  // namespace lapcast
