// Measures an iteration that is reported through lap.h without an observer.
#define LAPCAST_IMPLEMENTATION
#include <benchmark/benchmark.h>

#include <lapcast/lap.h>
#include <cstdlib>

#include "figure.h"

static void report_idle(benchmark::State& state) {
  for (auto _ : state) lapcast_iteration(128);
}
BENCHMARK(report_idle)->Iterations(1000000)->Repetitions(101)->ReportAggregatesOnly();

int main(int argc, char** argv) {
  unsetenv("LAPCAST_LOG_DIR");
  lapcast::MedianReporter reporter;
  if (!lapcast::run_benchmarks(argc, argv, reporter)) return 1;
  lapcast::print_figure("lap-emit-idle", reporter.median_ns("report_idle"), "ns");
}
