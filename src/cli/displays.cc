#include "cli/displays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/console.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "machine/proc_text.h"
#include "price/quote.h"
#include "probe/run_warnings.h"
#include "run/run_cost.h"
#include "run/text_bytes.h"

namespace lapcast {

void tell_trouble(const Run& run, std::set<std::string>& told) {
  std::vector<std::string> warnings = run.warnings;
  const auto log = laps_of(run);
  warnings.insert(warnings.end(), log->notes.begin(), log->notes.end());
  for (const std::string& warning : warnings)
    if (told.insert(warning).second) say("warning: {}", printable(warning, 1000));
  if (has_laps(run.outcome) || std::holds_alternative<outcome::Interrupted>(run.outcome)) return;
  const std::string& text = run.standard_error.empty() ? run.standard_output : run.standard_error;
  const std::string lines = last_lines(text, 10);
  if (lines.empty()) return;
  say("the last lines of the program's {}:", run.standard_error.empty() ? "stdout" : "stderr");
  for (const std::string_view line : split(lines, '\n'))
    write_line_to_stderr("  | " + printable(line, 500));
}

void tell_trouble(const Run& run) {
  std::set<std::string> told;
  tell_trouble(run, told);
}

bool tell_of_others(const Run& run) {
  const std::vector<std::string> warnings = warnings_about_others(laps_of(run)->loads);
  for (const std::string& others : warnings)
    say("warning: {}: {}", candidate_name(run.context), others);
  return !warnings.empty();
}

void CampaignDisplay::start(const Stage& stage) {
  stage_ = stage;
  cheapest_.reset();
}

std::string CampaignDisplay::cost_text(const Run& probe, const Interval<Seconds>& time) {
  if (!probe.context.price || probe.context.price->price == HourlyPrice()) return "";
  const Result<Quote> bill = quote(*probe.context.price, time);
  if (!bill) return "";
  const Money cost = bill->total.mid;
  const std::pair key{cost, time.mid};  // as a ranking settles ties
  const bool is_cheapest = stage_.runs > 1 && (!cheapest_ || key < *cheapest_);
  if (is_cheapest) cheapest_ = key;
  return fmt::format(", {}{}", dollar_text(cost), is_cheapest ? ", cheapest so far" : "");
}

void CampaignDisplay::warn(const std::string& line) {
  line_.clear();
  lapcast::say("warning: {}", line);
}

void CampaignDisplay::show(const CampaignProgress& progress) {
  std::string text = fmt::format("{} {}/{}", stage_.what, progress.done, progress.total);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (progress.eta) text += fmt::format(", {} left", format_duration(*progress.eta));
  if (!progress.rent.empty())
    text += ", " + progress.rent;
  else if (spent_ > Money())
    text += fmt::format(", {} spent", dollar_text(spent_));

  std::vector<std::string> rows{text};
  for (const RunUnderWay& running : progress.running) {
    rows.push_back("  " + running.row());
    // A wait is reported even without a progress line: nothing else explains the silence.
    if (!running.waits) continue;
    std::string why = running.state;  // without the numbers, which keep changing
    std::erase_if(why, [](char c) { return c >= '0' && c <= '9'; });
    if (waits_said_.insert(running.name + why).second) line_.finished(running.row());
  }
  if (progress.running.size() == 1) rows = {text + "; " + progress.running.front().row()};
  line_.show(std::move(rows));
}

void CampaignDisplay::show_run(const Run& run) {
  ++stage_.done;
  std::string text = fmt::format("[{}/{}] {}{}{}: ", stage_.done,
                                 std::max(stage_.done, stage_.runs), stage_.subject,
                                 stage_.subject.empty() ? "" : " on ", candidate_name(run.context));
  const bool ended = std::holds_alternative<outcome::Ended>(run.outcome);
  if (run.context.kind == RunKind::full && !ended)
    text += describe(run.outcome);
  else if (run.context.kind == RunKind::full)
    text += fmt::format("ran to the end in {}", format_duration(run.wall()));
  else if (!stage_.forecast)
    text += fmt::format("{} laps in {}", laps_of(run)->laps.size(), format_duration(run.wall()));
  else if (const Assessment assessment = stage_.forecast(run); assessment.forecast)
    text +=
        fmt::format("{} laps in {}, forecast so far {}{}", assessment.profile->laps.size(),
                    format_duration(run.wall()), format_duration(assessment.forecast->total.mid),
                    cost_text(run, assessment.forecast->total));
  else
    text += assessment.forecast.error().text;
  if (const auto bill = cost_of_run(run, {})) spent_ = saturating_sum(spent_, *bill);
  line_.finished(text);
  tell_trouble(run, trouble_told_);
  told_of_others_ = told_of_others_ || tell_of_others(run);
}

}  // namespace lapcast
