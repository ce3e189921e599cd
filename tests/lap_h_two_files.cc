// Tests a program of two source files: lap_h_c99.c holds the state of lap.h as strict C99, this
// file reports through it from C++ and from a forked child. Exits with 0 when the logs are right.
// The build also makes it with LAPCAST_DETAIL_NO_WIPE, as on a kernel without MADV_WIPEONFORK.
#include <sys/wait.h>
#include <unistd.h>

#include <lapcast/lap.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" void report_every_event(void);

namespace fs = std::filesystem;

static int lines_with(const fs::path& path, const std::string& text) {
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line);) count += line.find(text) != std::string::npos;
  return count;
}

static bool is_log_of(const fs::path& folder, long pid, int laps) {
  const fs::path path = folder / ("laps." + std::to_string(pid) + ".log");
  const bool good = lines_with(path, "0 hello ") == 1 && lines_with(path, " i 128") == laps &&
                    lines_with(path, " bye") == 1;
  if (!good) std::fprintf(stderr, "wrong log %s\n", path.c_str());
  return good;
}

/// Reports from both processes, and from the parent before and after the fork.
static void report(const fs::path& folder) {
  setenv("LAPCAST_LOG_DIR", folder.c_str(), 1);
  report_every_event();
  lapcast_iteration(128);
  const pid_t grandchild = fork();
  if (grandchild == 0) {
    lapcast_iteration(128);
    std::exit(0);
  }
  int status = 1;
  waitpid(grandchild, &status, 0);
  lapcast_iteration(128);
  std::ofstream(folder / "child") << grandchild;
}

int main() {
  std::string name = (fs::temp_directory_path() / "lap-h-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  const pid_t child = fork();
  if (child == 0) {
    report(folder);
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  long grandchild = 0;
  std::ifstream(folder / "child") >> grandchild;
  const auto files = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  const bool good =
      status == 0 && files == 3 && is_log_of(folder, child, 3) && is_log_of(folder, grandchild, 1);
  fs::remove_all(folder);
  return good ? 0 : 1;
}
