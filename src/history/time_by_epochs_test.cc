// These tests show that a forecast is one number for each plan, whatever the plan asked for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"
#include "history/assessment.h"
#include "history/moments.h"
#include "history/time_by_epochs.h"
#include "history/track_record.h"
#include "rank/ranking.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

Assessment assessment_of(const LapProfile& profile, const TrainingPlan& plan,
                         Method method = Method::lapcast) {
  return {profile, plan, forecast(profile, plan, method)};
}

// An epoch has 10 s of laps, 1 s validation, 0.25 s checkpoint and 0.1 s boundary. Fixed are 2 s
// init, 4 s warm-up, 0.5 s that the first validation takes longer, 0.3 s tear-down, and one
// boundary less.
TEST(TimeByEpochs, ByHand) {
  const LapProfile profile = *profile_of(
      whole_training().log, {.ended_by_itself = true, .wall = Seconds{kWholeTrainingSeconds}});
  const TimeByEpochs time = time_by_epochs(assessment_of(profile, *plan_of({}, profile)));
  ASSERT_TRUE(time);
  for (const double epochs : {1.0, 2.0, 2.5, 7.0, 100.0})
    EXPECT_NEAR(time(epochs).count(), 6.7 + 11.35 * epochs, 1e-6);
  EXPECT_EQ(time(0.5), time(1));
}

// A paper's time is a line in the epochs: 2 s of init, 4 s an epoch, 1 s less for the first lap.
TEST(TimeByEpochs, OfAPapersMethodIsItsOwn) {
  LapProfile profile;
  profile.init = Seconds{2};
  profile.first_lap = Seconds{1};
  profile.laps = {Seconds{1}, Seconds{2}, Seconds{2}};
  const TimeByEpochs time = time_by_epochs(
      assessment_of(profile, {.epochs = 3, .iterations_per_epoch = 2}, Method::iteration));
  ASSERT_TRUE(time);
  EXPECT_NEAR(time(3).count(), 13, 1e-9);
  EXPECT_NEAR(time(10).count(), 41, 1e-9);
}

TEST(TimeByEpochs, NeedsAPlanOfEpochs) {
  const LapProfile profile = *profile_of(FakeLog().laps(12, 2).log, {});
  EXPECT_FALSE(time_by_epochs(assessment_of(profile, TrainingPlan{.steps = 20})));
}

/// Describes a made training: its laps take `lap_s`, some by chance longer, and it validates after
/// every so many epochs.
struct MadeTraining {
  std::string id;
  std::string batch;
  std::int64_t begun_s = 0;
  std::int64_t epochs = 0;
  double lap_s = 0.1;
  int validate_every = 1;
  double init_s = 0.3;
};

Run run_of_made(const MadeTraining& made, std::mt19937_64& random) {
  constexpr double kNs = 1e9;
  Run run;
  run.context.id = made.id;
  run.context.program = {"train", "--batch", "{batch}"};
  run.context.settings = {{"batch", made.batch}};
  run.context.machine_type.name = "box";
  run.context.plan.epochs = made.epochs;
  run.started_ns = made.begun_s * 1'000'000'000;
  std::string log =
      fmt::format("lapcast-laps 1\n0 hello clock={} wall=1790000000.0 pid=1\n", run.started_ns);
  double now = made.init_s;
  const auto at = [&](double seconds) { return std::llround((now += seconds) * kNs); };
  for (std::int64_t epoch = 1; epoch <= made.epochs; ++epoch) {
    log += fmt::format("{} epoch-begin {}\n", at(0.001), epoch);
    for (int lap = 0; lap < 8; ++lap) {
      const double slow = 1 + std::exponential_distribution(20.0)(random);
      log += fmt::format("{} i 10\n", at(made.lap_s * slow * (epoch == 1 && lap == 0 ? 5 : 1)));
    }
    if (epoch % made.validate_every == 0) {
      log += fmt::format("{} validation-begin\n", at(0));
      log += fmt::format("{} validation-end 40\n", at(2 * made.lap_s));
    }
    log += fmt::format("{} epoch-end {}\n", at(0), epoch);
  }
  run.lap_logs = {log};
  run.ended_ns = run.started_ns + std::llround(now * kNs);
  run.outcome = outcome::Ended{};
  return run;
}

/// Holds a made store: probes of some epochs, and runs to the end that correct their forecasts.
struct MadeStore {
  std::vector<Run> probes;
  std::vector<Run> full;
  Moments moments;
  TrackRecord record;

  explicit MadeStore(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Run> measured;
    for (const char* batch : {"32", "64", "128"}) {
      const double lap_s = 0.05 + 0.0001 * static_cast<double>(random() % 100);
      const double init_s = 0.1 + 0.01 * static_cast<double>(random() % 90);
      const auto every = static_cast<int>(1 + random() % 3);
      const auto moment = static_cast<std::int64_t>(1000 * (1 + random() % 9));
      probes.push_back(
          run_of_made({fmt::format("p{}", batch), batch, moment, 4, lap_s, every, init_s}, random));
      for (std::size_t i = random() % 3; i > 0; --i)
        full.push_back(run_of_made(
            {fmt::format("f{}{}", batch, i), batch,
             static_cast<std::int64_t>(50'000 + random() % 9000),
             static_cast<std::int64_t>(9 + random() % 12),
             lap_s * (1.05 + 0.001 * static_cast<double>(random() % 200)), every, init_s},
            random));
    }
    measured = probes;
    measured.insert(measured.end(), full.begin(), full.end());
    moments = Moments(measured, "this program", {}, Conditions::as_measured);
    record = TrackRecord(full);
  }

  Assessment at(const Run& probe, std::int64_t epochs) const {
    const Assessment own = moments.corrected(assess(probe, {.plan = {.epochs = epochs}}), probe);
    return with_track_record(own, probe, 0, record);
  }

  std::vector<Candidate> candidates(std::int64_t epochs) const {
    std::vector<Candidate> all;
    for (const Run& probe : probes) all.push_back(candidate_of(probe, at(probe, epochs)));
    return all;
  }
};

TEST(TimeByEpochs, IsTheForecastOfEveryPlanWhateverThePlanAskedFor) {
  bool any_record = false;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const MadeStore store(seed);
    for (const lapcast::Run& probe : store.probes)
      for (const std::int64_t asked : {1, 6, 40}) {
        const Assessment assessment = store.at(probe, asked);
        ASSERT_TRUE(assessment.forecast) << assessment.forecast.error().text;
        EXPECT_NE(assessment.log_laps, 0);
        any_record = any_record || assessment.bias;
        const TimeByEpochs time = time_by_epochs(assessment);
        for (const std::int64_t epochs : {1, 2, 3, 7, 20, 100}) {
          const Assessment other = store.at(probe, epochs);
          EXPECT_EQ(time(static_cast<double>(epochs)), other.forecast->total.mid)
              << seed << " " << probe.context.id << " " << asked << " " << epochs;
          EXPECT_GT(other.forecast->total.low, Seconds{0});
        }
      }
  }
  EXPECT_TRUE(any_record);
}

TEST(TimeByEpochs, EveryRankingOfAStoreSaysTheSameCrossovers) {
  const std::vector<Offer> offers{test::offer("box", "box", "1")};
  std::size_t changes = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const MadeStore store(seed);
    std::map<std::int64_t, std::string> first;  // by the epochs asked for
    for (std::int64_t epochs = 1; epochs <= 30; ++epochs)
      first[epochs] = rank(store.candidates(epochs), offers, {}).chosen.at(0).candidate->settings;
    for (const std::int64_t asked : {3, 10, 30}) {
      const Ranking ranking = rank(store.candidates(asked), offers, {});
      std::string now =
          ranking.crossovers.empty() ? first[1] : ranking.crossovers[0].before->settings;
      auto next = ranking.crossovers.begin();
      for (const auto& [epochs, settings] : first) {
        if (next != ranking.crossovers.end() && next->epochs == static_cast<double>(epochs)) {
          now = next++->after->settings;
          ++changes;
        }
        EXPECT_EQ(now, settings) << seed << ": asked for " << asked << ", at " << epochs;
      }
    }
  }
  EXPECT_GT(changes, 0u);
}

}  // namespace
}  // namespace lapcast
