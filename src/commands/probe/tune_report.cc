#include "commands/probe/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "report/answer.h"
#include "report/cells.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

/// Returns the share of a run's CPU time that it spent in the kernel.
std::optional<double> kernel_share(const TuneRow& row) {
  if (!row.race.run) return std::nullopt;
  const Usage& usage = row.race.run->usage;
  const Seconds all = usage.user + usage.system;
  if (!(all.count() > 0)) return std::nullopt;
  return usage.system / all;
}

std::optional<double> faults_per_second(const TuneRow& row) {
  if (!row.race.run || !(row.race.run->wall().count() > 0)) return std::nullopt;
  return static_cast<double>(row.race.run->usage.minor_faults) / row.race.run->wall().count();
}

std::string state_of(const TuneRow& row) {
  switch (row.race.standing.state) {
    case RaceState::waiting:
      return "not started";
    case RaceState::failed:
      return "failed";
    case RaceState::open:
      return "not decided";
    case RaceState::out:
      return "out";
    default:
      return "measured";
  }
}

std::string reason_of(const TuneRow& row) {
  return row.race.standing.state == RaceState::failed ? row.race.standing.reason : "";
}

std::vector<ColumnOf<TuneRow>> tune_columns() {
  const auto number = [](auto value) {
    return [value](const TuneRow& row) {
      const std::optional<double> known = value(row);
      return known ? Cell(Number{*known, -1}) : Cell();
    };
  };
  const auto of_loss = [](auto member) {
    return [member](const TuneRow& row) {
      return row.loss ? Cell(Number{(*row.loss).*member, -1}) : Cell();
    };
  };
  return {
      {"settings", "", [](auto& r) { return Settings{r.settings}; }},
      {"", "settings", [](auto& r) { return r.settings.empty() ? "default" : r.settings; }},
      {"state", "state", state_of, spare(4)},
      {"time_ratio", "time over default's", [](auto& r) { return r.ratio; }, kBounds},
      {"chance_fastest", "P(best)", [](auto& r) { return Chance{r.chance_fastest}; }},
      {"laps", "laps", [](auto& r) { return r.race.standing.observed.laps; }, spare(3)},
      {"kernel_share", "in kernel", [](auto& r) { return share_cell(kernel_share(r)); }, spare(2)},
      {"faults_per_second", "page faults/s", number(faults_per_second), spare(2)},
      {"loss", "loss", of_loss(&ComparedLoss::value), kOptional},
      {"base_loss", "default's", of_loss(&ComparedLoss::base), kOptional},
      {"loss_laps", "at lap", [](auto& r) { return cell_if(r.loss, &ComparedLoss::laps); },
       kOptional},
      {"reason", "reason", [](auto& r) { return text_cell(reason_of(r)); }, kOptional},
      {"run", "run", [](auto& r) { return r.race.run ? Cell(r.race.run->context.id) : Cell(); },
       spare(1)}};
}

std::string ratio_text(const Interval<double>& ratio) {
  if (std::isinf(ratio.high)) return fmt::format("{:.2f}x", ratio.mid);
  return fmt::format("{:.2f}x ({:.2f}-{:.2f})", ratio.mid, ratio.low, ratio.high);
}

const TuneRow* row_of_settings(std::span<const TuneRow> rows, const std::string& settings) {
  const auto found = std::ranges::find(rows, settings, &TuneRow::settings);
  return found == rows.end() ? nullptr : &*found;
}

/// Returns the share of a combination's time in the kernel as text; empty if it is not known.
std::string kernel_text(const TuneRow* row) {
  if (row == nullptr || !kernel_share(*row) || !faults_per_second(*row)) return "";
  return fmt::format("{} of the CPU time in the kernel, {:.0f} page faults a second",
                     format_share(*kernel_share(*row)), *faults_per_second(*row));
}

std::string on_machine(const TuneFigures& figures) {
  return figures.machine.empty() ? "" : " on " + printable(figures.machine);
}

std::vector<std::string> answer_of_verdict(const TuneFigures& figures) {
  const TuneVerdict& verdict = figures.verdict;
  const std::string name = text_of_settings(verdict.chosen);
  std::vector<std::string> lines;
  if (figures.rows.front().race.standing.state == RaceState::failed)
    return {"nothing is compared: the program failed without any setting"};
  if (verdict.is_sure())
    lines.push_back(fmt::format("TUNED  {}{}: {} the default's time, by {} pairs of runs in turn",
                                printable(name), on_machine(figures), ratio_text(*verdict.ratio),
                                verdict.pairs));
  else if (verdict.chosen.empty())
    lines.push_back(
        fmt::format("no setting is surely faster than the default{}", on_machine(figures)));
  else
    lines.push_back(fmt::format("no setting is surely faster than the default{}; {} looked so: {}",
                                on_machine(figures), printable(name),
                                verdict.ratio ? ratio_text(*verdict.ratio) + " in runs in turn"
                                              : "not known, " + verdict.why_not_known));
  if (const std::string own = kernel_text(row_of_settings(figures.rows, "")); !own.empty())
    lines.push_back("default  " + own);
  if (!verdict.is_sure()) return lines;
  if (const std::string own = kernel_text(row_of_settings(figures.rows, name)); !own.empty())
    lines.push_back("tuned    " + own);
  for (const TuneSetting& setting : verdict.chosen)
    if (!setting.in_program.empty()) lines.push_back("in the program: " + setting.in_program);
  return lines;
}

/// Returns the variables of a verdict as they are typed before a command.
std::string variables_of(const TuneVerdict& verdict) {
  std::string text;
  for (const auto& [name, value] : environment_of(verdict.chosen))
    if (name != kHookVariable)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, masked_value(name, value));
  return text;
}

Table verdict_table(const TuneFigures& figures) {
  const TuneVerdict& verdict = figures.verdict;
  const auto share = figures.default_time && figures.default_time->count() > 0
                         ? Cell(Percentage{figures.spent.time / *figures.default_time})
                         : Cell();
  return figure_table(
      "tuned", "Tuned",
      {{"settings", "", Settings{text_of_settings(verdict.chosen)}},
       {"", "settings", text_cell(text_of_settings(verdict.chosen))},
       {"machine_type", "machine", text_cell(figures.machine)},
       {"environment", "environment", text_cell(variables_of(verdict))},
       {"time_ratio", "time over default's", cell_of(verdict.ratio), "95 %, runs in turn"},
       {"pairs", "pairs of runs", cell_of(verdict.pairs)},
       {"is_sure", "", verdict.is_sure()},
       {"default_time_s", "time with the default", cell_of(figures.default_time),
        figures.assumed_steps > 0 ? fmt::format("of {} iterations", figures.assumed_steps)
                                  : "of the whole training, by forecast"},
       {"gpu_busy_share", "GPU busy with the default", share_cell(figures.gpu_busy)},
       {"search_s", "the search took", figures.spent.time},
       {"search_cost_usd", "at a cost of",
        figures.spent.cost > Money() ? Cell(figures.spent.cost) : Cell()},
       {"search_share", "of one training with the default", share}});
}

}  // namespace

std::vector<Table> tune_tables(const TuneFigures& figures) {
  std::vector<Table> tables{
      table_of("tuning", "Settings that keep the results", tune_columns(), figures.rows)};
  tables.front().answer = answer_of_verdict(figures);
  if (!figures.gpu_note.empty()) tables.front().notes.push_back(figures.gpu_note);
  if (figures.assumed_steps > 0)
    tables.front().notes.push_back(
        fmt::format("how long the program trains is not known (--epochs): its times are of {} "
                    "iterations",
                    figures.assumed_steps));
  if (figures.budget_spent)
    tables.front().notes.push_back(
        "the search budget is spent; the same command with a larger one goes on");
  if (!figures.changing.empty()) {
    tables.push_back(table_of("tuning_changing", "Settings that change the results", tune_columns(),
                              figures.changing));
    const auto is_compared = [](const TuneRow& row) { return row.loss.has_value(); };
    const bool compared = std::ranges::any_of(figures.changing, is_compared);
    tables.back().notes.push_back(
        compared ? "a loss after a few laps says nothing of the accuracy in the end: train to the "
                   "end before you use one"
                 : "losses are not compared: the program reports none; train to the end before you "
                   "use one");
  }
  tables.push_back(verdict_table(figures));
  return tables;
}

}  // namespace lapcast
