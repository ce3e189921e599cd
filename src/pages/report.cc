#include "pages/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "campaign/verify.h"
#include "core/units.h"
#include "history/assessment.h"
#include "pages/report_origin.h"
#include "pages/report_parts.h"
#include "posix/on_all_cpus.h"
#include "query/forecast_run.h"
#include "query/rank_tables.h"
#include "query/run_set.h"
#include "query/stored_race.h"
#include "report/comparison_report.h"
#include "report/energy_report.h"
#include "report/explanation_report.h"
#include "report/page.h"
#include "report/run_document.h"
#include "report/verify_report.h"
#include "run/run_cost.h"
#include "run/secrets.h"
#include "table/table.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the runs of both compared sets, without duplicates.
SelectedRuns compared_runs(const Store& store, const ReportRequest& request) {
  SelectedRuns selected;
  std::set<std::string> known;
  for (const std::string& set : request.compared)
    for (Run& run : runs_named(store, set))
      if (known.insert(run.context.id).second) selected.runs.push_back(std::move(run));
  selected.offers = offers_of(selected.runs);
  return selected;
}

/// Returns the sweep that measured all of these runs, if there is one.
std::optional<Sweep> sweep_of(const Store& store, const std::vector<Run>& runs) {
  if (runs.empty() || runs.front().context.sweep.empty()) return std::nullopt;
  const std::string& id = runs.front().context.sweep;
  const auto is_its = [&](const Run& run) {
    return run.context.sweep == id && !was_imported(run.context);
  };
  return std::ranges::all_of(runs, is_its) ? store.find_sweep(id) : std::nullopt;
}

/// Returns the runs of the request. A selection that is the name of a sweep selects that sweep.
SelectedRuns selected_by(const Store& store, const ReportRequest& request) {
  RunSelection selection = request.ranking.selection;
  const bool is_free = selection.named.empty() && selection.sweep.empty() && !selection.all;
  if (is_free && !request.compared.empty()) return compared_runs(store, request);
  const auto sweep = selection.named.empty() ? std::nullopt : store.find_sweep(selection.named);
  if (sweep) {
    selection.sweep = sweep->id;
    selection.named.clear();
  }
  SelectedRuns selected = runs_of(store, selection);
  if (!selected.sweep) selected.sweep = sweep_of(store, selected.runs);
  return selected;
}

/// Maps host names to the user's names of machines: pages show a machine type instead of a host.
std::map<std::string, std::string> names_of_hosts(const std::vector<Run>& runs) {
  std::map<std::string, std::string> names;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (context.machine.host.empty()) continue;
    names.emplace(context.machine.host,
                  context.place.empty() ? "this machine" : context.machine_type.name);
  }
  return names;
}

/// Returns the lines of the bill of each choice.
Json bills_of(const RankResult& result) {
  Json bills = Json::array();
  for (std::size_t i = 0; i < result.rankings.size(); ++i) {
    const Ranking& ranking = result.rankings[i].ranking;
    for (std::size_t rank = 0; ranking.is_priced && rank < ranking.chosen.size(); ++rank) {
      const Quote& quote = ranking.chosen[rank].quote;
      Json lines = Json::array();
      for (const QuoteLine& line : quote.lines)
        lines.push_back({{"what", to_string(line.item)}, {"usd", line.amount.dollars()}});
      bills.push_back({{"ranking", i + 1},
                       {"rank", rank + 1},
                       {"lines", std::move(lines)},
                       {"total_usd", quote.total.mid.dollars()}});
    }
  }
  return bills;
}

/// Returns the lines that `rank` prints first; those of each ranking below its title where there
/// are several.
Json answer_in(const std::vector<Table>& tables) {
  Json lines = Json::array();
  const auto has_answer = [](const Table& table) { return !table.answer.empty(); };
  const bool several = std::ranges::count_if(tables, has_answer) > 1;
  for (const Table& table : tables) {
    if (several && has_answer(table)) lines.push_back(table.title);
    for (const std::string& line : table.answer) lines.push_back(line);
  }
  return lines;
}

/// Returns "train, 6 runs", or the sweep's name. Without runs there are only heartbeats.
std::string title_of_report(const SelectedRuns& selected) {
  std::set<std::string> programs;
  for (const Run& run : selected.runs)
    if (const auto& program = run.context.program; !program.empty())
      programs.insert(program[0].substr(program[0].rfind('/') + 1));
  if (selected.sweep && !selected.sweep->name.empty()) return selected.sweep->name;
  const std::size_t count = selected.runs.size();
  if (count == 0) return "How long machines last";
  return fmt::format("{}{}{}", programs.size() == 1 ? *programs.begin() : "",
                     programs.size() == 1 ? ", " : "", counted(count, "run"));
}

/// Makes the parts of a report, which share the selection and the forecaster.
class ReportMaker {
 public:
  ReportMaker(const Store& store, const ReportRequest& request)
      : store_(store),
        request_(request),
        selected_(selected_by(store, request)),
        redaction_(request.detail, request.home, names_of_hosts(selected_.runs)),
        forecaster_(request.ranking.alone ? RunForecaster() : RunForecaster(store)) {
    if (selected_.runs.empty() && request.heartbeats.empty())
      throw Error(ExitCode::some_failed,
                  "there are no runs to report; lapcast probe, sweep or watch makes some");
    forecaster_.wish(request.ranking.conditions);
  }

  Report make() {
    report_.runs = selected_.runs.size();
    report_.warnings = selected_.warnings;
    add("schema", kJsonSchema);
    add("kind", "report");
    add("title", request_.title.empty() ? title_of_report(selected_) : masked_text(request_.title));
    add("made",
        {{"at", request_.made_at}, {"lapcast", request_.version}, {"command", request_.command}});
    add_ranking();
    add_verified();
    add_race();
    if (!request_.compared.empty()) add_comparison();
    for (const PagePart& part : request_.parts)
      if (auto made = part.make(store_, selected_.runs)) add(part.key, *std::move(made));
    if (Json repeats = repeats_part(selected_.runs, selected_.offers); !repeats.empty())
      add("repeats", std::move(repeats));
    if (request_.goal)
      if (auto epochs = epochs_part(store_, selected_.runs, *request_.goal))
        add("epochs", *std::move(epochs));
    if (!request_.heartbeats.empty()) add("soak", soak_part(request_.heartbeats));
    add("machines", machines_part(selected_.runs));
    add("prices", prices_part(selected_.offers));
    if (request_.detail != Detail::redacted) add("repeat", commands_part(selected_));
    add("method", method_part());
    add_runs();
    if (!plotly_licence().empty())
      document_["licences"] = Json::array(
          {Json{{"name", "Plotly's JavaScript (MIT)"}, {"text", std::string(plotly_licence())}}});
    report_.document = document_.dump(-1, ' ', false, Json::error_handler_t::replace);
    return std::move(report_);
  }

 private:
  void add(const char* key, Json value) {
    redaction_.apply(value, key);
    document_[key] = std::move(value);
  }

  void add_ranking() {
    if (selected_.probes.empty()) return;
    RankResult result = rank_selected(
        std::move(selected_), request_.ranking,
        [&](const Run& run, const TrainingPlan& plan) { return *forecast(run, plan); });
    std::vector<Table> tables = rank_tables(result, request_.ranking);
    if (Json answer = answer_in(tables); !answer.empty()) add("answer", std::move(answer));
    add_tables_of_choices(tables, result);
    add("rank", json_of(std::move(tables), "rank"));
    if (Json bills = bills_of(result); !bills.empty()) add("bills", std::move(bills));
    report_.is_ranked = std::ranges::any_of(
        result.rankings, [](const RankedRuns& ranked) { return !ranked.ranking.chosen.empty(); });
    selected_ = std::move(result.selected);
  }

  /// Adds to the tables of each ranking what `rank` shows only with options, and the costs by
  /// deadline.
  void add_tables_of_choices(std::vector<Table>& tables, const RankResult& result) {
    const Preferences& wanted = request_.ranking.preferences;
    for (std::size_t i = 0; i < result.rankings.size(); ++i) {
      const Ranking& ranking = result.rankings[i].ranking;
      const auto add = [&](Table table) {
        add_first_column(table, {"ranking", ""}, static_cast<std::int64_t>(i) + 1);
        tables.push_back(std::move(table));
      };
      add(explanation_table(ranking));
      add(deadline_table(ranking, wanted));
      const auto has_energy = [](const Choice& choice) { return choice.energy != nullptr; };
      if (!ranking.with_energy && std::ranges::any_of(ranking.chosen, has_energy))
        add(energy_table(ranking));
    }
  }

  void add_verified() {
    const auto is_real = [](const Run& run) {
      return run.context.kind == RunKind::full && !was_imported(run.context);
    };
    if (selected_.probes.empty() || std::ranges::none_of(selected_.runs, is_real)) return;
    const VerifyResult result = verified_so_far(store_, selected_);
    if (!result.rows.empty())
      add("verify", json_of(verify_tables(result.rows, result.bill), "verify"));
  }

  void add_race() {
    const auto order = selected_.sweep ? race_of(*selected_.sweep) : std::nullopt;
    if (!order || selected_.probes.empty()) return;
    Json race = json_of(
        stored_race_tables(*order, selected_.runs,
                           [&](const Run& run) {
                             return *forecast(run, with_learned_epochs({}, run, selected_.learned));
                           }),
        "sweep");
    race["timeline"] = race_timeline(selected_.runs);
    add("race", std::move(race));
  }

  void add_comparison() {
    const auto& names = request_.compared;
    const RunMetric& metric = request_.metric;
    std::vector<std::vector<Run>> runs;
    for (const std::string& name : names) runs.push_back(runs_named(store_, name));
    const ComparedSet a = compared_set(names[0], runs[0], metric);
    const ComparedSet b = compared_set(names[1], runs[1], metric);
    const Comparison comparison = compare(a.values.values, b.values.values, metric);
    Json compared = json_of(comparison_tables(a, b, metric, comparison), "compare");
    compared["metric"] = metric.name;
    compared["unit"] = metric.unit;
    compared["values"] = Json::array();
    for (std::size_t set = 0; set < runs.size(); ++set)
      for (const Run& run : runs[set])
        if (const auto value = value_of(run, metric))
          compared["values"].push_back(
              {{"set", set == 0 ? "A" : "B"}, {"run", run.context.id}, {"value", *value}});
    add("compare", std::move(compared));
  }

  /// Adds all runs, in parallel on all CPUs.
  void add_runs() {
    std::vector<Run>& runs = selected_.runs;
    std::vector<Json> documents(runs.size());
    on_all_cpus(
        runs.size(),
        [&](std::size_t i) {
          const auto assessment = forecast(runs[i], request_.ranking.plan);
          documents[i] = document_of(masked(std::move(runs[i])), *assessment);
        },
        request_.threads);
    document_["runs"] = std::move(documents);
  }

  Json document_of(const Run& run, const Assessment& assessment) const {
    Json document = run_document(run, assessment, redaction_);
    if (request_.detail == Detail::full)
      document["environment"] = run.context.machine_type.environment;
    return document;
  }

  /// Returns the forecast of a run, which is cached: most parts ask for the same plan. Thread-safe.
  std::shared_ptr<const Assessment> forecast(const Run& run, const TrainingPlan& plan) {
    {
      const std::lock_guard lock(mutex_);
      const auto made = made_.find(run.context.id);
      if (made != made_.end() && made->second.plan == plan) return made->second.assessment;
    }
    const auto assessment = std::make_shared<const Assessment>(forecaster_.forecast(run, plan));
    const std::lock_guard lock(mutex_);
    made_[run.context.id] = {plan, assessment};
    return assessment;
  }

  struct Made {
    TrainingPlan plan;
    std::shared_ptr<const Assessment> assessment;
  };

  const Store& store_;
  const ReportRequest& request_;
  SelectedRuns selected_;
  Redaction redaction_;
  RunForecaster forecaster_;
  std::mutex mutex_;                  // guards the members below
  std::map<std::string, Made> made_;  // by run
  Json document_;
  Report report_;
};

}  // namespace

Report make_report(const Store& store, const ReportRequest& request) {
  return ReportMaker(store, request).make();
}

}  // namespace lapcast
