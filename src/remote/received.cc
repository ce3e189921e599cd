#include "remote/received.h"

#include <algorithm>
#include <set>

#include "remote/private_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

fs::path note_of(const fs::path& work_dir) { return work_dir.string() + ".received"; }

std::string_view take_text(std::string_view& list) {
  const std::size_t end = std::min(list.find('\0'), list.size());
  const std::string_view text = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return text;
}

/// Relative, and staying below where it starts.
bool stays_below(const fs::path& path) {
  return !path.empty() && !path.is_absolute() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

/// Removes a file, and the folders above it that are empty then.
void remove_file(const fs::path& top, const fs::path& path) {
  std::error_code error;
  for (fs::path each = path; !each.empty(); each = each.parent_path())
    if (!fs::remove(top / each, error) || error) return;
}

}  // namespace

bool is_received(const fs::path& work_dir, const std::string& content) {
  std::error_code ignored;
  const std::string note = read_private_file(note_of(work_dir), content.size() + 1);
  return note == content + '\0' && fs::is_directory(work_dir, ignored);
}

Result<void> note_received(const fs::path& work_dir, std::string_view list) {
  if (!list.ends_with(std::string_view("\0\0", 2))) return because("the list of files was cut off");
  const std::string whole(list);
  take_text(list);
  std::set<std::string_view> now;
  while (!list.empty()) now.insert(take_text(list));  // the last one is empty
  const std::string before = read_private_file(note_of(work_dir));
  std::string_view former = before;
  take_text(former);
  while (!former.empty()) {
    const std::string_view path = take_text(former);
    if (!now.contains(path) && stays_below(path)) remove_file(work_dir, path);
  }
  return write_private_file(note_of(work_dir), whole);
}

}  // namespace lapcast
