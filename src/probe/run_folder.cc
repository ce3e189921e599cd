#include "probe/run_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "lapcast-run-";  // then the pid of the lapcast that made it

fs::path parent_or_default(const fs::path& parent) {
  if (!parent.empty()) return parent;
  const char* tmp = std::getenv("TMPDIR");
  return tmp != nullptr && *tmp != '\0' ? fs::path(tmp) : fs::path("/tmp");
}

/// Makes folders deletable whatever modes the program gave them, then deletes.
void remove_tree(const fs::path& root) {
  std::error_code ignored;
  fs::remove_all(root, ignored);
  if (!fs::exists(root, ignored)) return;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto it = fs::recursive_directory_iterator(root, options, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored))
    if (it->is_directory(ignored) && !it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_all, ignored);
  fs::remove_all(root, ignored);
}

bool is_own_folder(const fs::path& folder) {
  struct stat info {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

bool is_dead(const std::string& pid_text) {
  const long pid = std::strtol(pid_text.c_str(), nullptr, 10);
  return pid > 0 && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

RunFolder::RunFolder(const fs::path& parent, const std::string& run_id, const fs::path& inherited) {
  root_ = fs::absolute(parent_or_default(parent) /
                       fmt::format("{}{}-{}", kPrefix, getpid(), run_id));
  for (const fs::path& folder : {root_, run_dir(), lap_dir()}) {
    if (!inherited.empty() && folder == run_dir() &&
        rename(inherited.c_str(), folder.c_str()) == 0)
      continue;
    if (mkdir(folder.c_str(), 0700) == 0) continue;
    const std::string why = std::strerror(errno);
    remove_tree(root_);
    throw Error(ExitCode::system_failed,
                fmt::format("cannot make the run folder {}: {}; name another place with --run-parent",
                            folder.string(), why));
  }
}

RunFolder::~RunFolder() {
  if (!keep_) remove_tree(root_);
}

void check_run_parent(const fs::path& parent) {
  const fs::path folder = parent_or_default(parent);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(folder, ignored);
  if (is_folder && access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw Error(ExitCode::system_failed,
              fmt::format("cannot make a run folder in {}: {}; name another place with --run-parent",
                          printable(folder.string()),
                          is_folder ? std::strerror(errno) : "no such folder"));
}

void remove_stale_run_folders(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent_or_default(parent), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !is_own_folder(entry.path())) continue;
    if (is_dead(name.substr(kPrefix.size()))) remove_tree(entry.path());
  }
}

}  // namespace lapcast
