// Reading a lap log of 1 MB (50,000 laps) from its file into a LapLog, 256 KiB at a time, with
// epochs, validations, checkpoints and a metric for every hundredth lap. The median of many short
// readings, so that it stands up to other work on the machine. One of 64 MB is read beside it:
// there the kernel's time for fresh memory is most of it.
#include "lap/lap_log_reader.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "figure.h"
#include "lap/lap_log_writer.h"

namespace fs = std::filesystem;

static constexpr std::size_t kLogBytes = 1000000;
static constexpr std::size_t kLargeLogBytes = 64000000;
static constexpr std::size_t kPieceBytes = 256 * 1024;
static constexpr int kLapsPerEpoch = 469;

static fs::path folder;

/// Appends an epoch of laps of about 40 ms.
static void add_epoch(std::string& text, std::int64_t& at_ns, int epoch) {
  const auto add = [&](const std::string& event) {
    text += std::to_string(at_ns) + ' ' + event + '\n';
    at_ns += 40000000 + (at_ns % 1009) * 1000;
  };
  add("epoch-begin " + std::to_string(epoch));
  for (int i = 0; i < kLapsPerEpoch; i++) {
    add("i 128");
    if (i % 100 == 0) add("metric loss 0.693147180559945");
  }
  add("epoch-end " + std::to_string(epoch));
  add("validation-begin");
  add("validation-end 10000");
  add("checkpoint-begin");
  add("checkpoint-end 44000000");
}

static fs::path make_log(std::size_t bytes) {
  std::string text = lapcast::lap_log_opening({});
  std::int64_t at_ns = 0;
  for (int epoch = 1; text.size() < bytes; epoch++) add_epoch(text, at_ns, epoch);
  const fs::path path = folder / std::to_string(bytes);
  std::ofstream(path) << text;
  return path;
}

static void read_file_of(benchmark::State& state, std::size_t bytes) {
  const fs::path path = folder / std::to_string(bytes);
  if (!fs::exists(path)) make_log(bytes);
  std::vector<char> piece(kPieceBytes);
  for (auto _ : state) {
    std::ifstream file(path, std::ios::binary);
    lapcast::LapLogReader reader(std::filesystem::file_size(path));
    do {
      file.read(piece.data(), kPieceBytes);
      reader.feed({piece.data(), static_cast<std::size_t>(file.gcount())});
    } while (file);
    reader.finish();
    if (reader.log().damage) state.SkipWithError("the log is damaged");
    benchmark::DoNotOptimize(reader.log().laps.size());
  }
}

static void read_log(benchmark::State& state) {
  read_file_of(state, kLogBytes);
}
BENCHMARK(read_log)->Iterations(1)->Repetitions(501)->ReportAggregatesOnly()->Unit(
    benchmark::kMicrosecond);

static void read_large_log(benchmark::State& state) {
  read_file_of(state, kLargeLogBytes);
}
BENCHMARK(read_large_log)
    ->Iterations(1)
    ->Repetitions(7)
    ->ReportAggregatesOnly()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  std::string name = (fs::temp_directory_path() / "lap-read-XXXXXX").string();
  folder = mkdtemp(name.data());
  const double megabytes = static_cast<double>(fs::file_size(make_log(kLogBytes))) * 1e-6;
  lapcast::MedianReporter reporter;
  const bool done = lapcast::run_benchmarks(argc, argv, reporter);
  fs::remove_all(folder);
  if (!done) return 1;
  lapcast::print_figure("lap-read", megabytes / (reporter.median_ns("read_log") * 1e-9), "MB/s");
}
