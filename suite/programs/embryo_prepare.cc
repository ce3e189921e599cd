// embryo-prepare runs the image chain of [L] (see embryo/prepare.h) by itself: it turns PNG files
// into patches that networks train on.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "common/command_line.h"
#include "common/cpus.h"
#include "embryo/prepare.h"

namespace {

using namespace lapcast::workloads;

struct Options {
  std::filesystem::path in;
  std::filesystem::path out;
  int64_t most = 0;
  uint64_t seed = 1;
  int64_t threads = 0;
};

void prepare(const Options& options) {
  using Clock = std::chrono::steady_clock;
  FrameParts frames = balance_and_split(list_frames(options.in), options.seed, options.most);
  frames.patches = read_patch_counts(options.in);
  const auto begin = Clock::now();
  const EmbryoParts parts = prepare_parts(frames, static_cast<int>(options.threads));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const size_t images = frames.training.size() + frames.test.size();
  std::printf("%zu + %zu images, %lld + %lld patches, %.3f s, %.1f images/s\n",
              frames.training.size(), frames.test.size(),
              static_cast<long long>(parts.training.images.count),
              static_cast<long long>(parts.test.images.count), seconds,
              static_cast<double>(images) / seconds);
  if (options.out.empty()) return;
  std::filesystem::create_directories(options.out);
  write_prepared(options.out, parts);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("embryo-prepare",
                   "Makes 64x64 patches of embryo images: balances the classes, splits by embryo, "
                   "crops, equalises, inverts shadows, rotates, resizes.",
                   "  embryo-prepare --in embryos --out patches && embryo-cnn --data patches\n"
                   "  embryo-prepare --in embryos --threads 1     # only says how fast it was\n");
  Options options;
  line.path("in", options.in, "DIR", "A folder of E<embryo>Frame<frame>.png and labels.csv");
  line.path("out", options.out, "DIR",
            "The folder for four IDX files; made if missing. Without it nothing is written");
  line.count("images-per-class", options.most,
             "Frames of each class (default: as many as the rarest class has)");
  line.seed("seed", options.seed, "Chooses the images of each class");
  line.number("threads", options.threads, 1, 1024,
              "Threads; they do not change the patches (default: the CPUs it may run on)");
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (options.in.empty()) return line.refuse("--in DIR is needed");
  if (options.threads == 0) options.threads = usable_cpus();
  try {
    prepare(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embryo-prepare: %s\n", error.what());
    return 1;
  }
  return 0;
}
