// Measures an iteration that is reported through lap.h to a log in the folder for temporary files,
// with its share of the writes. The clock_gettime that it contains is measured too.
#define LAPCAST_IMPLEMENTATION
#include <benchmark/benchmark.h>

#include <lapcast/lap.h>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "figure.h"

namespace fs = std::filesystem;

// Many short repetitions make the median robust against other work on the machine.
static constexpr int kLaps = 20000;  // a log of about 300 KB
static constexpr int kRepetitions = 301;

static fs::path log_folder;

static void empty_the_log() {
  for (const auto& file : fs::directory_iterator(log_folder)) fs::resize_file(file.path(), 0);
}

static void report_lap(benchmark::State& state) {
  empty_the_log();
  for (auto _ : state) lapcast_iteration(128);
}
BENCHMARK(report_lap)->Iterations(kLaps)->Repetitions(kRepetitions)->ReportAggregatesOnly();

static void read_clock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(lapcast_detail_now());
}
BENCHMARK(read_clock)->Iterations(kLaps)->Repetitions(kRepetitions)->ReportAggregatesOnly();

int main(int argc, char** argv) {
  std::string name = (fs::temp_directory_path() / "lap-emit-XXXXXX").string();
  log_folder = mkdtemp(name.data());
  setenv("LAPCAST_LOG_DIR", log_folder.c_str(), 1);
  lapcast::MedianReporter reporter;
  const bool done = lapcast::run_benchmarks(argc, argv, reporter);
  fs::remove_all(log_folder);
  if (!done || lapcast_detail_on == 0) return 1;
  lapcast::print_figure("lap-emit", reporter.median_ns("report_lap"), "ns");
}
