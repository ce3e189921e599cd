#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "app/forecast_run.h"
#include "choose/real_time.h"
#include "cli/view/campaign_display.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/measuring_lock.h"
#include "cli/probe_options.h"
#include "cli/program_change.h"
#include "cli/selection.h"
#include "cli/sweep_fleet.h"
#include "cli/typed_command.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/housekeeping.h"
#include "forecast/early_stopping.h"
#include "probe/ids_and_time.h"
#include "report/verify_report.h"

namespace lapcast {
namespace {

constexpr const char* kVerifyFooter = R"(
Examples:
  lapcast verify                   run the cheapest and the fastest candidate to the end
  lapcast verify --top 3
  lapcast verify --all             every candidate: then the regret is exact

The program runs with the same arguments as in its probe, to its own end; so forecast and real time
are those of the program's own plan, whatever --epochs or --samples the probe was asked for. After
`lapcast sweep --find-epochs` both are taken at the number of epochs that each setting needs. What
was run to the end before is not run again, unless --again asks for it. Imported runs are left out:
the command to type is printed instead.)";

struct VerifyArguments {
  Selection selection;
  ProbeOptions probe;
  std::size_t top = 1;
  bool all = false;
  bool again = false;
  std::string fleet_file;
};

/// A probed candidate with its forecast, and its run to the end once there is one.
struct Subject {
  const Run* probe = nullptr;
  Assessment assessment;
  std::optional<Quote> quote;
  std::string no_quote;  // why its forecast cannot be priced
  const Run* full = nullptr;
};

/// Forecasts what a run to the end can show: the learned number of epochs, else the program's own
/// plan, and only where the program reports none, what the probe was asked for.
Assessment forecast_to_the_end(const Run& probe, const LearnedBySettings& learned,
                               RunForecaster& forecaster) {
  Run by_itself = probe;
  by_itself.context.plan = {};
  Assessment own = forecaster.forecast(by_itself, with_learned_epochs({}, probe, learned));
  return own.forecast ? own : forecaster.forecast(probe, with_learned_epochs({}, probe, learned));
}

/// Takes the runs out that were imported: nothing of them is run, or counts as run. Returns a line
/// for each candidate that goes, with the command to type.
std::vector<std::string> leave_out_imported(Selected& selected) {
  constexpr std::size_t kMostLines = 10;
  const auto imported = [](const Run& run) { return was_imported(run.context); };
  std::vector<std::string> lines;
  for (const Run& probe : selected.probes) {
    if (!imported(probe)) continue;
    lines.push_back(fmt::format("{} was imported and is not run; to measure it here: {}",
                                printable(candidate_name(probe.context)),
                                typed_command("lapcast probe --", probe.context)));
  }
  if (lines.size() > kMostLines) {
    const std::size_t more = lines.size() - kMostLines;
    lines.resize(kMostLines);
    lines.push_back(fmt::format("{} more were imported and are not run", more));
  }
  std::erase_if(selected.probes, imported);
  std::erase_if(selected.runs, imported);
  selected.learned = learned_epochs(selected.runs);
  return lines;
}

std::vector<Subject> subjects_of(const Selected& selected, RunForecaster& forecaster) {
  std::vector<Subject> subjects;
  for (const Run& probe : selected.probes) {
    Subject subject{&probe, forecast_to_the_end(probe, selected.learned, forecaster), std::nullopt,
                    "", nullptr};
    if (!subject.assessment.forecast) continue;
    if (const Offer* offer = offer_of(probe, selected.offers)) {
      if (auto bill = quote(*offer, subject.assessment.forecast->total))
        subject.quote = *bill;
      else
        subject.no_quote = bill.error().text;
    }
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

void attach_full_runs(std::vector<Subject>& subjects, const std::vector<Run>& runs,
                      bool only_successful) {
  using Candidate = std::pair<std::string, std::vector<std::string>>;
  const auto candidate = [](const RunContext& context) {
    return Candidate{candidate_name(context), context.program};
  };
  std::map<Candidate, const Run*> newest;
  for (const Run& run : runs) {
    const bool ended = std::holds_alternative<outcome::Ended>(run.outcome);
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (run.context.kind != RunKind::full || interrupted || (only_successful && !ended)) continue;
    const Run*& entry = newest[candidate(run.context)];
    if (entry == nullptr || entry->context.started_at <= run.context.started_at) entry = &run;
  }
  for (Subject& subject : subjects) {
    const auto found = newest.find(candidate(subject.probe->context));
    subject.full = found == newest.end() ? nullptr : found->second;
  }
}

/// The first N by forecast cost and the first N by forecast time.
std::set<const Run*> wanted(const std::vector<Subject>& subjects, const VerifyArguments& options) {
  std::set<const Run*> result;
  std::vector<const Subject*> order;
  for (const Subject& subject : subjects) order.push_back(&subject);
  const auto take = [&](auto before) {
    std::stable_sort(order.begin(), order.end(), before);
    const std::size_t count = options.all ? order.size() : std::min(options.top, order.size());
    for (std::size_t i = 0; i < count; ++i) result.insert(order[i]->probe);
  };
  take([](const Subject* a, const Subject* b) {
    return a->assessment.forecast->total.mid < b->assessment.forecast->total.mid;
  });
  take([](const Subject* a, const Subject* b) {
    if (!a->quote || !b->quote) return a->quote.has_value() && !b->quote.has_value();
    return a->quote->total.mid < b->quote->total.mid;
  });
  return result;
}

std::vector<ProbeRequest> requests_for(const std::vector<Subject>& subjects,
                                       const VerifyArguments& options, FleetLookup fleets) {
  const std::set<const Run*> chosen = wanted(subjects, options);
  std::vector<ProbeRequest> requests;
  for (const Subject& subject : subjects) {
    if (!chosen.contains(subject.probe) || (subject.full != nullptr && !options.again)) continue;
    RunContext context = subject.probe->context;
    context.id = new_id();
    context.kind = RunKind::full;
    context.start = StartKind::warm;  // its probe ran before
    ProbeRequest request = options.probe.request(std::move(context));
    request.limits.to_the_end = true;
    request.site = fleets.site_of(*subject.probe);
    requests.push_back(std::move(request));
  }
  std::mt19937_64 generator(random_seed());
  std::shuffle(requests.begin(), requests.end(), generator);
  return requests;
}

VerifiedForecast row_of(const Subject& subject, const std::vector<Offer>& offers) {
  const RunContext& context = subject.probe->context;
  VerifiedForecast row{.machine_type = context.machine_type.name,
                       .settings = settings_text(context),
                       .epochs = subject.assessment.plan->epochs,
                       .forecast = subject.assessment.forecast->total};
  if (subject.quote) row.forecast_cost = subject.quote->total;
  if (!subject.no_quote.empty()) row.reason = "no forecast cost: " + subject.no_quote;
  if (const Offer* offer = offer_of(*subject.probe, offers))
    row.price_per_hour = offer->price.per_hour;
  if (subject.full == nullptr) return row;
  if (!std::holds_alternative<outcome::Ended>(subject.full->outcome)) {
    row.reason = describe(subject.full->outcome);
    return row;
  }
  row.real = real_time(*subject.full, row.epochs);
  if (const auto cost = cost_of_time(*subject.full, *row.real, offers)) row.real_cost = *cost;
  if (const auto best = best_metric(laps_of(*subject.full), "val_accuracy"))
    row.accuracy = best->value;
  return row;
}

ProbeBill bill_of(const Selected& selected) {
  ProbeBill bill;
  for (const Run& run : selected.runs) {
    if (run.context.kind == RunKind::full) continue;
    if (const auto cost = cost_of_run(run, selected.offers)) {
      bill.total = saturating_sum(bill.total, *cost);
      ++bill.probes;
    }
  }
  return bill;
}

/// The selection with the sweep that is the newest now, which may be another one after a wait.
Selection fixed(const Globals& globals, Selection selection) {
  const Store store = globals.open_existing_store();
  if (selection.sweep.empty())
    if (const auto newest = store.newest_sweep()) selection.sweep = newest->id;
  return selection;
}

ExitCode verify(const Globals& globals, const VerifyArguments& options) {
  const Selection selection = fixed(globals, options.selection);
  Store store = globals.open_store();
  Interrupt interrupt;
  CampaignDisplay display(globals.quiet);
  const auto lock =
      lock_measuring(store, "verify " + selection.sweep, "these candidates", display, interrupt);
  if (!lock) throw Error(ExitCode::interrupted, "interrupted; nothing was started");
  Selected selected = select(globals, selection);
  const std::vector<std::string> left_out = leave_out_imported(selected);
  RunForecaster forecaster(store);
  std::vector<Subject> subjects = subjects_of(selected, forecaster);
  if (subjects.empty() && !left_out.empty())
    throw Error(ExitCode::some_failed, "nothing that was imported is run: " + left_out.front());
  if (subjects.empty())
    throw Error(ExitCode::some_failed, "no probe has a forecast to verify; see lapcast rank");
  attach_full_runs(subjects, selected.runs, true);
  warn_if_program_changed(store, selected.probes);
  const std::vector<ProbeRequest> requests =
      requests_for(subjects, options, FleetLookup(store, options.fleet_file));
  remove_stale_run_folders_and_cgroups(options.probe.run_parent);
  WorkerExecutor executor(interrupt);
  remove_leftovers(store, executor);
  display.start("running to the end", requests.size());
  const CampaignResult result =
      run_campaign(requests, executor, store, interrupt, display.listener());
  display.end();

  Selected after = select(globals, selection);
  leave_out_imported(after);
  attach_full_runs(subjects, after.runs, false);
  std::vector<VerifiedForecast> rows;
  for (const Subject& subject : subjects) rows.push_back(row_of(subject, after.offers));
  std::vector<Table> tables = verify_tables(rows, bill_of(selected));
  tables.front().notes.insert(tables.front().notes.end(), left_out.begin(), left_out.end());
  print(globals, tables);
  if (result.interrupted) {
    say("interrupted; the same command goes on where it was");
    return ExitCode::interrupted;
  }
  return result.failed > 0 ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_verify(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<VerifyArguments>();
  CLI::App* command =
      app.add_subcommand("verify", "run candidates to the end and compare with their forecasts");
  command->add_option("--sweep", options->selection.sweep, "a sweep by its id [the newest]")
      ->type_name("ID");
  auto* top = command
                  ->add_option("--top", options->top,
                               "run the first so many by forecast cost and by forecast time")
                  ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
                  ->type_name("N")
                  ->capture_default_str();
  command->add_flag("--all", options->all, "run every candidate")->excludes(top);
  command->add_flag("--again", options->again, "also those that were run to the end before");
  command
      ->add_option("--fleet", options->fleet_file,
                   "where machines elsewhere stand [the sweep's own fleet file]")
      ->type_name("FLEET.toml");
  command->add_option("--offers", options->selection.offer_files, "catalog of prices")
      ->type_name("FILE.csv")
      ->take_all();
  options->probe.add_limits_to(*command);
  command->footer(kVerifyFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return verify(globals, *options); }, false};
  });
}

}  // namespace lapcast
