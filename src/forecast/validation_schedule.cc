#include "forecast/validation_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kLeastWithin = 3;  // two within epochs may have been asked for

constexpr double kFullShare = 0.95;

/// Returns how many laps came since the last of these validations.
double laps_since(const LapLog& log, const ValidationSpan& last) {
  return static_cast<double>(std::ssize(log.laps) - last.laps_before);
}

/// Holds how many laps lie between validations.
struct Spacing {
  double usual = 0;  // 0 = too few were observed
  double least = 0;  // where `usual` is a guess
};

/// Returns the spacing of full validations within epochs. In a first epoch that has not ended few
/// are enough, unless they may have been asked for. The first may have come at step 0, so that a
/// single one says no more than the laps since: then the guess lies between these and an epoch.
Spacing spacing_within_epochs(const LapLog& log, ValidationSpans full, bool in_first_epoch,
                              double laps_per_epoch) {
  std::erase_if(full, [](const ValidationSpan& validation) { return !validation.within_epoch; });
  const bool is_asked = log.plan && log.plan->answers_requests != 0;
  if (full.size() < kLeastWithin && (full.empty() || !in_first_epoch || is_asked)) return {};
  const auto first = static_cast<double>(full.front().laps_before);
  const auto last = static_cast<double>(full.back().laps_before);
  if (full.size() >= kLeastWithin) return {(last - first) / static_cast<double>(full.size() - 1)};
  const double quiet = laps_since(log, full.back()) + 1;
  if (full.size() > 1) return {std::max(last - first, quiet)};
  if (first >= quiet) return {first, first};
  return {std::sqrt(quiet * std::max(quiet, laps_per_epoch)), quiet};
}

/// Returns the epochs after which the run went on, so that a validation at their end is in the log.
std::int64_t epochs_gone_past(const LapLog& log) {
  return std::ranges::count_if(log.epochs, [&log](const EpochSpan& epoch) {
    const bool went_on = std::ssize(log.laps) > epoch.first_lap + epoch.laps;
    return epoch.ended && (went_on || log.said_bye);
  });
}

/// Returns the numbers of epochs of this run after which validations came, distinct and ascending.
std::vector<std::int64_t> epochs_before(const LapLog& log, const ValidationSpans& full) {
  std::vector<std::int64_t> epochs;
  for (const ValidationSpan& validation : full) {
    const auto later = std::ranges::partition_point(log.epochs, [&](const EpochSpan& epoch) {
      return epoch.ended && epoch.first_lap + epoch.laps <= validation.laps_before;
    });
    const auto over = std::max<std::int64_t>(1, later - log.epochs.begin());
    if (epochs.empty() || epochs.back() != over) epochs.push_back(over);
  }
  return epochs;
}

double usual_gap(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < numbers.size(); ++i) gaps.push_back(numbers[i] - numbers[i - 1]);
  return static_cast<double>(upper_median(std::move(gaps)));
}

ValidationSchedule of_epochs(const std::vector<std::int64_t>& epochs, std::int64_t gone_past) {
  ValidationSchedule schedule{.observed = true};
  schedule.first = static_cast<double>(epochs.front());
  if (epochs.size() > 1) {
    schedule.every = usual_gap(epochs);
  } else {
    const std::int64_t without = std::max<std::int64_t>(0, gone_past - epochs.front());
    schedule.every = static_cast<double>(std::max(epochs.front(), without + 1));
    schedule.least_every = static_cast<double>(without + 1);
  }
  return schedule;
}

/// Returns the schedule in laps. A single validation may remain the only one, but later ones are at
/// least as far apart as it was from the start, and as the laps since.
ValidationSchedule of_laps(const LapLog& log, const ValidationSpans& full) {
  std::vector<std::int64_t> laps;  // each number once, ascending
  for (const ValidationSpan& each : full)
    if (laps.empty() || each.laps_before > laps.back()) laps.push_back(each.laps_before);
  if (laps.back() == 0) return {.in_laps = true, .quiet_for = std::ssize(log.laps)};
  ValidationSchedule schedule{.in_laps = true, .observed = true};
  schedule.first = static_cast<double>(laps.front() > 0 ? laps.front() : laps[1]);
  schedule.every = laps.size() > 1 ? usual_gap(laps)
                                   : std::max(schedule.first, laps_since(log, full.back()) + 1);
  if (laps.size() == 1) schedule.least_every = schedule.every;
  return schedule;
}

/// Returns the first of the numbers first, first + every ... above `done`, counted from there.
double first_after(double first, double every, std::int64_t done) {
  const double rest = first - static_cast<double>(done);
  return rest > 0 || every <= 0 ? std::max(rest, 1.0)
                                : rest + every * (std::floor(-rest / every) + 1);
}

double count_at(double first, double every, double epochs) {
  return epochs < first ? 0 : std::floor((epochs - first) / every + 1e-9) + 1;
}

/// Returns the schedule that the program announced, corrected by what was observed.
std::optional<ValidationSchedule> announced(const LapLog& log, const ValidationSpans& full,
                                            std::int64_t gone_past) {
  if (!log.plan || log.plan->validate_every <= 0) return std::nullopt;
  const std::vector<std::int64_t> seen = epochs_before(log, full);
  if (seen.size() > 1) return std::nullopt;
  const std::int64_t from =
      log.plan->validate_from > 0 ? log.plan->validate_from : log.plan->validate_every;
  const std::int64_t before = log.epochs.empty() ? 0 : log.epochs.front().epoch - 1;
  const double due =
      first_after(static_cast<double>(from), static_cast<double>(log.plan->validate_every), before);
  const double first = seen.empty() ? std::max(due, static_cast<double>(gone_past + 1))
                                    : static_cast<double>(seen.front());
  return ValidationSchedule{
      .first = first, .every = static_cast<double>(log.plan->validate_every), .observed = true};
}

}  // namespace

ValidationSchedule schedule_of(const LapLog& log, std::int64_t samples, double laps_per_epoch) {
  const ValidationSpans spans = validations_after_first_lap(log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  const ValidationSpans full = full_validations(spans, wanted);
  const std::int64_t through = epochs_gone_past(log);
  if (laps_per_epoch <= 0 && through == 0) {
    const ValidationSpans all = full_validations(log.validations, wanted);
    const bool counts_laps = log.epochs.empty()
                                 ? !all.empty()
                                 : std::ranges::any_of(full, &ValidationSpan::within_epoch);
    if (counts_laps) return of_laps(log, all);
  }
  const auto [spacing, least] = spacing_within_epochs(log, full, through == 0, laps_per_epoch);
  if (spacing > 0 && laps_per_epoch > spacing) {
    ValidationSchedule schedule = evenly_spread(laps_per_epoch / spacing);
    schedule.least_every = least / laps_per_epoch;
    return schedule;
  }
  if (const auto schedule = announced(log, full, through)) return *schedule;
  if (full.empty()) return {.quiet_for = through};
  if (through < 2) return {};
  return of_epochs(epochs_before(log, full), through);
}

ValidationSchedule evenly_spread(double per_epoch) {
  const double every = per_epoch > 0 ? 1 / per_epoch : std::numeric_limits<double>::infinity();
  return {.first = every, .every = every, .observed = true};
}

ValidationSchedule with_declared(const ValidationSchedule& observed, std::int64_t every,
                                 std::int64_t from, std::int64_t done) {
  if (every <= 0 && from <= 0) return observed;
  ValidationSchedule schedule{.in_laps = observed.in_laps, .observed = true};
  const bool knows_first = observed.observed && observed.every >= 1;
  schedule.every = every > 0 ? static_cast<double>(every) : knows_first ? observed.every : 1;
  schedule.first = from > 0 ? static_cast<double>(from) : schedule.every;
  if (from <= 0 && knows_first)
    schedule.first = observed.first;
  else
    schedule.first = first_after(schedule.first, schedule.every, done);
  return schedule;
}

Interval<double> validations_in(const ValidationSchedule& schedule, double epochs) {
  if (schedule.is_quiet()) {
    const double quiet = static_cast<double>(schedule.quiet_for);
    const double mid = epochs > quiet ? 1 : 0;  // at the end, if no sooner
    return {0, mid, std::max(mid, std::floor(epochs / (quiet + 1)))};
  }
  if (schedule.every < 1) {
    const double mid = epochs / schedule.every;
    if (schedule.least_every == 0) return Interval<double>::exactly(mid);
    return {std::min(1.0, mid), mid, epochs / schedule.least_every};
  }
  const double mid = count_at(schedule.first, schedule.every, epochs);
  if (schedule.least_every == 0 || mid == 0) return Interval<double>::exactly(mid);
  return {1, mid, count_at(schedule.first, schedule.least_every, epochs)};
}

std::string describe(const ValidationSchedule& schedule) {
  if (schedule.every < 1) return fmt::format("about {:.3g} times an epoch", 1 / schedule.every);
  const char* const unit = schedule.in_laps ? "lap" : "epoch";
  std::string text = fmt::format("after every {}", unit);
  if (schedule.every >= 2) text = fmt::format("after every {:.0f} {}s", schedule.every, unit);
  if (schedule.first != schedule.every)
    text += fmt::format(", the first after {} {:.0f}", unit, schedule.first);
  return text;
}

ValidationSpans validations_after_first_lap(const LapLog& log) {
  ValidationSpans spans = log.validations;
  std::erase_if(spans, [](const ValidationSpan& span) { return span.laps_before <= 0; });
  return spans;
}

std::int64_t most_samples(const ValidationSpans& spans) {
  std::int64_t most = 0;
  for (const ValidationSpan& span : spans) most = std::max(most, span.samples);
  return most;
}

ValidationSpans full_validations(ValidationSpans spans, std::int64_t samples) {
  const double least = kFullShare * static_cast<double>(samples);
  std::erase_if(spans, [least](const ValidationSpan& span) {
    return span.samples != 0 && static_cast<double>(span.samples) < least;
  });
  return spans;
}

}  // namespace lapcast
