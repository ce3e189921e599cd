#include "suite/transfer/transfer_places.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/units.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

// Takes the folder as $1 and kFindInTheWay as $2, and the paths from stdin. It is one line, because
// csh does not allow more.
constexpr const char* kLookInFolder =
    "cd && cd -- \"$1\" && xargs -0 sh -c \"$2\" sh . | head -c 2000";

// Takes the folder as $1 and prints the files with names like those of rsync's temporary files,
// each followed by NUL.
constexpr const char* kFindTemporary =
    "cd && cd -- \"$1\" && find . ! -type d \\( -name '.*.\?\?\?\?\?\?' -o "
    "-path '*/.lapcast-partial/*' \\) -print0";
// Takes the folder as $1, and the paths from stdin.
constexpr const char* kRemoveFromFolder =
    "cd && cd -- \"$1\" && xargs -0 sh -c "
    "'for f; do rm -f -- \"$f\" || exit 1; rmdir -- \"${f%/*}\" 2>/dev/null || :; done' sh";

/// Returns the parent folders of a path: "a" and "a/b" of "a/b/c".
std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> folders;
  for (std::size_t at = 0; (at = path.find('/', at)) != path.npos; ++at)
    folders.push_back(path.substr(0, at));
  return folders;
}

Reason two_pieces_made(const std::string& name, const std::string& other) {
  const std::string what = name == other ? fmt::format("'{}'", printable(name))
                                         : fmt::format(
                                               "the file '{}' and '{}', which needs a "
                                               "folder of this name",
                                               printable(name), printable(other));
  return {
      fmt::format("two pieces made {}: let the program name its files by {{piece}}, or choose "
                  "larger pieces with --piece",
                  what)};
}

}  // namespace

const char* const kFindInTheWay =
    "d=$1; shift; seen=; for f; do [ -n \"$f\" ] || continue; f=${f#./}; "
    "[ -d \"$d/$f\" ] && [ ! -L \"$d/$f\" ] && printf \"%s is a folder, not a file; \" \"$f\"; "
    "case $f in */*) p=${f%/*} ;; *) continue ;; esac; "
    "[ \"$p\" = \"$seen\" ] && continue; seen=$p; while :; do "
    "if [ -L \"$d/$p\" ] || { [ -e \"$d/$p\" ] && [ ! -d \"$d/$p\" ]; }; then "
    "printf \"%s is not a folder, and %s needs one; \" \"$p\" \"$f\"; fi; "
    "case $p in */*) p=${p%/*} ;; *) break ;; esac; done; done";

Result<void> MadeNames::add(std::size_t piece, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto same = files_.find(path);
    if (same != files_.end() && same->second != piece)
      return tl::unexpected(two_pieces_made(path, path));
    if (folders_.contains(path)) return tl::unexpected(two_pieces_made(path, path + "/..."));
    for (const std::string& folder : folders_of(path))
      if (files_.contains(folder)) return tl::unexpected(two_pieces_made(folder, path));
  }
  for (const std::string& path : paths) {
    files_.emplace(path, piece);
    for (std::string& folder : folders_of(path)) folders_.insert(std::move(folder));
  }
  return {};
}

Result<void> nothing_in_the_way(const Host& host, const std::string& folder,
                                const std::vector<FolderPaths>& files, const Interrupt& interrupt) {
  std::string list;
  for (const FolderPaths& some : files)
    for (const std::string& path : some.paths) list.append("./").append(path).append(1, '\0');
  const auto found = host.run({"sh", "-c", kLookInFolder, "sh", folder, kFindInTheWay},
                              {.input = std::move(list), .interrupt = &interrupt});
  if (!found) return tl::unexpected(found.error().reason);
  if (found->status != 0)
    return because(fmt::format("{} cannot be looked at on {}: {}", printable(folder), host.name(),
                               printable(last_lines(found->error, 1), 300)));
  if (found->output.empty()) return {};
  return because(fmt::format("in {} on {} something is in the way: {}move it away",
                             printable(folder), host.name(), printable(found->output, 500)));
}

Result<void> remove_left_by_rsync(const Host& host, const std::string& folder,
                                  const std::vector<FolderPaths>& files,
                                  const Interrupt& interrupt) {
  const auto first_folder = [](std::string_view path) { return path.substr(0, path.find('/')); };
  std::set<std::string_view> wanted, folders;
  for (const FolderPaths& some : files)
    for (const std::string_view path : some.paths) {
      wanted.insert(path);
      folders.insert(first_folder(path));
    }
  const auto run = [&](const char* script, std::string input) -> Result<std::string> {
    auto ended = host.run({"sh", "-c", script, "sh", folder},
                          {.input = std::move(input), .interrupt = &interrupt});
    if (!ended) return tl::unexpected(ended.error().reason);
    if (ended->status == 0) return std::move(ended->output);
    return because(fmt::format("what an earlier sending left in {} cannot be removed on {}: {}",
                               printable(folder), host.name(),
                               printable(last_lines(ended->error, 1), 300)));
  };
  const auto found = run(kFindTemporary, "");
  if (!found) return tl::unexpected(found.error());
  std::string left;
  for (const std::string& path : paths_in(*found))
    if (folders.contains(first_folder(path)) && !wanted.contains(path))
      left.append("./").append(path).append(1, '\0');
  if (left.empty()) return {};
  return run(kRemoveFromFolder, std::move(left)).map([](const std::string&) {});
}

std::vector<std::string> paths_in(std::string_view list) {
  std::vector<std::string> paths;
  for (std::size_t end = 0; (end = list.find('\0')) != std::string_view::npos;
       list.remove_prefix(end + 1)) {
    const std::string_view path = list.substr(0, end);
    if (!path.empty()) paths.emplace_back(path.starts_with("./") ? path.substr(2) : path);
  }
  return paths;
}

}  // namespace lapcast
