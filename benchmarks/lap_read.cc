// Measures reading a lap log of 1 MB (50,000 laps) from its file into a LapLog, 256 KiB at a time,
// with epochs, validations, checkpoints and a metric for every hundredth lap. The figure is the
// median of many short readings, which is robust against other work on the machine. A log of 64 MB
// is read too, for which the kernel's time for fresh memory dominates.
#include "lap/lap_log_reader.h"

#include <string>

#include "lap/lap_log_writer.h"
#include "posix/gzip_file.h"
#include "reading.h"

static constexpr int kLapsPerEpoch = 469;

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

static std::string make_log(std::size_t bytes) {
  std::string text = lapcast::lap_log_opening({});
  std::int64_t at_ns = 0;
  for (int epoch = 1; text.size() < bytes; epoch++) add_epoch(text, at_ns, epoch);
  return text;
}

static void read_log(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    lapcast::LapLogReader reader(std::filesystem::file_size(path));
    lapcast::for_each_piece(path, [&](std::string_view piece) { reader.feed(piece); });
    reader.finish();
    if (reader.log().damage) state.SkipWithError("the log is damaged");
    benchmark::DoNotOptimize(reader.log().laps.size());
  }
}

int main(int argc, char** argv) {
  return lapcast::measure_reading(argc, argv, "lap-read", {make_log, read_log});
}
