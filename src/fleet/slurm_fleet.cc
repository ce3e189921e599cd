#include "fleet/slurm_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kProbeLimitNs = 15 * kMinuteNs;  // a probe's budget is a minute

/// Returns a basic string of TOML. Where the text was read, what is not plain ASCII became '?'.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string plural(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Returns a text such as "8 nodes with 64 CPUs (2:32:1 sockets:cores:threads), 500 GiB of memory,
/// gpu:a100:4".
std::string description(const NodeType& type) {
  std::string text =
      fmt::format("{} with {}", plural(type.nodes, "node"), plural(type.cpus, "CPU"));
  if (!type.layout.empty()) text += fmt::format(" ({} sockets:cores:threads)", type.layout);
  text += fmt::format(", {} of memory", format_bytes(type.memory_mib << 20));
  if (!type.gres.empty()) text += ", " + type.gres;
  if (!type.features.empty()) text += fmt::format("; features: {}", fmt::join(type.features, ", "));
  return text;
}

std::string availability(const NodeType& type) {
  if (type.usable == type.nodes) return "";
  if (type.usable == 0) return "# none of them can be used now: down or drained\n";
  return fmt::format("# {} of them can be used now\n", type.usable);
}

std::string time_limit(const NodeType& type) {
  const bool shorter = type.time_limit_ns > 0 && type.time_limit_ns < kProbeLimitNs;
  const std::int64_t limit = shorter ? type.time_limit_ns : kProbeLimitNs;
  return fmt::format("{}s", std::max<std::int64_t>(limit / 1'000'000'000, 1));
}

std::string machine(const NodeType& type, const std::string& login) {
  std::string text = fmt::format(
      "\n# {}\n{}[[machine]]\nname = {}\n"
      "price = \"0\"  # FILL IN: USD per hour of one such node\n[machine.slurm]\n",
      description(type), availability(type), toml_string(type.name));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_string(value));
  };
  add("login", login);
  add("partition", type.place.partition);
  add("constraint", type.place.constraint);
  add("gres", type.place.gres);
  add("time_limit", time_limit(type));
  std::string flags = toml_string("--exclusive");
  for (const std::string& flag : type.place.flags) flags += ", " + toml_string(flag);
  return text + fmt::format("flags = [{}]\n", flags);
}

}  // namespace

std::string slurm_fleet_text(const std::vector<NodeType>& types, const std::string& login,
                             const std::string& today) {
  std::string text = fmt::format(
      "# The types of nodes that sinfo showed on {0}. Before a sweep: fill in the prices, which\n"
      "# Slurm does not know; delete the machines that you do not want. Jobs ask for whole nodes\n"
      "# (--exclusive), so that nobody disturbs the laps; for a part of one write instead, such "
      "as\n"
      "# flags = [\"--cpus-per-task=8\", \"--mem=32G\"]. docs/fleet-file.md explains the keys.\n"
      "\n"
      "[prices]\n"
      "as_of = {1}\n"
      "source = \"FILL IN: where the prices come from\"\n",
      today, toml_string(today));
  for (const NodeType& type : types) text += machine(type, login);
  return text;
}

}  // namespace lapcast
