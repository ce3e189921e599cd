#include "cli/rank_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "choose/queue_wait.h"
#include "cli/probe_options.h"
#include "core/units.h"

namespace lapcast {
namespace {

const CLI::Range kNumber(std::int64_t{1}, std::int64_t{1} << 40);

void add_plan_to(CLI::App& command, RequestedPlan& plan) {
  command.add_option("--samples", plan.training_samples, "training samples of one epoch")
      ->check(kNumber)
      ->type_name("N");
  command.add_option("--val-samples", plan.validation_samples, "samples of one validation")
      ->check(kNumber)
      ->type_name("N");
  command
      .add_option("--validate-every", plan.validate_every, "epochs from one validation to the next")
      ->check(kNumber)
      ->type_name("N");
  command
      .add_option("--validate-from", plan.validate_from,
                  "epoch after which the first validation comes")
      ->check(kNumber)
      ->type_name("N");
}

}  // namespace

void RankOptions::add_to(CLI::App& command) {
  selection.add_to(command);
  command.add_option("--epochs", epochs, "epochs to rank at, several: 5,10,20")
      ->delimiter(',')
      ->check(kNumber)
      ->type_name("N,N");
  add_plan_to(command, plan);
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
  command.add_flag("--same-epochs", same_epochs,
                   "rank different batch sizes together, at equal epochs");
  command.add_flag("--with-queue", with_queue,
                   "count the time that the first probe of each sweep waited in a cluster's queue");
  add_alone_to(command, alone);
}

Preferences RankOptions::preferences() const {
  static const std::map<std::string, Objective> kObjectives{
      {"cost", Objective::cost}, {"time", Objective::time}, {"score", Objective::score}};
  Preferences preferences;
  preferences.by = kObjectives.at(by);
  preferences.weight = weight;
  if (!deadline.empty()) preferences.deadline = parse_duration(deadline);
  if (!max_cost.empty())
    preferences.max_cost = of_option("--max-cost", [&] { return Money::parse(max_cost); });
  if (!min_accuracy.empty()) preferences.min_accuracy = parse_share(min_accuracy);
  return preferences;
}

std::vector<Candidate> candidates_at(const std::vector<const Run*>& probes, std::int64_t epochs,
                                     const RankOptions& options, const Selected& selected,
                                     RunForecaster& forecaster) {
  const LearnedBySettings& learned = selected.learned;
  const auto waits =
      options.with_queue ? queue_waits(selected.runs) : std::map<std::string, Seconds>{};
  std::vector<Candidate> candidates;
  for (const Run* run : probes) {
    const auto known = learned.find(run->context.settings);
    RequestedPlan asked = options.plan;
    asked.epochs = epochs;
    if (!options.same_epochs) asked = with_learned_epochs(asked, *run, learned);
    candidates.push_back(candidate_of(*run, forecaster.forecast(*run, asked)));
    if (const auto wait = waits.find(run->context.machine_type.name); wait != waits.end())
      candidates.back().wait_s = wait->second.count();
    if (known != learned.end()) candidates.back().accuracy = known->second.accuracy;
  }
  return candidates;
}

std::map<std::int64_t, std::vector<const Run*>> ranking_groups(const Selected& selected,
                                                               const RankOptions& options) {
  std::map<std::int64_t, std::vector<const Run*>> by_batch;
  bool all_learned = true;
  for (const Run& run : selected.probes) {
    by_batch[batch_size_of(run)].push_back(&run);
    const auto known = selected.learned.find(run.context.settings);
    all_learned = all_learned && known != selected.learned.end() && known->second.epochs > 0;
  }
  const bool together =
      by_batch.size() == 1 || options.same_epochs || (options.epochs.empty() && all_learned);
  if (!together) {
    if (const auto failed = by_batch.find(0); failed != by_batch.end()) {
      auto& last = by_batch.rbegin()->second;
      last.insert(last.end(), failed->second.begin(), failed->second.end());
      by_batch.erase(failed);
    }
    return by_batch;
  }
  std::map<std::int64_t, std::vector<const Run*>> one;
  for (const auto& [batch, probes] : by_batch)
    one[0].insert(one[0].end(), probes.begin(), probes.end());
  return one;
}

Winner winner_of(const Globals& globals, const RankOptions& options) {
  const Preferences preferences = options.preferences();
  const Selected selected = select(globals, options.selection);
  const auto groups = ranking_groups(selected, options);
  if (groups.size() > 1)
    throw Error(ExitCode::usage,
                "batch sizes are ranked apart, so there is not one winner: add "
                "--same-epochs, or probe with `lapcast sweep --find-epochs`");
  if (options.epochs.size() > 1)
    throw Error(ExitCode::usage,
                "several numbers of epochs have not one winner: give --epochs one");
  const std::vector<const Run*>& probes = groups.begin()->second;
  const Store store = globals.open_existing_store();
  RunForecaster forecaster = options.alone ? RunForecaster() : RunForecaster(store);
  const auto candidates = candidates_at(probes, options.epochs.empty() ? 0 : options.epochs[0],
                                        options, selected, forecaster);
  const Ranking ranking = rank(candidates, selected.offers, preferences);
  if (ranking.chosen.empty())
    throw Error(ExitCode::some_failed, "nothing could be ranked; lapcast rank says why");
  const Choice& first = ranking.chosen.front();
  const auto run = std::find_if(probes.begin(), probes.end(), [&](const Run* probe) {
    return probe->context.id == first.candidate->run_id;
  });
  return {**run, first, ranking.expected_regret};
}

}  // namespace lapcast
