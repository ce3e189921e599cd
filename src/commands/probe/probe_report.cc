#include "commands/probe/probe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "extrapolate/length_line.h"
#include "forecast/effect.h"
#include "forecast/memory_use.h"
#include "history/known_time.h"
#include "price/offer_filter.h"
#include "report/answer.h"
#include "report/cells.h"
#include "report/plan_text.h"
#include "report/run_figures.h"
#include "report/run_report.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

constexpr double kWorthSaying = 0.05;  // of the run: effects below it are for `show`

std::string parts_text(const Forecast& forecast) {
  std::vector<std::pair<double, std::string_view>> shares;
  for (const ForecastPart& part : shown_parts(forecast)) {
    const double share = part.time.mid / forecast.total.mid;
    if (share >= 0.01) shares.emplace_back(-share, facts_of(part.kind).name);
  }
  std::ranges::sort(shares);
  std::string text;
  for (const auto& [share, name] : shares)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_share(-share));
  return text;
}

std::string speed_text(const LapProfile& profile, IntervalForm form) {
  std::string text = fmt::format("{} a lap", for_people(profile.steady.mean, form));
  if (const double rate = profile.steady.samples_per_second.mid; rate > 0)
    text += fmt::format(", {:.{}f} samples a second", rate, rate < 10 ? 1 : 0);
  return text;
}

bool lacks_validations(const Forecast& forecast) {
  return std::ranges::any_of(forecast.parts, [](const ForecastPart& part) {
    return part.kind == PartKind::validation && part.provenance == Provenance::not_seen;
  });
}

std::vector<std::string> reasons_of(const Run& run, const Assessment& assessment,
                                    IntervalForm form) {
  const LapProfile& profile = *assessment.profile;
  const Forecast& forecast = *assessment.forecast;
  std::vector<std::string> lines{labelled("Goes into", parts_text(forecast)),
                                 labelled("Speed", speed_text(profile, form))};
  for (const Effect& effect : profile.effects)
    if (effect.share >= kWorthSaying) lines.push_back(labelled("Note", effect.what));
  for (const std::string& note : profile.notes) lines.push_back(labelled("Note", note));
  const auto log = laps_of(run);
  const std::vector<MeteredMemory> memory = memory_of(run, *log);
  for (const MeteredMemory& each : memory) lines.push_back(labelled("Memory", describe(each)));
  for (const std::string& warning : memory_warnings(memory))
    lines.push_back(labelled("Note", warning));
  for (const std::string& warning : sequence_warnings(sequence_needs(log->sequences, memory)))
    lines.push_back(labelled("Note", warning));
  if (!profile.idle_gpus.empty()) lines.push_back(labelled("Note", profile.idle_gpus));
  if (const std::string note = workers_note(run, assessment); !note.empty())
    lines.push_back(labelled("Note", note));
  if (lacks_validations(forecast))
    lines.push_back(labelled("Note", "no validation was seen yet: later ones would add to this"));
  lines.push_back(labelled(
      "Trust",
      fmt::format("{}{} laps; runs differ by {} among themselves{}",
                  known_time(run, assessment) ? "seen to its end, " : "95 % intervals, from ",
                  profile.laps.size(), format_share(forecast.spread_between_runs),
                  forecast.record.empty() ? "" : "; " + forecast.record)));
  if (const std::string& from = assessment.plan->from; !from.empty())
    lines.push_back(
        labelled("Plan", fmt::format("{}: from {}; --epochs N or --steps N says otherwise",
                                     plan_text(*assessment.plan), from)));
  return lines;
}

/// Returns a line with time and cost for each of some lengths of the training.
std::vector<std::string> lengths_of(
    const Run& run, const std::function<Assessment(const TrainingPlan&)>& forecast) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& length, const TrainingPlan& plan) {
    const Assessment assessment = forecast(plan);
    if (!assessment.forecast) return false;
    const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
    const auto* const bounds = std::get_if<Interval<Money>>(&cost.cell);
    lines.push_back(fmt::format("{:<17} {}{}", length,
                                format_duration(assessment.forecast->total.mid),
                                bounds == nullptr ? "" : "  " + for_people(bounds->mid)));
    return true;
  };
  const bool has_epochs = add("1 epoch", {.epochs = 1});
  for (const std::int64_t n : {10, 100})
    if (has_epochs) add(fmt::format("{} epochs", n), {.epochs = n});
  for (const std::int64_t n : {1000, 10'000, 100'000})
    if (!has_epochs) add(fmt::format("{} iterations", n), {.steps = n});
  if (!lines.empty())
    lines.push_back(fmt::format("How long is it? lapcast show {} {} N (nothing is run again)",
                                run.context.id, has_epochs ? "--epochs" : "--steps"));
  return lines;
}

/// Returns a line where the price is that of an accelerator which the run's machine does not have.
std::optional<std::string> note_on_price(const Run& run) {
  const auto& price = run.context.price;
  if (!price || price->accelerator.empty()) return std::nullopt;
  const auto& own = run.context.machine.accelerators;
  const bool has_it = std::ranges::any_of(own, [&](const Accelerator& each) {
    return holds(each.model, price->accelerator) || holds(price->accelerator, each.model);
  });
  if (has_it) return std::nullopt;
  return fmt::format(
      "the price is that of a machine with {} {}; this one has {}: the time there is another one, "
      "and so is the cost",
      std::max(1, price->accelerator_count), price->accelerator,
      own.empty() ? "no accelerator" : printable(own.front().model));
}

}  // namespace

Table probe_answer(const Run& run, const Assessment& assessment, bool ascii,
                   const std::function<Assessment(const TrainingPlan&)>& forecast) {
  Table table;
  const bool is_failed = !has_laps(run.outcome);
  if (assessment.forecast || !is_failed) {
    table.answer = answer_of(run, assessment);
  } else {
    // The command prints the full reason of a failure on stderr.
    table.answer = {"no forecast: " + failure_in_words(run.outcome)};
  }
  if (assessment.forecast)
    table.before =
        reasons_of(run, assessment, ascii ? IntervalForm::in_letters : IntervalForm::percent);
  else if (assessment.profile)
    table.before = lengths_of(run, forecast);
  const std::string outcome =
      outcome_as_judged_now(run, assessment.profile ? &*assessment.profile : nullptr);
  if (auto note = note_on_price(run)) table.notes.push_back(*std::move(note));
  table.notes.push_back(fmt::format("run {0}{1}; details: lapcast show {0}", run.context.id,
                                    is_failed ? "" : ": " + outcome));
  if (is_failed && !assessment.forecast) table.notes.push_back(next_after_failure(run.outcome));
  return table;
}

}  // namespace lapcast
