#include "lap/laps_kind.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/hash.h"

namespace lapcast {

namespace {

constexpr std::string_view kLines = "lapcast-output/1";

std::string without_version(std::string_view emitter) {
  std::string name(emitter);
  const std::size_t version = name.find('/');
  if (version != name.npos) name.erase(version, name.find('/', version + 1) - version);
  return name;
}

/// Returns the emitter that the opening of a log names.
std::string_view emitter_of(std::string_view log) {
  constexpr std::string_view kKey = " emitter=";
  constexpr std::size_t kLongestOpening = 1000;
  const std::size_t at = log.substr(0, kLongestOpening).find(kKey);
  if (at == log.npos) return "";
  log.remove_prefix(at + kKey.size());
  return log.substr(0, log.find_first_of(" \n"));
}

}  // namespace

bool has_lap_lines(std::string_view log) {
  return log.find(" i ") != log.npos;
}

std::string emitter_of_lines(std::string_view expression, bool whole) {
  if (whole) return fmt::format("{}/whole", kLines);
  if (expression.empty()) return std::string(kLines);
  Fnv1a hash;
  hash.add(expression);
  return fmt::format("{}/{:08x}", kLines, static_cast<std::uint32_t>(hash.value()));
}

std::string kind_of_laps(std::span<const std::string> lap_logs) {
  std::string kind;
  for (const std::string& log : lap_logs) {
    if (!has_lap_lines(log)) continue;
    const std::string_view emitter = emitter_of(log);
    if (!emitter.starts_with(kLines)) return without_version(emitter);
    if (kind.empty()) kind = without_version(emitter);
  }
  return kind;
}

}  // namespace lapcast
