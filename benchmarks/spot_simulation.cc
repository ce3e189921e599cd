// Measures how many interruptions of jobs on spot machines are simulated per second, on one core.
// Half of the time sessions and waits are exponential, half of the time they are drawn from 300
// observed ones; each job has 200 h of work and an interruption in 30 min. The figure is that of
// the slower kind.
#include <algorithm>
#include <vector>

#include "figure.h"
#include "spot/spot_job.h"

namespace {

using namespace lapcast;

/// Returns 300 lifetimes that are spread like exponential ones with that mean.
LifetimeDistribution observed(double mean) {
  SeededNumbers numbers(1);
  const auto exponential = *LifetimeDistribution::exponential(Seconds{mean});
  std::vector<Lifetime> seen;
  for (int i = 0; i < 300; ++i) seen.push_back({exponential.draw(numbers), i % 10 != 0});
  return *LifetimeDistribution::of(seen);
}

void simulate_jobs(benchmark::State& state, const LifetimeDistribution& sessions,
                   const LifetimeDistribution& waits) {
  const SpotJob job{Seconds{200 * 3600}, Seconds{900}, {Seconds{60}, Seconds{180}, Seconds{30}}};
  constexpr std::uint64_t kInterruptions = 1'000'000;
  for (auto _ : state) {
    SeededNumbers numbers(2);
    std::uint64_t interruptions = 0;
    double time = 0;
    while (interruptions < kInterruptions) {
      const SpotTimes times = simulate(job, sessions, &waits, numbers);
      interruptions += times.interruptions;
      time += times.time().count();
    }
    benchmark::DoNotOptimize(time);
    state.counters["interruptions"] = static_cast<double>(interruptions);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto exponential = *LifetimeDistribution::exponential(Seconds{1800});
  const auto waits = *LifetimeDistribution::exponential(Seconds{600});
  const auto seen = observed(1800), seen_waits = observed(600);
  benchmark::RegisterBenchmark("exponential", simulate_jobs, exponential, waits)
      ->Iterations(1)
      ->Repetitions(15)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("observed", simulate_jobs, seen, seen_waits)
      ->Iterations(1)
      ->Repetitions(15)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  MedianReporter reporter;
  if (!run_benchmarks(argc, argv, reporter)) return 1;
  const double slower = std::max(reporter.median_ns("exponential"), reporter.median_ns("observed"));
  print_figure("spot-simulation", 1e6 / (slower * 1e-9) * 1e-6, "million interruptions/s");
  return 0;
}
