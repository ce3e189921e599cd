#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "figure.h"
#include "posix/gzip_file.h"

namespace lapcast {

/// Describes how to make a text of at least a given length, and how a benchmark reads one.
struct Reading {
  std::function<std::string(std::size_t bytes)> make;
  std::function<void(benchmark::State& state, const std::filesystem::path& path)> read;
};

/// Gives the file to `take` 256 KiB at a time, as lapcast reads its own.
inline void for_each_piece(const std::filesystem::path& path,
                           const std::function<void(std::string_view)>& take) {
  std::vector<char> piece(256 * 1024);
  std::ifstream file(path, std::ios::binary);
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    take({piece.data(), static_cast<std::size_t>(file.gcount())});
  } while (file);
}

/// Runs the main() of a benchmark of reading: the median of many readings of 1 MB is the figure
/// NAME in MB/s. A text of 64 MB is read too.
inline int measure_reading(int argc, char** argv, const std::string& name, const Reading& reading) {
  namespace fs = std::filesystem;
  std::string folder_name = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
  const fs::path folder = mkdtemp(folder_name.data());
  const auto file_of = [&](std::size_t bytes) {
    const fs::path path = folder / std::to_string(bytes);
    if (!fs::exists(path)) std::ofstream(path) << reading.make(bytes);
    return path;
  };
  const auto reads = [&](std::size_t bytes) {
    return [&, bytes](benchmark::State& state) { reading.read(state, file_of(bytes)); };
  };
  constexpr std::size_t kBytes = 1000000, kLargeBytes = 64000000;
  benchmark::RegisterBenchmark("read_log", reads(kBytes))
      ->Iterations(1)
      ->Repetitions(501)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("read_large_log", reads(kLargeBytes))
      ->Iterations(1)
      ->Repetitions(7)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
  const double megabytes = static_cast<double>(fs::file_size(file_of(kBytes))) * 1e-6;
  MedianReporter reporter;
  const bool done = run_benchmarks(argc, argv, reporter);
  fs::remove_all(folder);
  if (!done) return 1;
  print_figure(name, megabytes / (reporter.median_ns("read_log") * 1e-9), "MB/s");
  return 0;
}

}  // namespace lapcast
