#include "probe/own_binary.h"

#include <string>
#include <string_view>

namespace lapcast {

namespace fs = std::filesystem;

fs::path own_binary() {
  constexpr std::string_view kDeleted = " (deleted)";
  std::error_code error;
  std::string path = fs::read_symlink("/proc/self/exe", error).native();
  if (path.ends_with(kDeleted) && !fs::exists(path, error))
    path.resize(path.size() - kDeleted.size());
  return path;
}

}  // namespace lapcast
