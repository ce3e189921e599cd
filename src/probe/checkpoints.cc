#include "probe/checkpoints.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Returns a path as a pattern that fits nothing else.
std::string literal(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

}  // namespace

bool is_checkpoint_pattern(std::string_view pattern) {
  if (pattern.empty() || pattern[0] == '/' || pattern.find('\0') != std::string_view::npos)
    return false;
  const fs::path path(pattern);
  return std::find(path.begin(), path.end(), "..") == path.end();
}

std::optional<std::string> newest_checkpoint(const fs::path& run_dir, const std::string& pattern) {
  if (!is_checkpoint_pattern(pattern)) return std::nullopt;
  const std::string folder = run_dir.string() + "/";
  std::optional<std::tuple<std::int64_t, std::int64_t, std::string>> newest;
  for (const std::string& path : matches(literal(folder) + pattern)) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
    const std::tuple candidate(std::int64_t{status.st_mtim.tv_sec},
                               std::int64_t{status.st_mtim.tv_nsec}, path.substr(folder.size()));
    if (!newest || candidate > *newest) newest = candidate;
  }
  if (!newest) return std::nullopt;
  return std::get<2>(*newest);
}

std::vector<std::string> resume_arguments(const ResumePlan& plan, const std::string& checkpoint) {
  constexpr std::string_view kPlaceholder = "{checkpoint}";
  const std::string path = "{run_dir}/" + checkpoint;
  std::vector<std::string> arguments = plan.arguments;
  for (std::string& argument : arguments)
    for (std::size_t at = 0; (at = argument.find(kPlaceholder, at)) != std::string::npos;) {
      argument.replace(at, kPlaceholder.size(), path);
      at += path.size();
    }
  return arguments;
}

}  // namespace lapcast
