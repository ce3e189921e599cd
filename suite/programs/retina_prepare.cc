// retina-prepare turns photographs of the retina into TFRecord shards or small JPEG files that
// networks train on (see retina/shards.h).
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "common/command_line.h"
#include "common/cpus.h"
#include "data/durable_file.h"
#include "retina/shards.h"

using namespace lapcast::workloads;

namespace {

using Integer = long long;  // of printf

double rate(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0;
}

double megabytes(uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

/// Prints how far the work is, a few times a second: over and over in one line of a terminal.
class ProgressReport {
 public:
  explicit ProgressReport(bool quiet) : quiet_(quiet) {}

  void operator()(const PrepareSummary& sums) {
    if (quiet_) return;
    const auto now = std::chrono::steady_clock::now();
    const bool last = sums.earlier + sums.done == sums.total;
    if (!last && now - printed_ < std::chrono::milliseconds(terminal_ ? 200 : 5000)) return;
    printed_ = now;
    std::fprintf(stderr, "%s%lld of %lld images, %zu skipped, %.1f images/s, %.1f MB/s%s",
                 terminal_ ? "\r\x1b[K" : "", Integer{sums.earlier + sums.done},
                 Integer{sums.total}, sums.skipped.size(),
                 rate(static_cast<double>(sums.done), sums.seconds),
                 rate(megabytes(sums.bytes_in), sums.seconds), terminal_ && !last ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  bool quiet_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point printed_{};
};

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return quoted + "\"";
}

std::string json_number(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

/// Appends {...} of a list.
void append_object(std::string& list, const std::string& members) {
  list += (list.ends_with('[') ? "{" : ",{") + members + "}";
}

std::string report_json(const PrepareSummary& sums) {
  std::string stages = "[", sizes = "[", files = "[", skipped = "[";
  for (size_t i = 0; i < kPrepareStages.size(); ++i) {
    append_object(stages, "\"stage\":" + json_text(std::string(kPrepareStages[i])) +
                              ",\"seconds\":" + json_number(sums.stages[i]));
  }
  for (const auto& [size, images] : sums.sizes) {
    append_object(sizes, "\"width\":" + std::to_string(size.first) + ",\"height\":" +
                             std::to_string(size.second) + ",\"images\":" + std::to_string(images));
  }
  for (const auto& [kib, images] : sums.files) {
    append_object(files, "\"kib\":" + std::to_string(kib) +
                             ",\"before\":" + std::to_string(images.first) +
                             ",\"after\":" + std::to_string(images.second));
  }
  for (const SkippedEye& eye : sums.skipped) {
    append_object(skipped,
                  "\"image\":" + json_text(eye.image) + ",\"reason\":" + json_text(eye.reason));
  }
  return "{\"images\":" + std::to_string(sums.total) +
         ",\"earlier\":" + std::to_string(sums.earlier) +
         ",\"prepared\":" + std::to_string(sums.prepared) +
         ",\"shards\":" + std::to_string(sums.shards) + ",\"done\":" + std::to_string(sums.done) +
         ",\"bytes_in\":" + std::to_string(sums.bytes_in) +
         ",\"bytes_out\":" + std::to_string(sums.bytes_out) +
         ",\"seconds\":" + json_number(sums.seconds) + ",\"stages\":" + stages +
         "],\"sizes\":" + sizes + "],\"files\":" + files + "],\"skipped\":" + skipped + "]}\n";
}

void print_report(const PrepareSummary& sums) {
  std::printf("%lld images prepared, %zu skipped, %lld shards\n", Integer{sums.prepared},
              sums.skipped.size(), Integer{sums.shards});
  std::printf("%lld images, %.3f s, %.1f images/s, %.1f MB/s\n", Integer{sums.done}, sums.seconds,
              rate(static_cast<double>(sums.done), sums.seconds),
              rate(megabytes(sums.bytes_in), sums.seconds));
  for (size_t i = 0; i < kPrepareStages.size(); ++i) {
    std::printf("  %-10s %8.3f s of all workers\n", kPrepareStages[i].data(), sums.stages[i]);
  }
  for (const auto& [kib, images] : sums.files) {
    std::printf("  up to %7lld KiB: %lld before, %lld after\n", Integer{kib}, Integer{images.first},
                Integer{images.second});
  }
  for (const SkippedEye& eye : sums.skipped) {
    std::printf("skipped %s: %s\n", eye.image.c_str(), eye.reason.c_str());
  }
}

void prepare(const PrepareRequest& request, bool quiet) {
  ProgressReport report(quiet);
  const PrepareSummary sums =
      prepare_retinas(request, [&report](const PrepareSummary& so_far) { report(so_far); });
  write_durably(request.out / "report.json", report_json(sums));
  print_report(sums);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("retina-prepare",
                   "Prepares photographs of the retina: finds the eye's circle, crops, resizes, "
                   "and writes TFRecord shards or JPEG files. The same command goes on after an "
                   "interruption.",
                   "  retina-prepare --in eyes --out shards\n"
                   "  retina-prepare --in eyes --out small --size 299 --format jpeg --workers 4\n");
  PrepareRequest request;
  std::string format = "tfrecord";
  int64_t workers = 0, quality = request.quality;
  line.path("in", request.in, "DIR", "A folder of JPEG and PNG files");
  line.path("out", request.out, "DIR", "The folder to write into; made if missing");
  line.path("labels", request.labels, "FILE",
            "CSV of name and level (default: trainLabels.csv or train.csv of the folder)");
  line.number("workers", workers, 1, 1024, "Threads (default: the CPUs it may run on)");
  line.number("size", request.side, 16, 4096, "Side of the prepared pictures in pixels");
  line.number("shard", request.shard, 1, 1000000, "Images of a shard");
  line.choice("format", format, {"tfrecord", "jpeg"}, "What is written");
  line.number("quality", quality, 1, 100, "Quality of the JPEG files");
  bool quiet = false;
  line.flag("quiet", quiet, "Show no progress");
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (request.in.empty()) return line.refuse("--in DIR is needed");
  if (request.out.empty()) return line.refuse("--out DIR is needed");
  request.workers = workers > 0 ? static_cast<int>(workers) : usable_cpus();
  request.quality = static_cast<int>(quality);
  request.tfrecord = format == "tfrecord";
  try {
    prepare(request, quiet);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "retina-prepare: %s\n", error.what());
    return 1;
  }
  return 0;
}
