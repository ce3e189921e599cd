#include "campaign/batch_tries.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace lapcast {
namespace {

constexpr const char* kBatchName = "batch";

bool is_try_of(const RunContext& candidate, const RunContext& run) {
  RunContext same = run;
  if (!same.settings.contains(kBatchName)) return false;
  same.settings[kBatchName] = kAutoBatch;
  return run.kind == RunKind::probe && same.machine_type.name == candidate.machine_type.name &&
         same.settings == candidate.settings;
}

/// Returns the main memory that a program of this machine may take; 0 = not known.
std::int64_t available_to(const MachineDescription& machine) {
  std::int64_t least = machine.memory_limit_bytes.value_or(INT64_MAX);
  for (const std::int64_t bytes : {machine.memory_bytes, machine.available_memory_bytes})
    if (bytes > 0) least = std::min(least, bytes);
  return least == INT64_MAX ? 0 : least;
}

}  // namespace

TriedBatches tried_batches(const RunContext& candidate, std::span<const Run> runs) {
  std::map<std::string, Run> newest;
  for (const Run& run : runs)
    if (is_try_of(candidate, run.context) && !was_cut_off(run.outcome))
      newest.insert_or_assign(run.context.settings.at(kBatchName), run);
  std::vector<Run> tries;
  for (auto& [batch, run] : newest) tries.push_back(std::move(run));
  TriedBatches tried;
  const std::vector<MemoryByBatch> known = memory_by_batch(tries);
  for (const MemoryByBatch& program : known)  // several if a failed try had another world size
    for (const MemoryUse& use : program.uses)
      tried.tries.push_back({use.batch, use.reason.empty()});
  for (const MemoryByBatch& program : known)
    if (program.line(MemoryMeter::process) || tried.memory.peaks.uses.empty() ||
        std::ranges::any_of(program.uses, [](auto& use) { return use.reason.empty(); }))
      tried.memory.peaks = program;
  if (!tries.empty()) tried.memory.main_bytes = available_to(tries.front().context.machine);
  return tried;
}

std::vector<RunContext> next_tries(std::span<const RunContext> candidates,
                                   std::span<const Run> runs) {
  std::vector<RunContext> next;
  std::set<std::string> places;
  for (const RunContext& candidate : candidates) {
    if (places.contains(candidate.place)) continue;
    const TriedBatches tried = tried_batches(candidate, runs);
    const auto batch = next_batch(tried.tries, tried.memory);
    if (!batch) continue;
    places.insert(candidate.place);
    next.push_back(candidate);
    next.back().settings[kBatchName] = std::to_string(*batch);
  }
  return next;
}

std::vector<RunContext> with_fitting_batches(std::span<const RunContext> candidates,
                                             std::span<const Run> runs) {
  std::vector<RunContext> fitting;
  for (const RunContext& candidate : candidates) {
    std::set<std::int64_t> batches;
    for (const BatchTry& tried : tried_batches(candidate, runs).tries)
      if (tried.fits) batches.insert(tried.batch);
    for (const std::int64_t batch : batches) {
      fitting.push_back(candidate);
      fitting.back().settings[kBatchName] = std::to_string(batch);
    }
  }
  return fitting;
}

}  // namespace lapcast
