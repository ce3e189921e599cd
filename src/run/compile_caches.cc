#include "run/compile_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/units.h"
#include "run/start_lines.h"

namespace lapcast {
namespace {

constexpr std::string_view kEvent = "compile-cache";
constexpr std::size_t kMostCaches = 32;
constexpr std::size_t kLongestName = 32;

std::optional<std::int64_t> count_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::int64_t count = 0;
  if (at == line.npos) return std::nullopt;
  const char* const begin = line.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), count);
  if (error != std::errc{} || count < 0) return std::nullopt;
  return count;
}

/// Reads what follows the event's name.
std::optional<CompileCache> cache_in(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(' '));
  const auto before = count_after(line, " before=");
  const auto added = count_after(line, " added=");
  const bool is_name =
      !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      });
  if (!is_name || !before || !added) return std::nullopt;
  return CompileCache{std::string(name), *before, *added};
}

}  // namespace

std::string compile_cache_line(const CompileCache& cache) {
  return fmt::format("0 {} {} before={} added={}\n", kEvent, cache.compiler, cache.files_before,
                     cache.files_added);
}

std::vector<CompileCache> compile_caches_of(const Run& run) {
  std::vector<CompileCache> caches;
  for (const std::string_view line : start_lines_of(run, kEvent, kMostCaches)) {
    const auto cache = cache_in(line);
    if (cache &&
        std::ranges::find(caches, cache->compiler, &CompileCache::compiler) == caches.end())
      caches.push_back(*cache);
  }
  return caches;
}

CacheState cache_state_of(const std::vector<CompileCache>& caches) {
  const auto grew = [](const CompileCache& cache) { return cache.files_added > 0; };
  if (caches.empty()) return CacheState::unknown;
  return std::ranges::any_of(caches, grew) ? CacheState::cold : CacheState::warm;
}

std::string grown_text(const std::vector<CompileCache>& caches) {
  std::string text;
  for (const CompileCache& cache : caches)
    if (cache.files_added > 0)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", cache.compiler,
                          counted(cache.files_added, "file"));
  return text;
}

}  // namespace lapcast
