// make-embryos draws a synthetic set of mouse embryos as 480x480 PNG files with labels (see
// embryo/frames.h).
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "common/command_line.h"
#include "common/cpus.h"
#include "embryo/drawing.h"

namespace {

using namespace lapcast::workloads;

/// Holds the options; 0 = not given.
struct Options {
  std::filesystem::path out;
  PatchCounts patches;
  EmbryoSetSize size{0, 0, 0};
  uint64_t seed = 1;
  int64_t threads = 0;

  bool counts_patches() const { return patches.training > 0; }
};

void add_options(CommandLine& line, Options& o) {
  constexpr int64_t kMostEmbryos = 999999, kMost = 10000000;
  line.path("out", o.out, "DIR", "The folder to write into; made if missing");
  line.number("train", o.patches.training, 1, kMost,
              "Patches of the training part, exactly; with --test, instead of the next three");
  line.number("test", o.patches.test, 1, kMost, "Patches of the part to validate with, exactly");
  line.number("embryos", o.size.embryos, 5, kMostEmbryos,
              "Embryos, numbered from 0 (default: 100, at most a quarter of the frames)");
  line.number("frames", o.size.frames, 20, kMost,
              "Images of all embryos together (default: 34133)");
  line.number("three-cell-frames", o.size.three_cells, 1, kMost,
              "Frames with three cells, the rarest class (default: 766, at most a quarter)");
  line.seed("seed", o.seed, "Seed of the set; the same seed makes the same files");
  line.number("threads", o.threads, 1, 1024,
              "Threads; they do not change the files (default: the CPUs it may run on)");
}

/// Fills in what was not given. Returns the exit status as CommandLine::parse() does.
int complete(const CommandLine& line, Options& o) {
  const EmbryoSetSize paper;
  EmbryoSetSize& size = o.size;
  if (o.out.empty()) return line.refuse("--out DIR is needed");
  if ((o.patches.training > 0) != (o.patches.test > 0)) {
    return line.refuse("--train and --test need each other");
  }
  if (o.counts_patches() && size.embryos + size.frames + size.three_cells > 0) {
    return line.refuse("--train and --test replace --embryos, --frames and --three-cell-frames");
  }
  if (size.frames == 0) size.frames = paper.frames;
  const int64_t quarter = size.frames / kCellClasses;
  if (size.three_cells == 0) size.three_cells = std::min(paper.three_cells, quarter);
  if (size.three_cells > size.frames) return line.refuse("--three-cell-frames exceeds --frames");
  if (size.embryos > quarter) return line.refuse("--embryos exceeds a quarter of --frames");
  if (size.embryos == 0) size.embryos = std::min(paper.embryos, quarter);
  if (o.threads == 0) o.threads = usable_cpus();
  return -1;
}

void make(const Options& o) {
  std::filesystem::create_directories(o.out);
  const auto threads = static_cast<int>(o.threads);
  if (o.counts_patches()) {
    make_embryo_patches(o.out, o.patches, o.seed, threads);
    std::printf("images for %lld + %lld patches in %s\n",
                static_cast<long long>(o.patches.training), static_cast<long long>(o.patches.test),
                o.out.c_str());
  } else {
    make_embryos(o.out, o.size, o.seed, threads);
    std::printf("%lld images of %lld embryos in %s\n", static_cast<long long>(o.size.frames),
                static_cast<long long>(o.size.embryos), o.out.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("make-embryos",
                   "Draws time-lapse images of synthetic embryos with one to four cells as 480x480 "
                   "PNG files, with their labels.",
                   "  make-embryos --out embryos --train 49024 --test 12256   # 0.4 GB\n"
                   "  make-embryos --out embryos                   # the paper's size, 4 GB\n"
                   "  make-embryos --out small --embryos 20 --frames 400\n");
  Options options;
  add_options(line, options);
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (const int status = complete(line, options); status >= 0) return status;
  try {
    make(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-embryos: %s\n", error.what());
    return 1;
  }
  return 0;
}
