#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/commands.h"
#include "cli/earlier_runs.h"
#include "cli/selection.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "report/ranking_report.h"

namespace lapcast {
namespace {

constexpr const char* kFooter = R"(
Examples:
  lapcast rank                                   the newest sweep, cheapest first
  lapcast rank --by time --max-cost 20
  lapcast rank --by score --weight 0.3           30 % cost, 70 % time
  lapcast rank --epochs 5,10,20                  does the winner change with the epochs?
  lapcast rank --deadline 2h --min-accuracy 95%
  lapcast rank --offers prices.csv --format csv

Batch sizes need different numbers of epochs to the same accuracy. With `lapcast sweep
--find-epochs` each is ranked at its own number; without, batch sizes are ranked apart, unless
--same-epochs asks for a ranking at equal epochs.)";

struct Options {
  Selection selection;
  std::vector<std::int64_t> epochs;
  RequestedPlan plan;  // without the epochs
  std::string by = "cost";
  double weight = 0.5;
  std::string deadline, max_cost, min_accuracy;
  bool same_epochs = false;
  bool with_queue = false;
  EarlierRuns earlier;
};

Wish wish_of(const Options& options) {
  static const std::map<std::string, Objective> kObjectives{
      {"cost", Objective::cost}, {"time", Objective::time}, {"score", Objective::score}};
  Wish wish;
  wish.by = kObjectives.at(options.by);
  wish.weight = options.weight;
  if (!options.deadline.empty()) wish.deadline = parse_duration(options.deadline);
  if (!options.max_cost.empty()) wish.max_cost = of_option("--max-cost", [&] { return Money::parse(options.max_cost); });
  if (!options.min_accuracy.empty()) wish.min_accuracy = parse_share(options.min_accuracy);
  return wish;
}

/// What runs on a machine waited in its cluster's queue, on average.
double mean_queue_s(const std::vector<Run>& runs, const std::string& machine) {
  double sum = 0;
  double count = 0;
  for (const Run& run : runs) {
    if (run.context.machine_type.name != machine || run.context.place.empty()) continue;
    sum += preparation_time(run, "queue").count();
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The probes as candidates, trained for that many epochs; 0 = as learned, else as planned.
std::vector<Candidate> candidates_at(const std::vector<const Run*>& probes, std::int64_t epochs,
                                     const Options& options, const Selected& selected,
                                     const TrackRecord& record) {
  const LearnedBySettings& learned = selected.learned;
  std::vector<Candidate> candidates;
  for (const Run* run : probes) {
    const auto known = learned.find(run->context.settings);
    RequestedPlan asked = options.plan;
    asked.epochs = epochs;
    const bool own = !options.same_epochs && known != learned.end() && known->second.epochs > 0;
    if (epochs == 0 && own) asked.epochs = known->second.epochs;
    Assessment assessment = assess(
        *run, asked, 0, options.earlier.alone ? std::span<const Donor>{} : selected.donors);
    const Seen seen = seen_of(assessment);
    assessment = with_track_record(std::move(assessment), *run, seen, record);
    candidates.push_back(candidate_of(*run, assessment));
    if (options.with_queue)
      candidates.back().wait_s = mean_queue_s(selected.runs, run->context.machine_type.name);
    if (known != learned.end()) candidates.back().accuracy = known->second.accuracy;
  }
  return candidates;
}

/// What the probes cost, and what running every candidate would, whether it meets the wish or not.
SearchCost search_cost(const std::vector<const Run*>& probes,
                       const std::vector<Candidate>& candidates, const Selected& selected) {
  const Ranking ranking = rank(candidates, selected.offers, Wish{});
  SearchCost cost;
  for (const Run& run : selected.runs) {
    const bool of_this_group = std::any_of(probes.begin(), probes.end(), [&](const Run* probe) {
      return candidate_name(probe->context) == candidate_name(run.context);
    });
    if (run.context.kind == RunKind::full || !of_this_group) continue;
    const auto price = cost_of_run(run, selected.offers);
    if (!price) continue;
    cost.probes += *price;
    ++cost.probes_counted;
  }
  std::map<std::size_t, Money> cheapest;  // of each candidate
  for (const Choice& choice : ranking.chosen) {
    const auto [entry, is_new] = cheapest.try_emplace(choice.candidate, choice.quote.total.mid);
    if (!is_new) entry->second = std::min(entry->second, choice.quote.total.mid);
  }
  for (const auto& [candidate, amount] : cheapest) cost.everything += amount;
  cost.candidates_counted = cheapest.size();
  return cost;
}

std::string title_of(const Options& options, const std::string& group, std::int64_t epochs) {
  std::string title = options.by == "time"   ? "Fastest first"
                      : options.by == "cost" ? "Cheapest first"
                                             : "Best score first";
  if (epochs > 0) title += fmt::format(", {} epochs", epochs);
  return title + group;
}

/// Rankings of one group of probes that may be compared with each other, one for each number of
/// epochs asked for.
std::vector<Table> rank_group(const std::vector<const Run*>& probes, const std::string& group,
                              const Options& options, const Selected& selected,
                              const TrackRecord& record, bool& any) {
  std::vector<Table> tables;
  for (const std::int64_t epochs :
       options.epochs.empty() ? std::vector<std::int64_t>{0} : options.epochs) {
    const auto candidates = candidates_at(probes, epochs, options, selected, record);
    const Ranking ranking = rank(candidates, selected.offers, wish_of(options));
    any = any || !ranking.chosen.empty();
    if (tables.empty() && options.epochs.size() > 1)
      tables.push_back(relative_table(ranking, candidates, selected.offers, options.epochs));
    for (Table& table :
         ranking_tables(title_of(options, group, epochs), ranking, candidates, selected.offers,
                        search_cost(probes, candidates, selected)))
      tables.push_back(std::move(table));
  }
  return tables;
}

/// Probes that may stand in one ranking: all of them, or those of one batch size.
std::map<std::int64_t, std::vector<const Run*>> groups_of(const Selected& selected,
                                                          const Options& options) {
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

ExitCode rank_command(const Globals& globals, const Options& options) {
  wish_of(options);  // checked before anything is read
  const Selected selected = select(globals, options.selection);
  std::vector<const Run*> ranked;
  for (const Run& run : selected.probes) ranked.push_back(&run);
  const TrackRecord record = options.earlier.of(globals.open_existing_store(), ranked);
  const auto groups = groups_of(selected, options);
  std::vector<Table> tables;
  bool any = false;
  for (const auto& [batch, probes] : groups) {
    const std::string group = groups.size() > 1 ? fmt::format(", batch size {}", batch) : "";
    for (Table& table : rank_group(probes, group, options, selected, record, any))
      tables.push_back(std::move(table));
  }
  if (groups.size() > 1)
    tables.back().notes.push_back(
        "batch sizes are ranked apart: they need different numbers of epochs to the same accuracy; "
        "`lapcast sweep --find-epochs` learns them, --same-epochs compares at equal epochs");
  else if (options.same_epochs)
    tables.back().notes.push_back(
        "all batch sizes at equal epochs, as asked: their accuracies may differ");
  print(globals, tables);
  if (!any) fmt::print(stderr, "lapcast: nothing could be ranked; the reasons are above\n");
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_rank(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("rank", "rank the probed candidates by cost, time or both");
  options->selection.add_to(*command);
  const auto number = CLI::Range(std::int64_t{1}, std::int64_t{1} << 40);
  command->add_option("--epochs", options->epochs, "epochs to rank at, several: 5,10,20")
      ->delimiter(',')
      ->check(number)
      ->type_name("N,N");
  command->add_option("--samples", options->plan.training_samples, "training samples of one epoch")
      ->check(number)
      ->type_name("N");
  command->add_option("--val-samples", options->plan.validation_samples,
                      "samples of one validation")
      ->check(number)
      ->type_name("N");
  command->add_option("--validate-every", options->plan.validate_every,
                      "epochs from one validation to the next")
      ->check(number)
      ->type_name("N");
  command->add_option("--validate-from", options->plan.validate_from,
                      "epoch after which the first validation comes")
      ->check(number)
      ->type_name("N");
  command->add_option("--by", options->by, "cost, time or score")
      ->check(CLI::IsMember({"cost", "time", "score"}))
      ->capture_default_str();
  command->add_option("--weight", options->weight, "weight of cost in the score, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--deadline", options->deadline, "leave out what takes longer, such as 2h")
      ->type_name("TIME");
  command->add_option("--max-cost", options->max_cost, "leave out what costs more")
      ->type_name("USD");
  command
      ->add_option("--min-accuracy", options->min_accuracy,
                   "leave out what reached less (known from --find-epochs and verify)")
      ->type_name("SHARE");
  command->add_flag("--same-epochs", options->same_epochs,
                    "rank different batch sizes together, at equal epochs");
  command->add_flag("--with-queue", options->with_queue,
                    "count the time that probes waited in a cluster's queue (mean by machine)");
  options->earlier.add_to(*command);
  command->footer(kFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return rank_command(globals, *options); }, false};
  });
}

}  // namespace lapcast
