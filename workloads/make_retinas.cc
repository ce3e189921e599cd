// make-retinas draws a synthetic set of photographs of the eye's fundus as JPEG files, with the
// grades of diabetic retinopathy (see retina/drawing.h).
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "common/command_line.h"
#include "common/cpus.h"
#include "retina/drawing.h"
#include "retina/shards.h"

using namespace lapcast::workloads;

namespace {

/// Reads WIDTHxHEIGHT. Returns false when the text is not of this form or a side is not between 64
/// and 20,000.
bool parse_size(const std::string& text, RetinaSet& set) {
  long long width = 0, height = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "%lldx%lld%n", &width, &height, &end) != 2 ||
      static_cast<size_t>(end) != text.size()) {
    return false;
  }
  set.width = width;
  set.height = height;
  const auto fits = [](long long side) { return side >= 64 && side <= 20000; };
  return fits(width) && fits(height);
}

/// Turns the photographs of a folder into shards of its parent folder, and removes them.
void replace_by_shards(const std::filesystem::path& photographs, int64_t side, int64_t images,
                       int workers) {
  PrepareRequest request;
  request.in = photographs;
  request.out = photographs.parent_path();
  request.side = side;
  request.shard = made_shard(images);
  request.workers = workers;
  prepare_retinas(request, [](const PrepareSummary&) {});
  std::filesystem::remove_all(photographs);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line(
      "make-retinas",
      "Draws photographs of synthetic retinas in five grades of diabetic retinopathy "
      "as JPEG files, with trainLabels.csv.",
      "  make-retinas --out eyes --images 200              # 3000x2000, 0.3 GB\n"
      "  make-retinas --out small --images 2000 --size 640x480 --grades even\n"
      "  make-retinas --out shards --images 2000 --size 640x480 --shards 256   # for ic-dr\n");
  RetinaSet set{100};
  std::filesystem::path out, size = "3000x2000";
  std::string grades = "kaggle";
  int64_t threads = 0, side = 0;
  line.path("out", out, "DIR", "The folder to write into; made if missing");
  line.count("images", set.images, "Photographs");
  line.seed("seed", set.seed, "Seed of the set; the same seed makes the same files");
  line.path("size", size, "WxH", "Width and height in pixels");
  line.choice("grades", grades, {"kaggle", "even"},
              "How frequent the five grades are: as in the Kaggle set, or all alike");
  line.number(
      "shards", side, 16, 4096,
      "Keep no photographs: prepare them as retina-prepare does, with this side, in 20 shards, or "
      "from 20,000 photographs on in shards of 2,000");
  line.number("threads", threads, 1, 1024,
              "Threads; they do not change the files (default: the CPUs it may run on)");
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (out.empty()) return line.refuse("--out DIR is needed");
  if (!parse_size(size.string(), set)) {
    return line.refuse("--size: '" + size.string() + "' is not WIDTHxHEIGHT of 64 to 20000");
  }
  set.grades = grades == "even" ? GradeMix::kEven : GradeMix::kKaggle;
  try {
    const int workers = threads > 0 ? static_cast<int>(threads) : usable_cpus();
    const std::filesystem::path photographs = side > 0 ? out / "photographs" : out;
    std::filesystem::create_directories(photographs);
    make_retinas(photographs, set, workers);
    if (side > 0) replace_by_shards(photographs, side, set.images, workers);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-retinas: %s\n", error.what());
    return 1;
  }
  std::printf("%lld %s in %s\n", static_cast<long long>(set.images),
              side > 0 ? "prepared photographs" : "photographs", out.c_str());
  return 0;
}
