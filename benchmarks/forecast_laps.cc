// Measures a forecast from a million laps: from the log in memory to the total with its interval,
// effects included. A forecast from 100 laps, and one of the million that first reads its text, are
// measured too.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "figure.h"
#include "forecast/forecast.h"
#include "forecast/lap_profiler.h"
#include "lap/lap_log_reader.h"
#include "lap/lap_log_writer.h"

static constexpr int kLapsPerEpoch = 5000;

/// Returns laps of 40 ms that vary by 5 %, with some slow ones at the begin, a few stalls, and
/// epochs with a validation and a checkpoint.
static std::string make_log(int laps) {
  std::string text = lapcast::lap_log_opening({});
  std::int64_t at_ns = 1000000000;
  std::uint64_t state = 88172645463325252ULL;  // xorshift64, Marsaglia 2003
  const auto add = [&](const std::string& event, std::int64_t ns) {
    text += std::to_string(at_ns += ns) + ' ' + event + '\n';
  };
  const std::string epochs = std::to_string(2 * laps / kLapsPerEpoch + 1);
  add("plan epochs=" + epochs + " iterations=5000 batch=128 train=640000 validation=10000", 0);
  for (int i = 0; i < laps; i++) {
    if (i % kLapsPerEpoch == 0) {
      if (i > 0) {
        add("epoch-end " + std::to_string(i / kLapsPerEpoch), 1000);
        add("validation-begin", 1000);
        add("validation-end 10000", 3000000000);
        add("checkpoint-begin", 1000);
        add("checkpoint-end 44000000", 500000000);
      }
      add("epoch-begin " + std::to_string(i / kLapsPerEpoch + 1), 1000000);
    }
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const auto noise = static_cast<std::int64_t>(state % 4000000);
    add("i 128", (i < 3 ? 400000000 : i % 100000 == 77777 ? 900000000 : 38000000) + noise);
  }
  return text;
}

static void total_of(benchmark::State& state, const lapcast::LapLog& log) {
  const auto profile = lapcast::profile_of(log, {});
  const auto total = lapcast::forecast(*profile, *lapcast::plan_of({}, *profile));
  if (!total) state.SkipWithError("no forecast");
  benchmark::DoNotOptimize(total->total.mid);
}

int main(int argc, char** argv) {
  const std::string text = make_log(1000000);
  const lapcast::LapLog million = lapcast::parse_lap_log(text);
  const lapcast::LapLog hundred = lapcast::parse_lap_log(make_log(100));
  benchmark::RegisterBenchmark("forecast_million",
                               [&](benchmark::State& state) {
                                 for (auto _ : state) total_of(state, million);
                               })
      ->Iterations(1)
      ->Repetitions(21)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("forecast_hundred",
                               [&](benchmark::State& state) {
                                 for (auto _ : state) total_of(state, hundred);
                               })
      ->Iterations(1)
      ->Repetitions(501)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("read_and_forecast_million",
                               [&](benchmark::State& state) {
                                 for (auto _ : state) total_of(state, lapcast::parse_lap_log(text));
                               })
      ->Iterations(1)
      ->Repetitions(7)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  lapcast::MedianReporter reporter;
  if (!lapcast::run_benchmarks(argc, argv, reporter)) return 1;
  std::printf("forecast-hundred-laps: %.3g ms\n", reporter.median_ns("forecast_hundred") * 1e-6);
  lapcast::print_figure("forecast-laps", reporter.median_ns("forecast_million") * 1e-6, "ms");
  return 0;
}
