#include "remote/agent_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/hash.h"

namespace lapcast {
namespace {

// $1 = the folder. One line, for csh.
constexpr const char* kEnter =
    "cd && (umask 077 && mkdir -p -- \"$1\") && cd -- \"$1\" && shift && ";

// $1 = the tool's name, $2 = `uname -sm` of this binary, $3 = its version, then lapcast's
// arguments.
constexpr const char* kStart =
    "t=bin/$1 && u=$2 && v=$3 && shift 3 && if [ \"$(uname -sm)\" != \"$u\" ]; then "
    "t=bin/lapcast; [ -x $t ] || t=$(command -v lapcast); "
    "[ \"$(\"$t\" --version 2>/dev/null)\" = \"lapcast $v\" ] || t=; fi; "
    "if [ -x \"$t\" ]; then exec \"$t\" \"$@\"; fi; echo \"N tool $(uname -sm)\"";

/// A hash over all bytes of this binary.
std::string own_hash() {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat info {};
  ContentHash hash;
  if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      hash.add(std::string_view(static_cast<const char*>(bytes), size));
      munmap(bytes, size);
    }
  }
  if (fd >= 0) close(fd);
  return hash.hex();
}

}  // namespace

std::string folder_on(const PlaceSetup& site) {
  if (site.folder.empty()) return ".cache/lapcast";
  return site.folder.starts_with("~/") ? site.folder.substr(2) : site.folder;
}

const std::string& tool_name() {
  static const std::string name = fmt::format("lapcast-{}-{}", LAPCAST_VERSION, own_hash());
  return name;
}

std::string tool_architecture() {
  utsname system{};
  uname(&system);
  return fmt::format("{} {}", system.sysname, system.machine);
}

std::vector<std::string> in_folder_there(const PlaceSetup& site, const std::string& script,
                                         const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"sh", "-c", kEnter + script, "sh", folder_on(site)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<std::string> lapcast_there(const PlaceSetup& site,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> all{tool_name(), tool_architecture(), LAPCAST_VERSION};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return in_folder_there(site, kStart, all);
}

}  // namespace lapcast
