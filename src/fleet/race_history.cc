#include "fleet/race_history.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "fleet/candidates.h"

namespace lapcast {
namespace {

constexpr std::string_view kOut = "out: ";
constexpr const char* kRound = "a round of a race";
constexpr const char* kBudget = "the search budget of a race";

const std::string* words_of(const Outcome& outcome) {
  if (const auto* enough = std::get_if<outcome::Enough>(&outcome)) return &enough->rule;
  if (const auto* spent = std::get_if<outcome::BudgetSpent>(&outcome)) return &spent->which;
  const auto* none = std::get_if<outcome::NoLaps>(&outcome);
  return none != nullptr ? &none->why : nullptr;
}

}  // namespace

outcome::Enough out_of_race(const std::string& reason) {
  return {std::string(kOut) + reason};
}
outcome::Enough decided_in_race() {
  return {"the race is decided"};
}
outcome::BudgetSpent end_of_round() {
  return {kRound};
}
outcome::BudgetSpent end_of_budget() {
  return {kBudget};
}

std::optional<std::string> why_out_of_race(const Outcome& outcome) {
  const std::string* words = words_of(outcome);
  if (words == nullptr || !words->starts_with(kOut)) return std::nullopt;
  return words->substr(kOut.size());
}

bool is_unfinished_in_race(const Outcome& outcome) {
  if (std::holds_alternative<outcome::Interrupted>(outcome)) return true;
  const std::string* words = words_of(outcome);
  return words != nullptr && (*words == kRound || *words == kBudget);
}

const Run* RaceRuns::best() const {
  const Run* best = nullptr;
  std::pair<bool, std::size_t> most{false, 0};  // whether it is finished, its laps
  for (const Run* run : runs) {
    const std::size_t laps = has_laps(run->outcome) ? laps_of(*run).laps.size() : 0;
    const std::pair known{!is_unfinished_in_race(run->outcome), laps};
    if (laps == 0 || known < most) continue;
    most = known;
    best = run;
  }
  return best;
}

RaceRuns history_of(const RunContext& candidate, std::span<const Run> runs) {
  RaceRuns history;
  const std::string name = candidate_name(candidate);
  for (const Run& run : runs)
    if (run.context.kind == RunKind::probe && candidate_name(run.context) == name)
      history.runs.push_back(&run);
  std::stable_sort(history.runs.begin(), history.runs.end(), [](const Run* a, const Run* b) {
    return a->context.started_at < b->context.started_at;
  });
  return history;
}

}  // namespace lapcast
