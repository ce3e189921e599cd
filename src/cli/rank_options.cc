#include "cli/rank_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>

#include "cli/globals.h"
#include "cli/probe_options.h"
#include "cli/selection.h"
#include "core/units.h"

namespace lapcast {
void RankOptions::add_to(CLI::App& command) {
  add_selection_to(command, request.selection);
  command.add_option("--epochs", request.epochs, "epochs to rank at, several: 5,10,20")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->type_name("N,N");
  add_samples_to(command, request.plan);
  command.add_option("--by", by, "cost, time or score")
      ->check(CLI::IsMember({"cost", "time", "score"}))
      ->capture_default_str();
  command.add_option("--weight", weight, "weight of cost in the score, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--deadline", deadline, "leave out what takes longer, such as 2h")
      ->type_name("TIME");
  command.add_option("--max-cost", max_cost, "leave out what costs more")->type_name("USD");
  command
      .add_option("--min-accuracy", min_accuracy,
                  "leave out what reached less (known from --find-epochs and verify)")
      ->type_name("SHARE");
  command.add_flag("--same-epochs", request.same_epochs,
                   "rank different batch sizes together, at equal epochs");
  command.add_flag("--with-queue", request.with_queue,
                   "count the time that the first probe of each sweep waited in a cluster's queue");
  add_alone_to(command, request.alone);
}

RankRequest RankOptions::checked() const {
  static const std::map<std::string, Objective> kObjectives{
      {"cost", Objective::cost}, {"time", Objective::time}, {"score", Objective::score}};
  RankRequest result = request;
  Preferences& preferences = result.preferences;
  preferences.by = kObjectives.at(by);
  preferences.weight = weight;
  if (!deadline.empty()) preferences.deadline = parse_duration(deadline);
  if (!max_cost.empty())
    preferences.max_cost = of_option("--max-cost", [&] { return Money::parse(max_cost); });
  if (!min_accuracy.empty()) preferences.min_accuracy = parse_share(min_accuracy);
  return result;
}

}  // namespace lapcast
