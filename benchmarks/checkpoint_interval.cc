// Measures how much work a checkpoint interval loses beyond the best one in hindsight, on traces of
// spot machines: the folder is an argument. The best and all others are judged on the last three
// quarters of each trace, with 5 min to restart and checkpoints of 1 and 5 min. Young's, Daly's and
// the tuned interval are made from the first quarter. Ours learns from the first quarter and from
// the interruptions as they happen; its prior is learned from every other trace and judged on the
// traces between them. Figures are points of the
// time on machines, median and 90th percentile over the traces; the last line is our 90th
// percentile at 1 min.
#include <cmath>

#include "accuracy/interval_learner.h"
#include "figure.h"
#include "spot/checkpoint_interval.h"
#include "spot/spot_job.h"
#include "spot_folder.h"
#include "stats/summary.h"

namespace {

using namespace lapcast;

constexpr Seconds kRestart{300};
constexpr int kIntervals = 600;

/// Holds a trace cut in two, and the best kept share in hindsight for each cost of a checkpoint.
struct Case {
  std::vector<Lifetime> first, rest;  // sessions
  double best[2] = {0, 0};
};

CheckpointCosts costs_of(int which) {
  return {Seconds{which == 0 ? 60.0 : 300.0}, kRestart};
}

double candidate(int i) {
  return 10 * std::pow(30000.0, static_cast<double>(i) / kIntervals);
}

/// Returns the share of the time on machines that is kept as work by an endless job. What is under
/// way when the record ends counts as kept.
double kept_share(const std::vector<Lifetime>& sessions, int which, double interval) {
  const CheckpointCosts costs = costs_of(which);
  double kept = 0, time = 0;
  for (const Lifetime& session : sessions) {
    const double working = std::max(0.0, session.time - costs.restart.count());
    const double segment = interval + costs.checkpoint.count();
    const double saves = std::floor(working / segment);
    kept += saves * interval;
    if (!session.ended) kept += std::min(interval, working - saves * segment);
    time += session.time;
  }
  return kept / time;
}

double learned_share(const Case& place, int which, const LifetimePrior& prior) {
  IntervalLearner learner(prior);
  for (const Lifetime& session : place.first) learner.add(session);
  double kept = 0, time = 0;
  for (const Lifetime& session : place.rest) {
    const LearnedSession used = use_session(learner, costs_of(which), session.time);
    kept += used.kept;
    if (!session.ended) kept += used.unsaved;
    time += session.time;
    learner.add(session);
  }
  return kept / time;
}

double best_of(const std::vector<Lifetime>& sessions, int which) {
  double best = candidate(0);
  for (int i = 1; i <= kIntervals; ++i)
    if (kept_share(sessions, which, candidate(i)) > kept_share(sessions, which, best))
      best = candidate(i);
  return best;
}

/// Holds what ours loses beyond the best, for each cost and trace.
struct Learned {
  LifetimePrior prior;
  std::vector<double> lost[2];
};

/// Returns what ours loses with the prior of every `step`th trace from `first` on.
Learned learned_from(const std::vector<Case>& cases, std::size_t first, std::size_t step) {
  std::vector<std::vector<Lifetime>> places;
  for (std::size_t i = first; i < cases.size(); i += step) {
    places.push_back(cases[i].first);
    places.back().insert(places.back().end(), cases[i].rest.begin(), cases[i].rest.end());
  }
  Learned learned{learned_lifetimes(places), {}};
  for (int which = 0; which < 2; ++which)
    for (const Case& one : cases)
      learned.lost[which].push_back(one.best[which] - learned_share(one, which, learned.prior));
  std::printf("change %.3f\n", learned.prior.change);
  return learned;
}

void print_weights(const LifetimePrior& prior) {
  std::printf("weights");
  for (const double weight : prior.weights) std::printf(" %.4f,", weight);
  std::printf("\n");
}

void print_row(const char* name, const std::vector<double> (&lost)[2]) {
  std::printf("%-22s %6.2f %6.2f     %6.2f %6.2f\n", name, 100 * median(lost[0]),
              100 * quantile(lost[0], 0.9), 100 * median(lost[1]), 100 * quantile(lost[1], 0.9));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Case> cases;
  std::vector<double> young[2], daly[2], tuned[2], product_limit[2];
  for (const SpotPlace& place : spot_places(argc, argv)) {
    const Seconds cut = place.length / 4;
    Case one{lifetimes_of(part_of(place.spans, Seconds{0}, cut), Presence::there),
             lifetimes_of(part_of(place.spans, cut, place.length), Presence::there)};
    const auto lifetimes = LifetimeDistribution::of(one.first);
    if (!lifetimes) continue;
    for (int which = 0; which < 2; ++which) {
      const auto lost = [&](double interval) {
        return one.best[which] - kept_share(one.rest, which, interval);
      };
      const Seconds cost = costs_of(which).checkpoint;
      one.best[which] = kept_share(one.rest, which, best_of(one.rest, which));
      young[which].push_back(lost(young_interval(cost, lifetimes->mean()).count()));
      daly[which].push_back(lost(daly_interval(cost, lifetimes->mean()).count()));
      tuned[which].push_back(lost(best_of(one.first, which)));
      product_limit[which].push_back(
          lost(best_interval(*lifetimes, costs_of(which))->interval.count()));
    }
    cases.push_back(std::move(one));
  }
  std::vector<double> ours[2];
  for (const std::size_t half : {0u, 1u}) {
    std::printf("from the %s traces: ", half == 0 ? "odd" : "even");
    const Learned learned = learned_from(cases, half, 2);
    for (int which = 0; which < 2; ++which)
      for (std::size_t i = 1 - half; i < cases.size(); i += 2)
        ours[which].push_back(learned.lost[which][i]);
  }
  std::printf("from all traces: ");
  const Learned shipped = learned_from(cases, 0, 1);
  print_weights(shipped.prior);
  std::printf("%zu traces; points lost, median and 90th percentile\n", cases.size());
  std::printf("%-22s checkpoint 1 min  checkpoint 5 min\n", "");
  print_row("Young", young);
  print_row("Daly", daly);
  print_row("tuned on the quarter", tuned);
  print_row("best for its survival", product_limit);
  print_row("ours, cross-fitted", ours);
  print_row("ours, fitted on all", shipped.lost);
  print_figure("checkpoint-interval", 100 * quantile(ours[0], 0.9), "points");
  return 0;
}
