#include "run/race_outcomes.h"

#include <string_view>
#include <variant>

namespace lapcast {
namespace {

constexpr std::string_view kOut = "out: ";
constexpr const char* kDecided = "the race is decided";
constexpr const char* kSettled = "more laps would hardly tell more in a race";
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
  return {kDecided};
}
outcome::Enough settled_in_race() {
  return {kSettled};
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

bool was_stopped_by_race(const Outcome& outcome) {
  const std::string* words = words_of(outcome);
  return words != nullptr && (words->starts_with(kOut) || *words == kDecided ||
                              *words == kSettled || *words == kRound || *words == kBudget);
}

}  // namespace lapcast
