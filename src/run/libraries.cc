#include "run/libraries.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "lap/lap_log_format.h"
#include "run/start_lines.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostLibraries = 32;

bool is_version(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::vector<Library> libraries_of(const Run& run) {
  std::vector<Library> libraries;
  for (const std::string_view line : start_lines_of(run, "library", kMostLibraries)) {
    WordReader words(line);
    const std::string_view name = words.next();
    const std::string_view version = words.next();
    const bool is_new = std::ranges::find(libraries, name, &Library::name) == libraries.end();
    if (is_new && is_name(name) && is_version(version))
      libraries.push_back({std::string(name), std::string(version)});
  }
  return libraries;
}

std::string libraries_text(const Run& run) {
  std::string text;
  for (const Library& library : libraries_of(run))
    text += (text.empty() ? "" : ", ") + library.name + " " + library.version;
  return text;
}

}  // namespace lapcast
