#include "formats/mllog_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seconds.h"
#include "core/units.h"
#include "formats/mllog_time_line.h"

namespace lapcast {
namespace {

class UnitFinder {
 public:
  explicit UnitFinder(const MllogDraft& draft) : draft_(draft) {
    const std::int64_t start_ns = draft.run_start ? draft.run_start->time_ns : 0;
    if (draft.run_stop && draft.run_stop->time_ns >= start_ns) stop_ns_ = draft.run_stop->time_ns;
    for (const MllogEvent& event : draft.events) take(event);
    end_open_evaluation();
    end_by_the_next(open_epochs_, epochs_);
    end_by_the_next(open_blocks_, blocks_);
    end_by_run_stop();
    end_by_evaluation(open_epochs_, epochs_);
    end_by_evaluation(open_blocks_, blocks_);
  }

  MllogTimes found(std::optional<MllogUnit> wanted) {
    MllogTimes times;
    std::vector<TimedUnit> between = between_evaluations();
    std::ranges::sort(evaluations_, {}, &TimedEvaluation::begin_ns);
    times.unit = wanted.value_or(finest(between));
    times.units = std::move(times.unit == MllogUnit::between_evaluations ? between
                            : times.unit == MllogUnit::block             ? blocks_
                                                                         : epochs_);
    if (times.unit != MllogUnit::between_evaluations) drop_cut_off(times.units);
    if (times.unit == MllogUnit::epoch) plan_evaluations(times);
    MllogTimeLine line(draft_.run_start ? draft_.run_start->time_ns : 0, stop_ns_,
                       std::move(evaluations_));
    line.keep_in_order(times.units);
    if (times.unit != MllogUnit::between_evaluations)
      line.join_gaps(times.units,
                     begun(times.unit == MllogUnit::block ? open_blocks_ : open_epochs_));
    line.place_evaluations(times, has_epoch_stops());
    for (const ProblemCount* problem : {&backwards_, &unfinished_, &order_})
      problem->tell_first(times.warnings);
    line.tell(times.warnings);
    return times;
  }

 private:
  void take(const MllogEvent& event) {
    if (event.time_ns > stop_ns_) return;  // some programs continue after their stop
    switch (event.key) {
      case MllogKey::epoch_start:
        return start(open_epochs_, event, epochs_);
      case MllogKey::epoch_stop:
        return stop(open_epochs_, event, epochs_);
      case MllogKey::block_start:
        return start(open_blocks_, event, blocks_);
      case MllogKey::block_stop:
        return stop(open_blocks_, event, blocks_);
      default:
        return take_evaluation(event);
    }
  }

  // Units -----------------------------------------------------------------------------------------

  struct Begun {
    std::int64_t time_ns = 0;
    std::int64_t line = 0;
    double epochs = 0;  // of a block, as logged
    std::optional<double> samples, step;
  };
  using Open = std::map<double, Begun>;  // by number

  /// Returns the start times of the units that did not end.
  static std::vector<std::int64_t> begun(const Open& open) {
    std::vector<std::int64_t> times;
    for (const auto& [number, start] : open) times.push_back(start.time_ns);
    return times;
  }

  static double number_of(const MllogEvent& event, const Open& open) {
    if (event.epoch) return *event.epoch;
    return open.empty() ? -1 : open.rbegin()->first;
  }

  /// Begins a unit. An open unit with the same number ends there: both are training.
  void start(Open& open, const MllogEvent& event, std::vector<TimedUnit>& units) {
    if (event.epoch && *event.epoch < last_number_) {
      order_.add(event.line,
                 fmt::format("epoch {} comes after epoch {}", *event.epoch, last_number_));
    }
    last_number_ = event.epoch.value_or(last_number_);
    const double number = number_of(event, open);
    if (const auto again = open.find(number);
        again != open.end() && event.time_ns > again->second.time_ns)
      stop(open, again, event, units);
    open.try_emplace(
        number, Begun{event.time_ns, event.line, event.epoch_count, event.samples, event.step});
  }

  bool has_epoch_stops() {
    if (!has_epoch_stops_) {
      has_epoch_stops_ = std::any_of(draft_.events.begin(), draft_.events.end(),
                                     [](const auto& e) { return e.key == MllogKey::epoch_stop; });
    }
    return *has_epoch_stops_;
  }

  /// Ends the last epoch of a log without epoch_stop (v0.5) at the end of the run.
  void end_by_run_stop() {
    if (!draft_.run_stop || has_epoch_stops() || open_epochs_.empty()) return;
    stop(open_epochs_, std::prev(open_epochs_.end()), *draft_.run_stop, epochs_);
  }

  /// Ends each unit whose end was not logged where the next one begins.
  static void end_by_the_next(Open& open, std::vector<TimedUnit>& units) {
    std::vector<std::int64_t> begins = begun(open);
    for (const TimedUnit& unit : units) begins.push_back(unit.begin_ns);
    std::ranges::sort(begins);
    std::erase_if(open, [&](const auto& entry) {
      const Begun& start = entry.second;
      const auto next = std::ranges::upper_bound(begins, start.time_ns);
      if (next == begins.end()) return false;  // the last one: end_by_evaluation()
      units.push_back({start.time_ns, *next, start.epochs, 0, start.line});
      return true;
    });
  }

  /// Ends the last epoch or block if it has no end because its evaluation reached the target.
  void end_by_evaluation(Open& open, std::vector<TimedUnit>& units) {
    if (open.empty() || units.empty()) return;
    const Begun& start = open.rbegin()->second;
    const std::int64_t usual = units.back().end_ns - units.back().begin_ns;
    for (const TimedEvaluation& evaluation : evaluations_) {
      if (evaluation.begin_ns - start.time_ns < usual / 2) continue;
      const double epochs = &units == &epochs_ ? 1 : start.epochs;
      units.push_back({start.time_ns, evaluation.begin_ns, epochs, 0, start.line});
      return;
    }
  }

  void stop(Open& open, const MllogEvent& event, std::vector<TimedUnit>& units) {
    const auto begun = open.find(number_of(event, open));
    // Some logs number the end of their only epoch by the epochs that it trained.
    const auto which = begun == open.end() && open.size() == 1 ? open.begin() : begun;
    if (which == open.end()) {
      return unfinished_.add(event.line, "something ends that did not begin");
    }
    stop(open, which, event, units);
  }

  void stop(Open& open, Open::iterator which, const MllogEvent& event,
            std::vector<TimedUnit>& units) {
    const Begun start = which->second;
    if (event.time_ns <= start.time_ns) {
      backwards_.add(
          event.line,
          fmt::format("ends {} before it begins in line {}: the clock "
                      "jumps back; it is left out",
                      format_duration(from_ns(start.time_ns - event.time_ns)), start.line));
    } else {
      const double epochs = &units == &epochs_ ? 1 : start.epochs;
      units.push_back(
          {start.time_ns, event.time_ns, epochs, samples_between(start, event), start.line});
    }
    open.erase(which);
  }

  /// Returns the samples of a unit by the counts at its begin and end, which some logs count from
  /// the start of the training and others, the same at both, in the unit; else by its iterations.
  double samples_between(const Begun& start, const MllogEvent& end) const {
    if (start.samples && end.samples) {
      const double grown = *end.samples - *start.samples;
      return grown == 0 ? *end.samples : std::max(0.0, grown);
    }
    if (start.step && end.step)
      return std::max(0.0, *end.step - *start.step) * draft_.facts.global_batch_size;
    return 0;
  }

  /// Drops the last unit where the result of an evaluation ended the run within it: nothing says
  /// how much of it was trained. Logs without ends of epochs do not say that it was cut off.
  void drop_cut_off(std::vector<TimedUnit>& units) {
    if (units.size() < 2 || evaluations_.empty() || (!has_epoch_stops() && blocks_.empty())) return;
    const auto last = std::ranges::max_element(units, {}, &TimedUnit::begin_ns);
    const bool evaluated = std::ranges::any_of(
        evaluations_, [&](const auto& e) { return e.begin_ns >= last->begin_ns; });
    if (last->end_ns >= stop_ns_ && !evaluated && last->samples == 0) units.erase(last);
  }

  // Evaluations -----------------------------------------------------------------------------------

  void take_evaluation(const MllogEvent& event) {
    if (event.key == MllogKey::eval_start) {
      end_open_evaluation();
      open_evaluation_ = event;
      return;
    }
    if (event.key == MllogKey::eval_accuracy) return take_accuracy(event);
    if (!open_evaluation_) return;  // its start was not logged: the result stands alone
    if (event.time_ns > open_evaluation_->time_ns) {
      add_evaluation(open_evaluation_->time_ns, event.time_ns, *open_evaluation_);
    } else if (event.time_ns < open_evaluation_->time_ns) {
      backwards_.add(event.line,
                     "an evaluation ends before it begins: the clock jumps back; it "
                     "is left out");
    }
    open_evaluation_.reset();
  }

  void add_evaluation(std::int64_t begin_ns, std::int64_t end_ns, const MllogEvent& event) {
    TimedEvaluation evaluation{begin_ns, end_ns, std::nullopt, event.epoch.value_or(0)};
    if (early_accuracy_) evaluation.accuracy = early_accuracy_->value;
    early_accuracy_.reset();
    evaluations_.push_back(evaluation);
  }

  /// Ends the evaluation that reached the target: its result ended the run.
  void end_open_evaluation() {
    if (open_evaluation_ && early_accuracy_ &&
        early_accuracy_->time_ns > open_evaluation_->time_ns) {
      add_evaluation(open_evaluation_->time_ns, early_accuracy_->time_ns, *open_evaluation_);
    }
    open_evaluation_.reset();
    early_accuracy_.reset();
  }

  /// Takes a result that is logged within its evaluation, just after it, or alone.
  void take_accuracy(const MllogEvent& event) {
    if (open_evaluation_) {
      early_accuracy_ = event;
    } else if (!evaluations_.empty() && !evaluations_.back().accuracy) {
      evaluations_.back().accuracy = event.value;
      if (evaluations_.back().epoch == 0) evaluations_.back().epoch = event.epoch.value_or(0);
    } else {
      evaluations_.push_back({event.time_ns, event.time_ns, event.value, event.epoch.value_or(0)});
    }
  }

  /// Computes from blocks when evaluations come. The length of a block is known when the next one
  /// begins; before that it is only announced.
  void plan_evaluations(MllogTimes& times) const {
    constexpr double kMostEpochs = 1e9;
    std::vector<const MllogEvent*> blocks;
    for (const MllogEvent& event : draft_.events) {
      const bool is_block = event.key == MllogKey::block_start && event.epoch;
      if (is_block && event.epoch_count >= 0.5 && event.epoch_count < kMostEpochs)
        blocks.push_back(&event);
    }
    if (blocks.empty()) return;
    double first = blocks[0]->epoch_count;
    if (blocks.size() > 1 && *blocks[1]->epoch - *blocks[0]->epoch >= 1)
      first = std::min(first, *blocks[1]->epoch - *blocks[0]->epoch);
    times.evaluate_from = std::llround(first);
    times.evaluate_every = std::llround(blocks.back()->epoch_count);
  }

  // Which are the laps ----------------------------------------------------------------------------

  std::vector<TimedUnit> between_evaluations() const {
    std::vector<TimedUnit> units;
    const auto first = std::find_if(draft_.events.begin(), draft_.events.end(), [](const auto& e) {
      return e.key == MllogKey::epoch_start || e.key == MllogKey::block_start;
    });
    const bool known = first != draft_.events.end();
    std::int64_t begin = known ? first->time_ns : draft_.run_start ? draft_.run_start->time_ns : 0;
    double from = known ? first->epoch.value_or(0) : 0;
    for (const TimedEvaluation& evaluation : evaluations_) {
      if (begin > 0 && evaluation.begin_ns > begin) {
        units.push_back({begin, evaluation.begin_ns, std::max(0.0, evaluation.epoch - from), 0,
                         known ? first->line : 0});
      }
      begin = std::max(begin, evaluation.end_ns);
      from = evaluation.epoch;
    }
    return units;
  }

  MllogUnit finest(const std::vector<TimedUnit>& between) const {
    if (epochs_.size() >= blocks_.size() && epochs_.size() * 2 >= between.size()) {
      return MllogUnit::epoch;
    }
    return blocks_.size() * 2 >= between.size() ? MllogUnit::block : MllogUnit::between_evaluations;
  }

  const MllogDraft& draft_;
  std::int64_t stop_ns_ = MllogTimeLine::kNever;
  Open open_epochs_, open_blocks_;
  std::vector<TimedUnit> epochs_, blocks_;
  std::vector<TimedEvaluation> evaluations_;
  std::optional<MllogEvent> open_evaluation_, early_accuracy_;
  std::optional<bool> has_epoch_stops_;
  double last_number_ = -1;
  ProblemCount backwards_, unfinished_, order_;
};

}  // namespace

std::string_view to_string(MllogUnit unit) {
  if (unit == MllogUnit::epoch) return "epochs";
  return unit == MllogUnit::block ? "blocks" : "stretches between evaluations";
}

MllogTimes times_of(const MllogDraft& draft, std::optional<MllogUnit> wanted) {
  return UnitFinder(draft).found(wanted);
}

}  // namespace lapcast
