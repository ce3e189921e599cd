#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "remote/slurm_nodes.h"
#include "remote/slurm_submission.h"
#include "remote/slurm_text.h"

namespace {

bool is_safe(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return false;
  return true;
}

void check(const lapcast::SlurmJob& job) {
  if (job.id <= 0 || job.cpus < 0 || job.time_limit_ns < 0) std::abort();
  if (!is_safe(job.state) || !is_safe(job.reason) || !is_safe(job.nodes)) std::abort();
}

void check(const lapcast::NodeType& type) {
  if (type.cpus <= 0 || type.nodes < type.usable || type.usable < 0) std::abort();
  if (!is_safe(type.name) || !is_safe(type.gres) || !is_safe(type.place.constraint)) std::abort();
  // The texts become arguments of sbatch.
  if (type.place.partition.empty() || type.place.partition[0] == '-') std::abort();
  for (const std::string& flag : type.place.flags)
    if (!flag.starts_with("--exclude=") || flag.find_first_of(" \t\n;$`'\"") != std::string::npos)
      std::abort();
}

}  // namespace

/// Checks that the output of Slurm's commands, of any bytes, is read or refused with a reason. What
/// is read is safe to show and to pass to sbatch.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  switch (data[0] % 4) {
    case 0:
      if (const auto jobs = lapcast::parse_squeue(text))
        for (const lapcast::SlurmJob& job : *jobs) check(job);
      break;
    case 1:
      if (const auto types = lapcast::parse_sinfo(text)) {
        std::set<std::string_view> names;
        for (const lapcast::NodeType& type : *types) {
          check(type);
          if (!names.insert(type.name).second) std::abort();
        }
      }
      break;
    case 2:
      if (const auto id = lapcast::parse_sbatch(text); id && *id <= 0) std::abort();
      lapcast::parse_sacct(text);
      break;
    default:
      std::string_view rest = text;
      lapcast::take_lives(rest);
      if (!text.ends_with(rest)) std::abort();
      if (const auto life = lapcast::parse_life_suffix(text); life && life_suffix(*life) != text)
        std::abort();
  }
  return 0;
}
