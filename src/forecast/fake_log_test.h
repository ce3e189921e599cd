#pragma once

#include <cstdint>

#include "lap/lap_log.h"

namespace lapcast {

/// Builds, for tests, a lap log as a program would write it, event by event; times are in seconds.
class FakeLog {
 public:
  explicit FakeLog(double init = 2) { idle(init).touch(); }

  FakeLog& idle(double seconds) {
    now_ += ns(seconds);
    return *this;
  }
  FakeLog& begin_epoch() {
    log.epochs.push_back({.epoch = ++epoch_, .span = {now_, 0}, .first_lap = lap_count()});
    open_ = true;
    return touch();
  }
  FakeLog& end_epoch() {
    log.epochs.back().span.end_ns = now_;
    log.epochs.back().ended = true;
    open_ = false;
    return touch();
  }
  FakeLog& lap(double seconds, std::int32_t samples = 100) {
    Lap lap;
    lap.begin_ns = touched_;
    lap.end_ns = now_ = touched_ + ns(seconds);
    lap.index = static_cast<std::int32_t>(lap_count());
    lap.samples = samples;
    lap.epoch = epoch_;
    lap.phase = phase_;
    log.laps.push_back(lap);
    if (open_) log.epochs.back().laps++, log.epochs.back().samples += samples;
    return touch();
  }
  FakeLog& laps(int count, double seconds, std::int32_t samples = 100) {
    for (int i = 0; i < count; ++i) lap(seconds, samples);
    return *this;
  }
  FakeLog& validation(double seconds, std::int64_t samples) {
    log.validations.push_back({.span = advance(seconds),
                               .samples = samples,
                               .epoch = epoch_,
                               .within_epoch = open_,
                               .laps_before = lap_count()});
    return touch();
  }
  /// Adds a validation beside which laps go on until it ends.
  FakeLog& begin_validation(std::int64_t samples) {
    log.validations.push_back({.span = {now_, now_},
                               .samples = samples,
                               .epoch = epoch_,
                               .within_epoch = open_,
                               .laps_before = lap_count()});
    return touch();
  }
  FakeLog& end_validation() {
    log.validations.back().span.end_ns = now_;
    return touch();
  }
  FakeLog& checkpoint(double seconds) {
    log.stages.push_back({.name = "checkpoint",
                          .span = advance(seconds),
                          .epoch = epoch_,
                          .laps_before = lap_count()});
    return touch();
  }
  FakeLog& phase(const char* name) {
    log.phases.push_back(name);
    ++phase_;
    return touch();
  }
  FakeLog& plan(const TrainingPlan& plan) {
    log.plan = plan;
    return touch();
  }
  double now() const { return static_cast<double>(now_) * 1e-9; }

  LapLog log;

 private:
  static std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9 + 0.5); }
  std::int64_t lap_count() const { return static_cast<std::int64_t>(log.laps.size()); }
  Span advance(double seconds) {
    const std::int64_t begin = now_;
    now_ += ns(seconds);
    return {begin, now_};
  }
  FakeLog& touch() {
    touched_ = log.last_ns = now_;
    return *this;
  }

  std::int64_t now_ = 0;
  std::int64_t touched_ = 0;  // end of the last event, where the next lap begins
  std::int32_t epoch_ = 0;
  std::int16_t phase_ = 0;
  bool open_ = false;
};

/// Returns a log of 40.75 s: init of 2 s, 3 epochs of 20 laps of 0.5 s (the first lap takes 4.5 s),
/// validations of 1.5 (the first) and 1 s on 400 samples, 0.25 s checkpoints, 0.1 s boundaries and
/// 0.3 s tear-down.
inline constexpr double kWholeTrainingSeconds = 40.75;
inline FakeLog whole_training() {
  FakeLog fake;
  fake.plan({.epochs = 3,
             .iterations_per_epoch = 20,
             .batch_size = 100,
             .training_samples = 2000,
             .validation_samples = 400});
  for (int epoch = 1; epoch <= 3; ++epoch) {
    fake.begin_epoch().lap(epoch == 1 ? 4.5 : 0.5).laps(19, 0.5).end_epoch();
    fake.validation(epoch == 1 ? 1.5 : 1, 400).checkpoint(0.25).idle(epoch < 3 ? 0.1 : 0.3);
  }
  return fake;
}

}  // namespace lapcast
