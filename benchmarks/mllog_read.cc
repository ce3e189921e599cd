// Measures importing the text of an MLPerf log. It is a result log of 1 MB as an NVIDIA ResNet run
// of v2.0 writes it (3 of 12 lines time something, the others are statistics), read 256 KiB at a
// time from its file into a run. The figure is the median of many short readings. A log of 64 MB is
// read too.
#include "formats/mllog_reader.h"

#include <fmt/format.h>

#include <string>

#include "posix/gzip_file.h"
#include "reading.h"

static std::string line(std::int64_t at_ms, const char* type, const std::string& key,
                        const std::string& value, const std::string& more = "") {
  return fmt::format(R"(:::MLLOG {{"namespace": "", "time_ms": {}, "event_type": "{}", )"
                     R"("key": "{}", "value": {}, "metadata": {{"file": )"
                     R"("/workspace/image_classification/common/fit.py", "lineno": 915{}}}}})"
                     "\n",
                     1652653411533 + at_ms, type, key, value, more);
}

/// Returns an epoch of 47 s: 12 lines.
static std::string epoch_lines(int epoch, std::int64_t at_ms) {
  const std::string which = fmt::format(R"(, "epoch_num": {})", epoch);
  std::string text = line(at_ms, "INTERVAL_START", "epoch_start", "null", which);
  for (int i = 0; i < 4; i++) {
    text +=
        line(at_ms + 1000 * i, "POINT_IN_TIME", "tracked_stats",
             R"({"imgs_sec": 15673.426602194724, "loss": 0.693147180559945})", R"(, "step": 1)");
    text += line(at_ms + 1000 * i, "POINT_IN_TIME", "throughput", "15673.426602194724");
  }
  text += line(at_ms + 47000, "INTERVAL_END", "epoch_stop", "null", which);
  text +=
      fmt::format("[1,0]<stdout>:Epoch[{}] Batch [380-390] Speed: 24501.20 samples/sec\n", epoch);
  return text + line(at_ms + 47001, "POINT_IN_TIME", "eval_accuracy", "0.32934", which);
}

static std::string make_log(std::size_t bytes) {
  std::string text = line(0, "INTERVAL_START", "init_start", "null") +
                     line(1, "INTERVAL_START", "run_start", "null");
  std::int64_t at_ms = 2;
  for (int epoch = 1; text.size() < bytes; epoch++, at_ms += 47002) {
    text += epoch_lines(epoch, at_ms);
  }
  text += line(at_ms, "INTERVAL_END", "run_stop", "null", R"(, "status": "success")");
  return text;
}

static void read_log(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    lapcast::MllogReader reader;
    lapcast::for_each_piece(path, [&](std::string_view piece) { reader.feed(piece); });
    const lapcast::ImportedLog imported = reader.finish("log");
    if (imported.runs.size() != 1 || !imported.problems.empty())
      state.SkipWithError("the log is not one run");
    benchmark::DoNotOptimize(imported.runs.data());
  }
}

int main(int argc, char** argv) {
  return lapcast::measure_reading(argc, argv, "mllog-read", {make_log, read_log});
}
