#include "posix/program_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

bool is_runnable(const fs::path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

Result<fs::path> find_program(const std::string& name) {
  if (name.empty()) return because("no program given");
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (is_runnable(name)) return fs::path(name);
    if (fs::is_directory(name, ignored)) return because(printable(name) + " is a folder");
    if (fs::exists(name, ignored))
      return because(printable(name) + " is not executable; chmod +x it, or name its interpreter");
    return because(printable(name) + " does not exist");
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (is_runnable(candidate)) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return because(fmt::format("program {} not found on PATH; write ./{} if it is in this folder",
                             printable(name), printable(name)));
}

fs::path own_binary() {
  constexpr std::string_view kDeleted = " (deleted)";
  std::error_code error;
  std::string path = fs::read_symlink("/proc/self/exe", error).native();
  if (path.ends_with(kDeleted) && !fs::exists(path, error))
    path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace lapcast
