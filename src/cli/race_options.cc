#include "cli/race_options.h"

#include <map>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {

namespace {

double parse_confidence(const std::string& text) {
  const double confidence = parse_share(text);
  if (confidence > 0 && confidence < 1) return confidence;
  throw Error(ExitCode::usage, "must be above 0 and below 100 %, such as 95%");
}

}  // namespace

void RaceOptions::add_to(CLI::App& app) {
  constexpr OptionDetails kOfRace{.needs = "--race"};
  add_options(
      app,
      {{"--race", &race, "probe in rounds, and stop candidates that can no longer be best"},
       {"--confidence SHARE", parsed(confidence, parse_confidence, "95%"),
        "of a race: that no candidate is stopped wrongly, by the bounds of lapcast help race",
        kOfRace},
       {"--search-budget TIME|MONEY", parsed(search_budget, parse_search_budget),
        "end a race once its probes took this much together: 10m, 2.50USD; where machines are "
        "rented, the most that they may cost in all"},
       {"--by",
        &by,
        "what a race looks for: cost, time, or front (both, and the Pareto front between)",
        {.one_of = "front|cost|time", .needs = "--race"}},
       {"--same-epochs", &same_epochs,
        "race all batch sizes against each other, at equal numbers of epochs", kOfRace}},
      "Race");
}

RaceBudget parse_search_budget(const std::string& text) {
  const bool dollars = text.starts_with("$");
  const bool usd = text.ends_with("USD");
  RaceBudget budget;
  if (!dollars && !usd) {
    budget.time = parse_duration(text);
    if (budget.time->count() > 0) return budget;
  } else {
    budget.money = Money::parse(dollars ? text.substr(1) : text.substr(0, text.size() - 3));
    if (*budget.money > Money()) return budget;
  }
  throw Error(ExitCode::usage, "must be above 0, such as 10m or 2.50USD");
}

RaceRequest RaceOptions::order() const {
  static const std::map<std::string, RaceGoal> kGoals{
      {"front", RaceGoal::front}, {"cost", RaceGoal::cost}, {"time", RaceGoal::time}};
  RaceRequest order;
  order.goal = kGoals.at(by);
  order.confidence = confidence;
  order.budget = search_budget;
  order.same_epochs = same_epochs;
  return order;
}

}  // namespace lapcast
