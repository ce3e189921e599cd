#pragma once

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace lapcast {

/// Prints the last line of a benchmark program: "lap-emit: 46.2 ns", with three significant digits
/// below 1000.
inline void print_figure(const std::string& name, double value, const std::string& unit) {
  std::printf(value < 1000 ? "%s: %.3g %s\n" : "%s: %.0f %s\n", name.c_str(), value, unit.c_str());
}

/// Returns the largest resident memory of this process so far, in MB (10^6 bytes).
inline double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

/// Prints what Google Benchmark prints, and keeps the medians over the repetitions.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  MedianReporter() : ConsoleReporter(OO_None) {}  // no colours: programs read the last line
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name == "median") medians_[run.run_name.function_name] = run;
    }
    ConsoleReporter::ReportRuns(runs);
  }
  /// Returns the median wall time of one iteration of the function in ns, or 0 when it did not run.
  double median_ns(const std::string& function) const {
    const auto run = medians_.find(function);
    if (run == medians_.end()) return 0;
    return run->second.GetAdjustedRealTime() * 1e9 /
           benchmark::GetTimeUnitMultiplier(run->second.time_unit);
  }

 private:
  std::map<std::string, Run> medians_;
};

/// Runs all registered benchmarks. Returns false when the arguments or a benchmark were wrong.
inline bool run_benchmarks(int argc, char** argv, MedianReporter& reporter) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return false;
  return benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
}

}  // namespace lapcast
