#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"
#include "forecast/stopping_rule.h"
#include "history/moments.h"
#include "rank/race.h"
#include "rank/ranking_fixture_test.h"
#include "stats/series_test.h"

// These tests race planted fleets whose truth is known, and check that the promised confidence is
// kept.

namespace lapcast {
namespace {

constexpr int kLapsOfTraining = 2000;
constexpr int kMostLaps = 80;
constexpr double kForever = 1e9;  // seconds

/// Describes a guest that others share: how starts differ, and how its speed wanders within seconds
/// and within minutes.
RunContext shared_guest() {
  RunContext context;
  context.machine.hypervisor = "KVM";
  context.machine.allowed_cpus = {0, 1};
  context.machine_type.cpus = {0};
  return context;
}
constexpr double kStarts = 0.07;
constexpr double kQuick = 0.02;
constexpr double kSlowStep = 0.005;  // from one round to the next, alike for all candidates

/// Describes a candidate: what a training on it takes on average, and the run that the race sees.
class PlantedCandidate {
 public:
  PlantedCandidate(double lap, double init, double noise, double rho, std::mt19937_64& random)
      : true_total_(init + kLapsOfTraining * lap) {
    std::normal_distribution<double> normal;
    start_ = std::exp(kStarts * normal(random));
    fake_ = FakeLog(init * std::exp(0.2 * normal(random)));
    fake_.plan({.iterations_per_epoch = kLapsOfTraining,
                .batch_size = 100,
                .training_samples = 100 * kLapsOfTraining});
    fake_.begin_epoch();
    laps_ = noisy_laps(random, kMostLaps, noise, rho);
    for (double& one : laps_) one *= lap;
    laps_.front() *= 3;
  }

  double true_total() const { return true_total_; }
  double ran() const { return fake_.now(); }

  /// Runs until the end of the round, or until a plain probe would end. At this moment all laps are
  /// slower by this factor.
  RaceObservation run(const Round& round, double error, double moment) {
    const double until = round.ran > Seconds{0} ? round.ran.count() : kForever;
    while (!measured_ && (round.laps == 0 || done_ < round.laps) && fake_.now() < until)
      step(moment);
    RaceObservation observed{done_, Seconds{fake_.now()}, std::nullopt, measured_};
    observed.in_laps = Seconds{fake_.now() - fake_.log.laps.front().begin_ns * 1e-9};
    Assessment assessment{profile_of(fake_.log, {}),
                          TrainingPlan{.steps = kLapsOfTraining, .batch_size = 100}, because("")};
    assessment.forecast = forecast(*assessment.profile, *assessment.plan);
    const double spread = spread_of_moment(shared_guest(), true);
    if (const auto total = anytime_total(assessment, error, spread)) observed.total = *total;
    observed.settled = laps_are_settled(assessment, error, spread);
    return observed;
  }
  /// Returns how long a plain probe with three rounds runs.
  double plain() {
    while (!measured_) step(1);
    const Seconds lap{(fake_.now() - fake_.log.laps.front().begin_ns * 1e-9) /
                      static_cast<double>(done_)};
    return fake_.now() + 2 * static_cast<double>(laps_of_later_round(lap)) * lap.count();
  }

 private:
  void step(double moment) {
    const double lap = laps_[static_cast<std::size_t>(done_++)] * start_ * moment;
    fake_.lap(std::max(lap, 1e-6));
    measured_ = done_ == kMostLaps || rule_.judge(fake_.log.laps).enough;
  }

  double true_total_;
  double start_ = 1;
  FakeLog fake_{0};
  std::vector<double> laps_;
  std::int64_t done_ = 0;
  bool measured_ = false;
  StoppingRuleJudge rule_{StoppingRule{}};
};

struct PlantedFleet {
  std::vector<PlantedCandidate> runs;
  std::vector<RaceCandidate> candidates;
};

/// Returns a fleet of 4 to 10 candidates. In every second fleet they are up to 8 times apart, but
/// some are within 3 % of one another; in the others all are within 4 %, which is less than two
/// runs of one candidate may differ.
PlantedFleet planted_fleet(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  PlantedFleet fleet;
  const auto count = 4 + static_cast<int>(random() % 7);
  const double noises[] = {0.005, 0.02, 0.05, 0.15};
  const double rhos[] = {0, 0.3, 0.6};
  const bool tight = random() % 2 == 0;
  for (int i = 0; i < count; ++i) {
    const double lap = tight        ? 0.1 * (1 + 0.04 * uniform(random))
                       : i % 3 == 0 ? 0.1 * (1 + 0.03 * uniform(random))
                                    : 0.1 * std::pow(8, uniform(random));
    const double price = tight || i % 2 == 0 ? 1 : 0.25 + uniform(random);
    fleet.runs.emplace_back(lap, 5 * uniform(random), noises[random() % 4], rhos[random() % 3],
                            random);
    RaceCandidate candidate{"candidate " + std::to_string(i), "", test::offer("o", "t", "1")};
    candidate.price->price = {Money::from_nanos(static_cast<std::int64_t>(price * 1e9))};
    fleet.candidates.push_back(candidate);
  }
  return fleet;
}

struct Ran {
  bool wrong = false;  // a truly best one was put out
  double time = 0;     // of all, and what plain probes take
  double plain = 0;
};

/// Returns which candidates are truly best: the cheapest, the fastest or all of the front.
std::vector<bool> truly_best(const PlantedFleet& fleet, RaceGoal goal) {
  std::vector<double> time, cost;
  for (std::size_t i = 0; i < fleet.runs.size(); ++i) {
    time.push_back(fleet.runs[i].true_total());
    cost.push_back(time.back() * fleet.candidates[i].price->price.per_hour.dollars());
  }
  std::vector<bool> best(time.size());
  for (std::size_t i = 0; i < time.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < time.size(); ++j) {
      const bool cheaper = cost[j] < cost[i], faster = time[j] < time[i];
      beaten = beaten || (goal == RaceGoal::cost   ? cheaper
                          : goal == RaceGoal::time ? faster
                                                   : cheaper && faster);
    }
    best[i] = !beaten;
  }
  return best;
}

Ran run_race(std::uint64_t seed, RaceGoal goal) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  PlantedFleet fleet = planted_fleet(random);
  Race race(fleet.candidates, goal, 0.95);
  double slow = 0;
  for (auto order = race.order(); !order.empty(); order = race.order()) {
    const std::size_t next = order.front();
    slow += kSlowStep * normal(random);
    race.report(next, fleet.runs[next].run(race.next_round(next), race.error_of_each(),
                                           std::exp(slow + kQuick * normal(random))));
  }
  const std::vector<bool> best = truly_best(fleet, goal);
  Ran ran;
  for (std::size_t i = 0; i < fleet.runs.size(); ++i) {
    ran.wrong = ran.wrong || (best[i] && race.standing(i).state == RaceState::out);
    ran.time += fleet.runs[i].ran();
    ran.plain += fleet.runs[i].plain();
  }
  return ran;
}

void keeps_its_promise(RaceGoal goal, double most_time) {
  int wrong = 0;
  double time = 0, plain = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Ran ran = run_race(seed, goal);
    wrong += ran.wrong ? 1 : 0;
    time += ran.time;
    plain += ran.plain;
  }
  ::testing::Test::RecordProperty("wrong", wrong);
  ::testing::Test::RecordProperty("share", std::to_string(time / plain));
  EXPECT_LE(wrong, 10) << "of 200 races with a confidence of 95 %";
  EXPECT_LT(time / plain, most_time);
}

TEST(RacePlanted, KeepsTheCheapest) {
  keeps_its_promise(RaceGoal::cost, 0.8);
}
TEST(RacePlanted, KeepsTheFastest) {
  keeps_its_promise(RaceGoal::time, 0.8);
}
TEST(RacePlanted, KeepsTheFront) {
  keeps_its_promise(RaceGoal::front, 0.9);
}

}  // namespace
}  // namespace lapcast
