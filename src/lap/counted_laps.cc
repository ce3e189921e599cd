#include "lap/counted_laps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lap/lap_log.h"
#include "lap/lap_log_format.h"
#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

std::int64_t ns_of(double seconds) {
  constexpr double kLongest = 1e5;  // seconds of a lap
  return to_ns(Seconds{std::min(seconds, kLongest)});
}

}  // namespace

std::string CountedLaps::take(const LineCounters& line, std::int64_t at_ns) {
  if (line.epoch) line_epoch_ = line.epoch;
  if (!line.step && !line.epoch) {
    tell_laps(1, {told_ns_, at_ns}, line);
    return told();
  }
  if (line.is_validation && !first_ && !last_) return told();
  if (is_of_validation(line) && !line.is_validation && is_the_training(at_ns)) begin_anew(at_ns);
  if (line.step && !std::exchange(counts_steps_, true)) {
    first_.reset();
    last_.reset();
  }
  tell_plan(line, at_ns);
  if (counts_steps_ && !line.step) return told();
  if (is_of_validation(line)) {
    if (!validation_) validation_ = Stretch{at_ns, at_ns};
    validation_->end_ns = at_ns;
    return told();
  }
  if (!first_ && !last_) {
    begin_counting(line);
    first_ = mark_of(line, at_ns);
    counted_epoch_ = line_epoch_;
    return told();
  }
  const Mark mark = mark_of(line, at_ns);
  if (first_ && mark.done == first_->done && !begins_epoch(mark)) return told();
  if (first_) take_first(mark);
  if (counts_steps_)
    take_step(mark);
  else
    take_epoch(mark);
  return told();
}

std::string CountedLaps::finish(std::int64_t at_ns, bool by_itself) {
  if (first_) last_ = std::exchange(first_, std::nullopt);
  if (last_ && by_itself && tells_begin_) {
    Mark end = *last_;
    end.at_ns = at_ns;
    ++end.done;
    take_epoch(end);
  }
  if (is_open_ && (by_itself || lacking_steps() == 0)) end_epoch(told_ns_);
  tell_validation();
  if (assumes_first_)
    tell(told_ns_, "note " + lap_log_note("the first lap is assumed to be as long as the next one: "
                                          "its line does not say how long it took, and it may have "
                                          "compiled"));
  if (by_itself) tell(at_ns, "bye");
  intervals_ = kFewestIntervals;
  return told();
}

CountedLaps::Mark CountedLaps::mark_of(const LineCounters& line, std::int64_t at_ns) const {
  return {line, at_ns, (counts_steps_ ? *line.step : *line.epoch) + shift_};
}

/// Learns from the first line what its number says of the work: "Epoch 1/5" alone comes before that
/// epoch, one with a loss after it; a number 0 with a loss is that of the first step.
void CountedLaps::begin_counting(const LineCounters& line) {
  const std::int64_t number = counts_steps_ ? *line.step : *line.epoch;
  tells_begin_ = !counts_steps_ && !line.has_fraction && number <= 1;
  if (tells_begin_)
    shift_ = -number;
  else
    shift_ = number == 0 && !line.is_bar && line.has_fraction ? 1 : 0;
  epoch_shift_ = line_epoch_ == 0 ? 1 : 0;
}

bool CountedLaps::is_of_validation(const LineCounters& line) const {
  const Mark* const training = last_ ? &*last_ : first_ ? &*first_ : nullptr;
  return counts_steps_ && training != nullptr &&
         (line.is_validation ||
          (line.steps && training->line.steps && *line.steps != *training->line.steps));
}

/// Returns whether what was taken for a validation has lasted so long that it must be the training,
/// and the counter before it one of preparations.
bool CountedLaps::is_the_training(std::int64_t at_ns) const {
  const Mark& before = last_ ? *last_ : *first_;
  return validation_ && at_ns - validation_->begin_ns > 2 * (before.at_ns - begun_ns_);
}

void CountedLaps::begin_anew(std::int64_t at_ns) {
  end_epoch(told_ns_);
  tell(std::min(at_ns, validation_->begin_ns), "phase training");
  first_.reset();
  last_.reset();
  validation_.reset();
  epoch_ = 0;
}

/// Returns whether an epoch began between the last line and this one.
bool CountedLaps::begins_epoch(const Mark& mark) const {
  const Mark& before = first_ ? *first_ : *last_;
  return mark.done < before.done || line_epoch_ != counted_epoch_;
}

/// Returns how many steps the epoch of the last line lacks; 0 where that is not known.
std::int64_t CountedLaps::lacking_steps() const {
  const Mark& mark = first_ ? *first_ : *last_;
  return mark.line.steps ? std::max<std::int64_t>(0, *mark.line.steps - mark.done) : 0;
}

/// Reports the laps before the first line, if the counter began at 0.
void CountedLaps::take_first(const Mark& next) {
  const Mark first = *first_;
  const bool resets = counts_steps_ && begins_epoch(next) && next.done <= first.done;
  const std::int64_t growth = (resets ? lacking_steps() : -first.done) + next.done;
  first_.reset();
  last_ = first;
  begun_ns_ = first.at_ns;
  if (growth <= 0) return;
  const std::int64_t each_ns =
      first.line.seconds ? ns_of(*first.line.seconds) : (next.at_ns - first.at_ns) / growth;
  const std::int64_t before = first.done <= std::min(growth, kMostAtOnce) ? first.done : 0;
  const bool tells_time = !counts_steps_ && before == 1 && first.line.line_seconds &&
                          ns_of(*first.line.line_seconds) <= first.at_ns;
  const std::int64_t length_ns = tells_time ? ns_of(*first.line.line_seconds) : before * each_ns;
  const std::int64_t begin_ns = std::max<std::int64_t>(0, first.at_ns - length_ns);
  assumes_first_ = before > 0 && !tells_time && !first.line.seconds;
  begun_ns_ = begin_ns;
  lap_ns_ = each_ns;
  if (!counts_steps_) {
    Mark begin = first;
    begin.at_ns = begin_ns;
    begin.done -= before;
    last_ = begin;
    take_epoch(first);
    return;
  }
  if (first.line.is_bar || line_epoch_ || begins_epoch(next)) begin_epoch(first.line, begin_ns);
  tell_laps(before, {begin_ns, first.at_ns}, first.line);
}

void CountedLaps::take_step(const Mark& mark) {
  const Mark before = *last_;
  if (!begins_epoch(mark) || mark.done > before.done) {
    if (begins_epoch(mark)) {  // its counter goes on through all epochs
      counts_through_ = true;
      end_epoch(std::max(told_ns_, before.at_ns));
      begin_epoch(mark.line, told_ns_);
    }
    tell_validation();
    tell_laps(mark.done - before.done, {std::max(before.at_ns, told_ns_), mark.at_ns}, mark.line);
  } else {
    const std::int64_t lacks = lacking_steps();
    const std::int64_t in_both = std::max<std::int64_t>(1, lacks + mark.done);
    const std::int64_t end_ns = validation_
                                    ? validation_->begin_ns
                                    : before.at_ns + (mark.at_ns - before.at_ns) / in_both * lacks;
    tell_laps(lacks, {before.at_ns, end_ns}, before.line);
    end_epoch(std::max(told_ns_, before.at_ns));
    tell_validation();
    const std::int64_t done = std::min(mark.done, kMostAtOnce);
    begin_epoch(mark.line, std::max(told_ns_, mark.at_ns - done * lap_ns_));
    tell_laps(mark.done, {told_ns_, mark.at_ns}, mark.line);
  }
  counted_epoch_ = line_epoch_;
  last_ = mark;
}

/// Reports the epochs up to a line, each as a lap. The second line of an epoch says nothing new.
void CountedLaps::take_epoch(const Mark& mark) {
  const Mark before = *last_;
  const std::int64_t count = mark.done - before.done;
  if (count == 0) return;
  last_ = mark;
  if (count < 0 || count > kMostAtOnce) return;
  const std::int64_t each_ns = (mark.at_ns - before.at_ns) / count;
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::int64_t end_ns = i == count ? mark.at_ns : before.at_ns + i * each_ns;
    epoch_ = std::clamp<std::int64_t>(before.done + i, 1, kMaxEpoch);
    tell(before.at_ns + (i - 1) * each_ns, fmt::format("epoch-begin {}", epoch_));
    tell(end_ns, i == count ? "i 0" : "i 0 shared=1");
    tell(end_ns, fmt::format("epoch-end {}", epoch_));
  }
  shares_ |= count > 1;
  ++intervals_;
}

void CountedLaps::tell_plan(const LineCounters& line, std::int64_t at_ns) {
  TrainingPlan plan;
  plan.epochs = line.epochs.value_or(0);
  if (!counts_steps_) plan.iterations_per_epoch = plan.epochs > 0 ? 1 : 0;
  if (line.step && line.steps && !is_of_validation(line)) {
    const bool is_of_epoch = !counts_through_ && (line.is_bar || line_epoch_ || epoch_ > 0);
    (is_of_epoch ? plan.iterations_per_epoch : plan.steps) = *line.steps;
  }
  if (plan.steps > 0)
    plan.from = fmt::format("step/{}", plan.steps);
  else if (plan.epochs > 0)
    plan.from = fmt::format("epoch/{}", plan.epochs);
  if (plan == TrainingPlan{}) return;
  std::string text = plan_line(0, plan);
  text.erase(0, text.find(' ') + 1);
  text.pop_back();
  if (text == plan_) return;
  plan_ = text;
  tell(std::min(at_ns, told_ns_), text);
}

void CountedLaps::tell_validation() {
  if (!validation_) return;
  tell(validation_->begin_ns, "validation-begin");
  tell(validation_->end_ns, "validation-end 0");
  validation_.reset();
}

void CountedLaps::tell_laps(std::int64_t count, Stretch stretch, const LineCounters& line) {
  if (count <= 0 || count > kMostAtOnce) return;
  if (line.seconds)
    stretch.begin_ns = std::max(stretch.begin_ns, stretch.end_ns - count * ns_of(*line.seconds));
  if (stretch.begin_ns > told_ns_) {  // a lap begins at the event before it
    const char* const name = told_ns_ == 0 ? "start-up" : "between-laps";
    tell(told_ns_, fmt::format("stage-begin {}", name));
    tell(stretch.begin_ns, fmt::format("stage-end {}", name));
  }
  const std::int64_t samples = std::min(line.samples.value_or(0), kMaxSamples);
  const std::int64_t each_ns = std::max<std::int64_t>(0, stretch.end_ns - stretch.begin_ns) / count;
  for (std::int64_t i = 1; i <= count; ++i)
    tell(i == count ? stretch.end_ns : stretch.begin_ns + i * each_ns,
         fmt::format("i {}{}", samples, i == count ? "" : " shared=1"));
  lap_ns_ = each_ns;
  shares_ |= count > 1;
  ++intervals_;
}

void CountedLaps::begin_epoch(const LineCounters& line, std::int64_t at_ns) {
  const std::int64_t told = line_epoch_ ? *line_epoch_ + epoch_shift_ : 0;
  epoch_ = std::min(std::max(told, epoch_ + 1), kMaxEpoch);
  is_open_ = true;
  tell(at_ns, fmt::format("epoch-begin {}", epoch_));
  tell_plan(line, at_ns);
}

void CountedLaps::end_epoch(std::int64_t at_ns) {
  if (std::exchange(is_open_, false)) tell(at_ns, fmt::format("epoch-end {}", epoch_));
}

void CountedLaps::tell(std::int64_t at_ns, std::string_view event) {
  told_ns_ = std::max(told_ns_, at_ns);
  text_ += fmt::format("{} {}\n", told_ns_, event);
}

std::string CountedLaps::told() {
  if (shares_ && intervals_ < kFewestIntervals) return "";
  return std::exchange(text_, {});
}

}  // namespace lapcast
