#include "common/maker.h"

#include <cstdio>
#include <exception>

#include "common/command_line.h"
#include "common/cpus.h"

namespace lapcast::workloads {

void add_maker_options(CommandLine& line, MakerOptions& options) {
  constexpr int64_t kMost = 10000000;
  line.path("out", options.out, "DIR", "The folder to write into; made if missing");
  line.number("train", options.train, 1, kMost, "Samples of the training part");
  line.number("test", options.test, 1, kMost, "Samples of the part to validate with");
  line.seed("seed", options.seed, "Seed of the set; the same seed makes the same files");
  line.number("threads", options.threads, 1, 1024,
              "Threads; they do not change the files (default: the CPUs it may run "
              "on)");
}

int run_maker(CommandLine& line, MakerOptions& options, const char* what, int argc, char** argv,
              const std::function<void()>& write) {
  if (const int status = line.parse(argc, argv); status >= 0) return status;
  if (options.out.empty()) return line.refuse("--out DIR is needed");
  if (options.threads == 0) options.threads = usable_cpus();
  try {
    std::filesystem::create_directories(options.out);
    write();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", line.program().c_str(), error.what());
    return 1;
  }
  std::printf("%lld + %lld %s in %s\n", static_cast<long long>(options.train),
              static_cast<long long>(options.test), what, options.out.c_str());
  return 0;
}

}  // namespace lapcast::workloads
