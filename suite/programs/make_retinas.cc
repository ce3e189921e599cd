// make-retinas draws a synthetic set of photographs of the eye's fundus as JPEG files, with the
// grades of diabetic retinopathy (see retina/drawing.h).
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "common/command_line.h"
#include "common/cpus.h"
#include "data/jpeg_set.h"
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

/// Holds the options; 0 = not given.
struct Options {
  RetinaSet set;
  std::filesystem::path out, size = "3000x2000";
  std::string grades = "kaggle";
  int64_t training = 0, test = 0;
  int64_t side = 0;
  int64_t threads = 0;

  bool has_parts() const { return training > 0; }
};

void add_options(CommandLine& line, Options& o) {
  line.path("out", o.out, "DIR", "The folder to write into; made if missing");
  line.count("images", o.set.images, "Photographs (default: 100)");
  line.count("train", o.training,
             "Photographs of the training part; with --test, instead of --images: each part has a "
             "folder of its own");
  line.count("test", o.test, "Photographs of the part to validate with");
  line.seed("seed", o.set.seed, "Seed of the set; the same seed makes the same files");
  line.path("size", o.size, "WxH", "Width and height in pixels");
  line.choice("grades", o.grades, {"kaggle", "even"},
              "How frequent the five grades are: as in the Kaggle set, or all alike");
  line.number("shards", o.side, 16, 4096,
              "Keep no photographs: prepare them as retina-prepare does, with this side, in 20 "
              "shards, or from 20,000 photographs on in shards of 2,000");
  line.number("threads", o.threads, 1, 1024,
              "Threads; they do not change the files (default: the CPUs it may run on)");
}

/// Fills in what was not given. Returns the exit status as CommandLine::parse() does.
int complete(const CommandLine& line, Options& o) {
  if (o.out.empty()) return line.refuse("--out DIR is needed");
  if (!parse_size(o.size.string(), o.set)) {
    return line.refuse("--size: '" + o.size.string() + "' is not WIDTHxHEIGHT of 64 to 20000");
  }
  if ((o.training > 0) != (o.test > 0)) return line.refuse("--train and --test need each other");
  if (o.has_parts() && o.set.images > 0) return line.refuse("--train and --test replace --images");
  if (o.set.images == 0) o.set.images = o.has_parts() ? o.training + o.test : 100;
  o.set.grades = o.grades == "even" ? GradeMix::kEven : GradeMix::kKaggle;
  if (o.threads == 0) o.threads = usable_cpus();
  return -1;
}

/// Writes photographs into a folder, or shards that are made of so many of them each.
void make_part(const Options& o, const std::filesystem::path& folder, const RetinaSet& set,
               int64_t shard) {
  const std::filesystem::path photographs = o.side > 0 ? folder / "photographs" : folder;
  std::filesystem::create_directories(photographs);
  make_retinas(photographs, set, static_cast<int>(o.threads));
  if (o.side == 0) return;
  PrepareRequest request;
  request.in = photographs;
  request.out = folder;
  request.side = o.side;
  request.shard = shard;
  request.workers = static_cast<int>(o.threads);
  prepare_retinas(request, [](const PrepareSummary&) {});
  std::filesystem::remove_all(photographs);
}

void make(const Options& o) {
  const int64_t shard = made_shard(o.set.images);
  if (!o.has_parts()) return make_part(o, o.out, o.set, shard);
  RetinaSet part = o.set;
  part.images = o.training;
  make_part(o, o.out / kTrainingFolder, part, shard);
  part.first = o.training;
  part.images = o.test;
  make_part(o, o.out / kValidationFolder, part, shard);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line(
      "make-retinas",
      "Draws photographs of synthetic retinas in five grades of diabetic retinopathy "
      "as JPEG files, with trainLabels.csv.",
      "  make-retinas --out eyes --images 200              # 3000x2000, 0.3 GB\n"
      "  make-retinas --out small --images 2000 --size 640x480 --grades even\n"
      "  make-retinas --out shards --train 1600 --test 400 --size 640x480 --shards 256  # ic-dr\n");
  Options options;
  add_options(line, options);
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (const int status = complete(line, options); status >= 0) return status;
  try {
    make(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-retinas: %s\n", error.what());
    return 1;
  }
  std::printf("%lld %s in %s\n", static_cast<long long>(options.set.images),
              options.side > 0 ? "prepared photographs" : "photographs", options.out.c_str());
  return 0;
}
