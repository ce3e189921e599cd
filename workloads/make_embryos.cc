// make-embryos draws a synthetic set of mouse embryos as 480x480 PNG files with labels (see
// embryo/frames.h).
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "common/command_line.h"
#include "common/cpus.h"
#include "embryo/drawing.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("make-embryos",
                   "Draws time-lapse images of synthetic embryos with one to four cells as 480x480 "
                   "PNG files, with their labels.",
                   "  make-embryos --out embryos --frames 3064     # all classes alike, 0.4 GB\n"
                   "  make-embryos --out embryos                   # the paper's size, 4 GB\n"
                   "  make-embryos --out small --embryos 20 --frames 400\n");
  constexpr int64_t kMostEmbryos = 999999, kMostFrames = 10000000;
  std::filesystem::path out;
  EmbryoSetSize size;
  int64_t three_cells = 0, threads = 0;
  uint64_t seed = 1;
  line.path("out", out, "DIR", "The folder to write into; made if missing");
  line.number("embryos", size.embryos, 5, kMostEmbryos, "Embryos, numbered from 0");
  line.number("frames", size.frames, 20, kMostFrames, "Images of all embryos together");
  line.number("three-cell-frames", three_cells, 1, kMostFrames,
              "Frames with three cells, the rarest class (default: 766, at most a quarter)");
  line.seed("seed", seed, "Seed of the set; the same seed makes the same files");
  line.number("threads", threads, 1, 1024,
              "Threads; they do not change the files (default: the CPUs it may run "
              "on)");
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (out.empty()) return line.refuse("--out DIR is needed");
  size.three_cells = three_cells > 0 ? three_cells : std::min(size.three_cells, size.frames / 4);
  if (size.three_cells > size.frames) return line.refuse("--three-cell-frames exceeds --frames");
  try {
    std::filesystem::create_directories(out);
    make_embryos(out, size, seed, threads > 0 ? static_cast<int>(threads) : usable_cpus());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make-embryos: %s\n", error.what());
    return 1;
  }
  std::printf("%lld images of %lld embryos in %s\n", static_cast<long long>(size.frames),
              static_cast<long long>(size.embryos), out.c_str());
  return 0;
}
