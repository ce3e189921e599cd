#include "remote/slurm_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr const char* kList =
    R"(for d in "$1".*.*; do [ -d "$d" ] || continue; printf 'L%s\n' "${d#"$1"}"; )"
    R"(head -c 4096 "$d/queue" 2>/dev/null; done; :)";

/// Returns how long all of them waited; none where no life knows.
std::optional<Seconds> time_in_queue(const std::vector<SlurmStart>& history) {
  std::optional<Seconds> sum;
  for (const SlurmStart& start : history) {
    if (!start.job || !start.job->submitted_s || !start.job->started_s) continue;
    const std::int64_t waited = *start.job->started_s - *start.job->submitted_s;
    sum =
        sum.value_or(Seconds{0}) + Seconds{static_cast<double>(std::max<std::int64_t>(waited, 0))};
  }
  return sum;
}

}  // namespace

std::vector<SlurmStart> parse_slurm_history(std::string_view text) {
  std::vector<SlurmStart> history;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('L')) {
      if (const auto life = parse_life_suffix(line.substr(1))) history.push_back({*life, {}});
      continue;
    }
    const auto jobs = parse_squeue(line);
    if (!history.empty() && jobs && jobs->size() == 1 &&
        jobs->front().id == history.back().life.job)
      history.back().job = jobs->front();
  }
  std::sort(history.begin(), history.end(),
            [](const SlurmStart& a, const SlurmStart& b) { return a.life < b.life; });
  return history;
}

std::vector<SlurmStart> slurm_history(const Host& host, const std::string& folder) {
  const auto output = host.run({"sh", "-c", kList, "sh", folder});
  return output ? parse_slurm_history(output->output) : std::vector<SlurmStart>{};
}

void add_history(const std::vector<SlurmStart>& history, Run& run) {
  if (const auto waited = time_in_queue(history))
    run.preparation.insert(run.preparation.begin(), PreparationStep{"queue", *waited, 0});
  if (history.size() < 2) return;
  run.warnings.push_back(fmt::format(
      "its Slurm job was started {} times (preempted, requeued, or its node failed): only "
      "the last one counts",
      history.size()));
}

}  // namespace lapcast
