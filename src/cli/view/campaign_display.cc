#include "cli/view/campaign_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "cli/console.h"
#include "cli/probe_options.h"
#include "core/units.h"
#include "fleet/candidates.h"

namespace lapcast {

void CampaignDisplay::start(const std::string& what, std::size_t runs, const std::string& subject) {
  what_ = what;
  subject_ = subject;
  total_ = runs;
  done_ = 0;
}

void CampaignDisplay::warn(const std::string& line) {
  line_.clear();
  lapcast::say("warning: {}", line);
}

void CampaignDisplay::show(const CampaignProgress& progress) {
  std::string text = fmt::format("{} {}/{}", what_, progress.done, progress.total);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (progress.eta) text += fmt::format(", {} left", format_duration(*progress.eta));
  std::vector<std::string> rows{text};
  for (const std::string& running : progress.running) {
    rows.push_back("  " + running);
    // Also where the progress line is not shown: nothing else would explain the silence.
    const bool waits = running.find(": waiting ") != std::string::npos;
    const std::string for_what = running.substr(0, running.find(": process "));
    if (waits && waits_said_.insert(for_what).second) line_.finished(running);
  }
  if (progress.running.size() == 1) rows = {text + "; " + progress.running.front()};
  line_.show(std::move(rows));
}

void CampaignDisplay::show_run(const Run& run, std::size_t number) {
  done_ = number > 0 ? number : done_ + 1;
  std::string text = fmt::format("[{}/{}] {}{}{}: ", done_, std::max(done_, total_), subject_,
                                 subject_.empty() ? "" : " on ", candidate_name(run.context));
  const bool ended = std::holds_alternative<outcome::Ended>(run.outcome);
  if (run.context.kind == RunKind::full && !ended)
    text += describe(run.outcome);
  else if (run.context.kind == RunKind::full)
    text += fmt::format("ran to the end in {}", format_duration(run.wall()));
  else if (!forecast_)
    text += fmt::format("{} laps in {}", laps_of(run).laps.size(), format_duration(run.wall()));
  else if (const Assessment assessment = forecast_(run); assessment.forecast)
    text +=
        fmt::format("{} laps in {}, forecast {}", assessment.profile->laps.size(),
                    format_duration(run.wall()), format_duration(assessment.forecast->total.mid));
  else
    text += assessment.forecast.error().text;
  line_.finished(text);
  tell_trouble(run);
}

}  // namespace lapcast
