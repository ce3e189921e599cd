#include "cli/earlier_runs.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace lapcast {
namespace {

/// The runs were of the same program file; the track record compares all its arguments.
bool may_be_of(const RunSummary& summary, std::span<const Run* const> runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run* run) {
    return !run->context.program.empty() && summary.program.starts_with(run->context.program[0]);
  });
}

}  // namespace

void EarlierRuns::add_to(CLI::App& command) {
  command.add_flag("--alone", alone,
                   "from the run's own laps only, not corrected by earlier finished runs");
}

TrackRecord EarlierRuns::of(const Store& store, std::span<const Run* const> runs) const {
  if (alone) return {};
  std::vector<RunSummary> summaries = store.list({.kind = RunKind::full});
  std::erase_if(summaries, [&](const RunSummary& each) { return !may_be_of(each, runs); });
  std::vector<Run> finished;
  const std::size_t count = std::min(summaries.size(), TrackRecord::kMostRuns);
  for (std::size_t i = summaries.size() - count; i < summaries.size(); ++i)
    finished.push_back(store.get(summaries[i].id));
  return TrackRecord(finished);
}

}  // namespace lapcast
