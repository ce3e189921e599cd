// Measures whether the 95 % intervals of jobs on spot machines hold what happened, on traces of
// spot machines: the folder is an argument. Jobs of 6, 24 and 48 h are forecast from the first
// quarter of each trace and compared with those that begin every half hour in the rest of it. They
// save every interval by Daly, with 1 min for a checkpoint and 5 min to restart. A job that the end
// of the trace cuts counts only when it had already left its interval. The price is constant, so
// the cost is the billed time. Constants are those that are best on every other trace, judged on
// the traces between them. Coverage is the mean over traces and jobs; errors are medians over all
// starts. The last line is the coverage of cost.
#include <cmath>

#include "figure.h"
#include "spot/spot_forecast.h"
#include "spot_folder.h"
#include "stats/summary.h"

namespace {

using namespace lapcast;

constexpr double kHours[] = {6, 24, 48};

/// Holds one job on one trace, and what became of it at each start.
struct Case {
  std::size_t place = 0;
  double hours = 0;
  SpotJob job;
  std::vector<PresenceSpan> first;
  std::vector<SpotTimes> starts;
};

/// Holds how good the forecast of a case was: [0] of time, [1] of cost.
struct Judged {
  bool decided[2] = {false, false};
  double coverage[2] = {0, 0};
  std::vector<double> errors[2];
};

std::vector<Case> cases_of(const std::vector<SpotPlace>& places) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SpotPlace& place = places[i];
    const auto first = part_of(place.spans, Seconds{0}, place.length / 4);
    const auto lifetimes = LifetimeDistribution::of(lifetimes_of(first, Presence::there));
    if (!lifetimes) continue;
    const CheckpointCosts costs{Seconds{60}, Seconds{300}};
    for (const double hours : kHours) {
      const Seconds interval = daly_interval(costs.checkpoint, lifetimes->mean());
      Case one{i, hours, {Seconds{hours * 3600}, interval, costs}, first, {}};
      for (Seconds start = place.length / 4; start < place.length; start += Seconds{1800})
        one.starts.push_back(run_on_trace(one.job, place.spans, start));
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

Judged judge(const Case& one, const SupplyConstants& constants, int jobs) {
  Judged judged;
  const auto forecast = forecast_on_spot(one.job, one.first, constants, jobs);
  if (!forecast) return judged;
  for (const int which : {0, 1}) {
    const Interval<Seconds>& interval = which == 0 ? forecast->time : forecast->billed;
    double inside = 0, decided = 0;
    for (const SpotTimes& times : one.starts) {
      const Seconds actual = which == 0 ? times.time() : times.billed();
      if (!times.finished && actual <= interval.high) continue;
      // The trace has whole seconds; an uninterrupted job lies exactly on the lower end.
      constexpr Seconds kSame{1e-3};
      inside += interval.low - kSame <= actual && actual <= interval.high + kSame ? 1 : 0;
      ++decided;
      if (times.finished) judged.errors[which].push_back(std::abs(interval.mid / actual - 1));
    }
    if (decided == 0) continue;
    judged.decided[which] = true;
    judged.coverage[which] = inside / decided;
  }
  return judged;
}

/// Sums up the cases of every other trace, or of all, or of the jobs of one length.
struct Total {
  double coverage[2] = {0, 0};
  double cases[2] = {0, 0};
  std::vector<double> errors[2];
  void add(const Judged& judged) {
    for (const int which : {0, 1}) {
      if (!judged.decided[which]) continue;
      coverage[which] += judged.coverage[which];
      ++cases[which];
      errors[which].insert(errors[which].end(), judged.errors[which].begin(),
                           judged.errors[which].end());
    }
  }
  double covered(int which) const { return coverage[which] / cases[which]; }
  /// Is small where coverage is near 95 % and the errors are small.
  double score() const {
    return median(errors[0]) + median(errors[1]) + 4 * std::abs(covered(0) - 0.95) +
           4 * std::abs(covered(1) - 0.95);
  }
};

std::vector<SupplyConstants> all_constants() {
  std::vector<SupplyConstants> result;
  for (const double session : {9000.0, 12000.0, 18000.0})
    for (const double wait : {1800.0, 2700.0, 3600.0})
      for (const double session_pull : {0.2, 0.4})
        for (const double wait_pull : {0.6, 0.8, 1.0})
          for (const double session_deviation : {0.5, 0.7, 0.9})
            for (const double wait_deviation : {1.0, 1.3, 1.6})
              result.push_back({{Seconds{session}, session_pull, session_deviation},
                                {Seconds{wait}, wait_pull, wait_deviation}});
  return result;
}

/// Returns the constants that are best on the traces of that half, or on all for half 2.
SupplyConstants best_constants(const std::vector<Case>& cases, std::size_t half) {
  constexpr int kJobs = 300;
  SupplyConstants best;
  double least = HUGE_VAL;
  for (const SupplyConstants& constants : all_constants()) {
    Total total;
    for (const Case& one : cases)
      if (half == 2 || one.place % 2 == half) total.add(judge(one, constants, kJobs));
    if (total.score() >= least) continue;
    least = total.score();
    best = constants;
  }
  std::printf(
      "sessions %.0f s, pull %.1f, deviation %.1f; waits %.0f s, pull %.1f, deviation %.1f\n",
      best.session.prior_mean.count(), best.session.pull, best.session.deviation,
      best.wait.prior_mean.count(), best.wait.pull, best.wait.deviation);
  return best;
}

void print_row(const char* name, const Total& total) {
  std::printf("%-24s %5.1f %%  %5.1f %%    %5.1f %%  %5.1f %%\n", name, 100 * total.covered(0),
              100 * total.covered(1), 100 * median(total.errors[0]), 100 * median(total.errors[1]));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kJobs = 4000;
  const std::vector<SpotPlace> places = spot_places(argc, argv);
  const std::vector<Case> cases = cases_of(places);
  SupplyConstants fitted[3];
  for (const std::size_t half : {0u, 1u, 2u}) {
    std::printf("from the %s traces: ", half == 0 ? "odd" : half == 1 ? "even" : "odd and even");
    fitted[half] = best_constants(cases, half);
  }
  Total all, shipped, by_length[3];
  for (const Case& one : cases) {
    const Judged judged = judge(one, fitted[1 - one.place % 2], kJobs);
    all.add(judged);
    for (int i = 0; i < 3; ++i)
      if (kHours[i] == one.hours) by_length[i].add(judged);
    shipped.add(judge(one, fitted[2], kJobs));
  }
  std::printf("%zu traces                inside 95 %%        median error\n", places.size());
  std::printf("%-24s    time     cost       time     cost\n", "");
  print_row("jobs of 6 h", by_length[0]);
  print_row("jobs of 24 h", by_length[1]);
  print_row("jobs of 48 h", by_length[2]);
  print_row("all, cross-fitted", all);
  print_row("all, fitted on all", shipped);
  print_figure("spot-forecast", 100 * all.covered(1), "%");
  return 0;
}
