#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "forecast/effect.h"
#include "forecast/fake_log_test.h"
#include "forecast/lap_profile.h"
#include "stats/series_test.h"

namespace lapcast {

/// Says, for tests, what is planted in a run of epochs of noisy laps of 0.1 s; nothing unless it is
/// set.
struct Planted {
  double noise = 0.02;
  double rho = 0;
  int epochs = 3;
  int laps = 60;  // of each
  double init = 0.5;
  std::vector<double> first_laps;    // factors
  std::vector<double> first_epochs;  // factors
  std::vector<int> stalls;           // laps that take ten times as long
  double drift = 0;                  // of all laps but the first, as a share
  int change_at = 0;  // index of the lap from which on `change` is a factor; 0 = none
  double change = 1;
  double validation = 0;        // seconds, with noise
  double first_validation = 1;  // factor
  int every = 1, from = 1;      // epochs
  double beside = 0;            // > 0: validations of so many seconds run beside laps instead
  double slowdown = 1;          // factor of the laps beside them
  double boundary = 0;          // seconds
  double checkpoint = 0;
};

/// Makes the log of a whole run with what is planted. It refers to both arguments.
class PlantedRun {
 public:
  PlantedRun(const Planted& planted, std::mt19937_64& generator)
      : planted_(planted),
        generator_(generator),
        noise_(noisy_laps(generator, static_cast<std::size_t>(planted.epochs * planted.laps),
                          planted.noise, planted.rho)),
        fake_(planted.init) {
    fake_.plan({.epochs = planted.epochs,
                .iterations_per_epoch = planted.laps,
                .batch_size = 100,
                .training_samples = 100 * planted.laps,
                .validation_samples = validates() ? 1000 : 0});
    for (int epoch = 0; epoch < planted.epochs; ++epoch) add_epoch(epoch);
    if (beside_until_ > 0) end_validation(std::max(fake_.now(), beside_until_));
  }
  const LapLog& log() const { return fake_.log; }
  double seconds() const { return fake_.now(); }

 private:
  bool validates() const { return planted_.validation > 0 || planted_.beside > 0; }

  double lap_seconds(int epoch, int lap) const {
    const auto at = static_cast<std::size_t>(epoch * planted_.laps + lap);
    double factor = noise_[at];
    if (at < planted_.first_laps.size()) factor *= planted_.first_laps[at];
    if (static_cast<std::size_t>(epoch) < planted_.first_epochs.size())
      factor *= planted_.first_epochs[static_cast<std::size_t>(epoch)];
    if (std::count(planted_.stalls.begin(), planted_.stalls.end(), static_cast<int>(at)) > 0)
      factor *= 10;
    factor *= 1 + planted_.drift * static_cast<double>(at) / static_cast<double>(noise_.size());
    const bool changed = planted_.change_at > 0 && static_cast<int>(at) >= planted_.change_at;
    if (changed) factor *= planted_.change;
    return 0.1 * factor * (beside_until_ > 0 ? planted_.slowdown : 1);
  }

  void add_epoch(int epoch) {
    fake_.begin_epoch();
    for (int lap = 0; lap < planted_.laps; ++lap) {
      if (beside_until_ > 0 && fake_.now() >= beside_until_) end_validation(fake_.now());
      fake_.lap(lap_seconds(epoch, lap));
    }
    fake_.end_epoch();
    const int over = epoch + 1;
    if (over >= planted_.from && (over - planted_.from) % planted_.every == 0) validate();
    if (planted_.checkpoint > 0) fake_.checkpoint(planted_.checkpoint);
    if (over < planted_.epochs) fake_.idle(planted_.boundary);
  }
  void validate() {
    std::normal_distribution<double> normal(1, 0.01);
    if (planted_.beside > 0) {
      fake_.begin_validation(1000);
      beside_until_ = fake_.now() + planted_.beside;
    } else if (planted_.validation > 0) {
      const double factor = validations_++ == 0 ? planted_.first_validation : 1;
      fake_.validation(planted_.validation * factor * normal(generator_), 1000);
    }
  }
  void end_validation(double at) {
    fake_.idle(at - fake_.now()).end_validation();
    beside_until_ = 0;
  }

  const Planted& planted_;
  std::mt19937_64& generator_;
  std::vector<double> noise_;
  FakeLog fake_;
  double beside_until_ = 0;
  int validations_ = 0;
};

/// Returns the first effect of a kind; nullptr when the profile has none.
inline const Effect* find_effect(const LapProfile& profile, EffectKind kind) {
  for (const Effect& effect : profile.effects)
    if (effect.kind == kind) return &effect;
  return nullptr;
}

}  // namespace lapcast
