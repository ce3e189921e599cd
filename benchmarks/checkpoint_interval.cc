// Measures how much work a checkpoint interval loses beyond the best one in hindsight, on traces of
// spot machines: the folder is an argument. The best and all others are judged on the last three
// quarters of each trace, with 5 min to restart and checkpoints of 1 and 5 min. Young's, Daly's and
// the tuned interval are made from the first quarter. Ours learns from the first quarter and from
// the interruptions as they happen; its constants are those that are best on every other trace,
// judged on the traces between them. Figures are points of the time on machines, median and 90th
// percentile over the traces; the last line is our 90th percentile at 1 min.
#include <cmath>

#include "figure.h"
#include "spot/checkpoint_interval.h"
#include "spot/interval_learner.h"
#include "spot/spot_job.h"
#include "spot_folder.h"
#include "stats/summary.h"

namespace {

using namespace lapcast;

constexpr Seconds kRestart{300};
constexpr int kIntervals = 600;

/// Holds a trace cut in two, and the best kept share in hindsight for each cost of a checkpoint.
struct Case {
  std::vector<PresenceSpan> first, rest;
  double best[2] = {0, 0};
};

CheckpointCosts costs_of(int which) {
  return {Seconds{which == 0 ? 60.0 : 300.0}, kRestart};
}

double candidate(int i) {
  return 10 * std::pow(30000.0, static_cast<double>(i) / kIntervals);
}

/// Returns the share of the time on machines that is kept as work by an endless job.
double kept_share(const std::vector<PresenceSpan>& spans, int which, double interval) {
  SpotRun run({Seconds{3e9}, Seconds{interval}, costs_of(which)});
  for (const PresenceSpan& span : spans)
    if (span.presence == Presence::there) run.use(span.length().count());
  return run.times().training / run.times().billed();
}

double learned_share(const Case& place, int which, const LearnerConstants& constants) {
  IntervalLearner learner(constants);
  for (const Lifetime& session : lifetimes_of(place.first, Presence::there)) learner.add(session);
  double kept = 0, time = 0;
  for (const Lifetime& session : lifetimes_of(place.rest, Presence::there)) {
    kept += use_session(learner, costs_of(which), session.time).kept;
    time += session.time;
    learner.add(session);
  }
  return kept / time;
}

double best_of(const std::vector<PresenceSpan>& spans, int which) {
  double best = candidate(0);
  for (int i = 1; i <= kIntervals; ++i)
    if (kept_share(spans, which, candidate(i)) > kept_share(spans, which, best))
      best = candidate(i);
  return best;
}

std::vector<LearnerConstants> all_constants() {
  std::vector<LearnerConstants> result;
  for (const double shape : {1.0, 1.5, 2.5, 4.0})
    for (const double memory : {0.9, 0.95, 0.98})
      for (const double weight : {0.5, 1.0, 2.0})
        for (const double scale : {20000.0, 40000.0, 80000.0})
          result.push_back({shape, memory, weight, Seconds{scale}});
  return result;
}

/// Holds what ours loses beyond the best with some constants, for each cost and trace.
struct Tried {
  LearnerConstants constants;
  std::vector<double> lost[2];
  /// Returns the mean loss on every other trace from `first` on, relative to the goals.
  double score(std::size_t first, std::size_t step) const {
    double sum = 0;
    for (std::size_t i = first; i < lost[0].size(); i += step)
      sum += std::clamp(lost[0][i], 0.0, 0.05) / 0.02 + std::clamp(lost[1][i], 0.0, 0.125) / 0.05;
    return sum;
  }
};

const Tried& best_constants(const std::vector<Tried>& tried, std::size_t first, std::size_t step) {
  const Tried& best = *std::min_element(
      tried.begin(), tried.end(),
      [&](const auto& a, const auto& b) { return a.score(first, step) < b.score(first, step); });
  std::printf("constants: shape %.1f, memory %.2f, prior weight %.1f, prior scale %.0f s\n",
              best.constants.shape, best.constants.memory, best.constants.prior_weight,
              best.constants.prior_scale.count());
  return best;
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
    Case one{part_of(place.spans, Seconds{0}, place.length / 4),
             part_of(place.spans, place.length / 4, place.length)};
    const auto lifetimes = LifetimeDistribution::of(lifetimes_of(one.first, Presence::there));
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
  std::vector<Tried> tried;
  for (const LearnerConstants& constants : all_constants()) {
    tried.push_back({constants, {}});
    for (int which = 0; which < 2; ++which)
      for (const Case& one : cases)
        tried.back().lost[which].push_back(one.best[which] - learned_share(one, which, constants));
  }
  std::vector<double> ours[2];
  for (const std::size_t half : {0u, 1u}) {
    std::printf("from the %s traces, ", half == 0 ? "odd" : "even");
    const Tried& best = best_constants(tried, half, 2);
    for (int which = 0; which < 2; ++which)
      for (std::size_t i = 1 - half; i < cases.size(); i += 2)
        ours[which].push_back(best.lost[which][i]);
  }
  std::printf("from all traces, ");
  const Tried& shipped = best_constants(tried, 0, 1);
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
