#include "cli/view/watch_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "choose/assessment.h"
#include "core/units.h"
#include "price/quote.h"

namespace lapcast {
namespace {

std::string where_text(const ProbeProgress& progress) {
  std::string text;
  if (progress.epoch > 0 && progress.planned_epochs > 0)
    text = fmt::format("epoch {}/{}, ", progress.epoch, progress.planned_epochs);
  else if (progress.epoch > 0)
    text = fmt::format("epoch {}, ", progress.epoch);
  if (progress.laps_per_second > 0)
    text += fmt::format("{:.3g} laps/s, ", progress.laps_per_second);
  return text;
}

std::string left_text(const ProbeProgress& progress) {
  if (!progress.total) return format_duration(progress.elapsed) + " so far";
  const auto left = [&](Seconds total) {
    return format_duration(std::max(Seconds{0}, total - progress.elapsed));
  };
  return fmt::format("{} left ({} to {})", left(progress.total->mid), left(progress.total->low),
                     left(progress.total->high));
}

std::string money_text(const ProbeProgress& progress, const Offer& offer) {
  const auto now = quote(offer, Interval<Seconds>::exactly(progress.elapsed));
  if (!now) return "";
  const std::string so_far = rounded_decimal(now->total.mid);
  const auto whole = progress.total ? quote(offer, *progress.total) : because("not known yet");
  if (!whole) return fmt::format(", {} USD", so_far);
  const Interval<Money>& all = whole->total;
  return fmt::format(", {} of {} USD ({} to {})", so_far, rounded_decimal(all.mid),
                     rounded_decimal(all.low), rounded_decimal(all.high));
}

}  // namespace

std::string watch_line(const ProbeProgress& progress, const std::optional<Offer>& offer) {
  std::string text = where_text(progress) + left_text(progress);
  if (offer) text += money_text(progress, *offer);
  if (!progress.state.empty()) text += "; " + progress.state;
  return text;
}

std::string watch_words(const Run& run) {
  const std::size_t laps = laps_of(run).laps.size();
  std::string text = fmt::format("{} after {}", describe(run.outcome), format_duration(run.wall()));
  if (laps > 0) text += fmt::format(", {} laps", laps);
  if (const auto cost = cost_of_run(run, {}))
    text += fmt::format(", {} USD", rounded_decimal(*cost));
  return text;
}

std::string watch_summary(const Run& run) {
  return watch_words(run) + "; lapcast show " + run.context.id;
}

ExitCode exit_code_of(const Run& run) {
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return ExitCode::interrupted;
  if (run.stop_sent_ns) return ExitCode::over_limit;
  // A program that has done its work has done it, whether it reported laps or not.
  const bool ended = std::holds_alternative<outcome::Ended>(run.outcome) ||
                     std::holds_alternative<outcome::NoLaps>(run.outcome);
  return ended ? ExitCode::ok : ExitCode::program_failed;
}

bool PlainLines::is_due(Seconds elapsed) {
  if (elapsed < next_) return false;
  next_ = std::max(elapsed + Seconds{10}, elapsed * 1.25);
  return true;
}

}  // namespace lapcast
