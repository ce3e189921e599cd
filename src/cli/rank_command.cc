#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/rank_options.h"
#include "cli/skypilot_export.h"
#include "cli/sweep_fleet.h"
#include "cli/typed_command.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "report/ranking_report.h"

namespace lapcast {
namespace {

constexpr const char* kRankFooter = R"(
Examples:
  lapcast rank                                   the newest sweep, cheapest first
  lapcast rank --by time --max-cost 20
  lapcast rank --by score --weight 0.3           30 % cost, 70 % time
  lapcast rank --epochs 5,10,20                  does the winner change with the epochs?
  lapcast rank --deadline 2h --min-accuracy 95%
  lapcast rank --offers prices.csv --format csv
  lapcast rank --export skypilot > task.yaml     the winner, to be rented: sky launch task.yaml

Batch sizes need different numbers of epochs to the same accuracy. With `lapcast sweep
--find-epochs` each is ranked at its own number; without, batch sizes are ranked apart, unless
--same-epochs asks for a ranking at equal epochs.)";

/// What the probes cost, and what running every candidate would, whether it meets the wish or not.
SearchCost search_cost(const std::vector<const Run*>& probes,
                       const std::vector<Candidate>& candidates, const Selected& selected) {
  const Ranking ranking = rank(candidates, selected.offers, Preferences{});
  SearchCost cost;
  for (const Run& run : selected.runs) {
    const bool of_this_group = std::any_of(probes.begin(), probes.end(), [&](const Run* probe) {
      return candidate_name(probe->context) == candidate_name(run.context);
    });
    if (run.context.kind == RunKind::full || !of_this_group) continue;
    const auto price = cost_of_run(run, selected.offers);
    if (!price) continue;
    cost.probes = saturating_sum(cost.probes, *price);
    ++cost.probes_counted;
  }
  std::map<const Candidate*, Money> cheapest;  // of each candidate
  for (const Choice& choice : ranking.chosen) {
    const auto [entry, is_new] =
        cheapest.try_emplace(choice.candidate.get(), choice.quote.total.mid);
    if (!is_new) entry->second = std::min(entry->second, choice.quote.total.mid);
  }
  for (const auto& [candidate, amount] : cheapest)
    cost.everything = saturating_sum(cost.everything, amount);
  cost.candidates_counted = cheapest.size();
  return cost;
}

std::string title_of(const RankOptions& options, const std::string& group, std::int64_t epochs) {
  std::string title = options.by == "time"   ? "Fastest first"
                      : options.by == "cost" ? "Cheapest first"
                                             : "Best score first";
  if (epochs > 0) title += fmt::format(", {} epochs", epochs);
  return title + group;
}

/// A note below a ranking whose first choice came from a file; empty for any other.
std::string imported_note(const Ranking& ranking, const std::vector<const Run*>& probes) {
  if (ranking.chosen.empty()) return "";
  const std::string& id = ranking.chosen.front().candidate->run_id;
  const auto first = std::find_if(probes.begin(), probes.end(),
                                  [&](const Run* probe) { return probe->context.id == id; });
  if (first == probes.end() || !was_imported((*first)->context)) return "";
  return "the first was imported, and lapcast starts nothing of it; to measure it here: " +
         typed_command("lapcast probe --", (*first)->context);
}

/// Rankings of one group of probes that may be compared with each other, one for each number of
/// epochs asked for.
std::vector<Table> rank_group(const std::vector<const Run*>& probes, const std::string& group,
                              const RankOptions& options, const Selected& selected,
                              RunForecaster& forecaster, bool& any) {
  std::vector<Table> tables;
  for (const std::int64_t epochs :
       options.epochs.empty() ? std::vector<std::int64_t>{0} : options.epochs) {
    const auto candidates = candidates_at(probes, epochs, options, selected, forecaster);
    const Ranking ranking = rank(candidates, selected.offers, options.preferences());
    any = any || !ranking.chosen.empty();
    if (tables.empty() && options.epochs.size() > 1)
      tables.push_back(relative_table(ranking, options.epochs));
    const std::size_t shown = tables.size();
    for (Table& table : ranking_tables(title_of(options, group, epochs), ranking,
                                       search_cost(probes, candidates, selected)))
      tables.push_back(std::move(table));
    if (const std::string note = imported_note(ranking, probes); !note.empty())
      tables[shown].notes.push_back(note);
  }
  return tables;
}

struct RankArguments {
  RankOptions ranking;
  std::string exported;  // empty = the ranking itself is shown
};

ExitCode export_winner(const Globals& globals, const RankOptions& options) {
  const Winner winner = winner_of(globals, options);
  if (was_imported(winner.run.context))
    throw Error(
        ExitCode::some_failed,
        fmt::format("the winner is the imported run {}, whose program is written into no "
                    "task file; to measure it here first, type: {}",
                    winner.run.context.id, typed_command("lapcast probe --", winner.run.context)));
  const auto machine = FleetLookup(globals.open_existing_store()).machine_of(winner.run);
  write_to_stdout(skypilot_export(winner, machine ? &machine->site : nullptr));
  return ExitCode::ok;
}

ExitCode rank_command(const Globals& globals, const RankOptions& options) {
  options.preferences();  // checked before anything is read
  const Selected selected = select(globals, options.selection);
  const Store store = globals.open_existing_store();
  RunForecaster forecaster = options.alone ? RunForecaster() : RunForecaster(store);
  const auto groups = ranking_groups(selected, options);
  std::vector<Table> tables;
  bool any = false;
  for (const auto& [batch, probes] : groups) {
    const std::string group = groups.size() > 1 ? fmt::format(", batch size {}", batch) : "";
    for (Table& table : rank_group(probes, group, options, selected, forecaster, any))
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
  if (!any) say("nothing could be ranked; the reasons are above");
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_rank(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<RankArguments>();
  CLI::App* command =
      app.add_subcommand("rank", "rank the probed candidates by cost, time or both");
  options->ranking.add_to(*command);
  command->add_option("--export", options->exported, "print the winner as a task file: skypilot")
      ->check(CLI::IsMember({"skypilot"}))
      ->type_name("skypilot");
  command->footer(kRankFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] {
                return options->exported.empty() ? rank_command(globals, options->ranking)
                                                 : export_winner(globals, options->ranking);
              },
              false};
  });
}

}  // namespace lapcast
