#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/disturbance.h"
#include "forecast/effect.h"
#include "forecast/lap_slices.h"
#include "forecast/validation_schedule.h"
#include "lap/lap_log.h"
#include "run/command_arguments.h"
#include "run/run.h"

namespace lapcast {

/// Holds an assumed 95 % interval, as factors.
struct Prior {
  double low = 0, mid = 0, high = 0;
};
/// Returns `time` times the factors.
Interval<Seconds> around(Seconds time, const Prior& factors);

/// Holds what a forecast assumes where one run cannot show it. docs/forecast.md gives the reason
/// for each figure; the first three were compared with Malta's runs (papers_forecast_test.cc), and
/// `./bench forecast-accuracy` shows what a change does to forecasts of public runs.
struct Priors {
  /// Gives the relative standard deviation of the time per lap between runs of the same program on
  /// the same machine. Malta's 24 CIFAR-10 settings have a median of 1.6 % and a root mean square
  /// of 2.9 %. A track record replaces it.
  double spread_between_runs = 0.02;
  /// Give the relative standard deviations of init and warm-up between runs, by StartKind.
  double start_spread_warm = 0.10;
  double start_spread_unknown = 0.20;
  double start_spread_cold = 0.30;
  /// Gives the time of a validated sample as a share of that of a trained one: the forward share.
  Prior forward_share{0.20, 0.35, 0.80};
  /// Gives the ratio of the forward shares of one program with the same settings on two machines.
  Prior carried_validation{0.48, 1, 2.08};
  /// Gives the time, in epochs of training, of a validation that was announced but not observed and
  /// whose number of samples is not known.
  Prior announced_validation{0, 0.02, 1};
  /// Gives the time of an epoch boundary, in laps.
  Prior boundary_laps{0, 0.25, 2};
  /// Gives the tear-down as a share of init.
  Prior teardown_of_init{0, 0.05, 0.50};
};
inline constexpr Priors kPriors{};

/// Says where a figure comes from.
enum class Provenance {
  measured,   // in this run
  simulated,  // from a short run of the same work: a short validation, the forward share of a lap
  predicted,  // carried over from another run or machine, or a documented prior
  declared,   // by the user
  not_seen,   // none came before the run was stopped; later ones would add to the forecast
};

/// Describes the steady laps of a run: where warm-up ended and what a lap costs after it.
struct SteadyLaps {
  std::int64_t warm_up_laps = 0;  // laps before the steady state, the first lap included
  std::string why;                // SteadyState::why
  std::int64_t laps = 0;          // steady full laps
  /// Counts their observations (lap_observations.h): `laps` if each has a known end, 0 if none has.
  std::int64_t observations = 0;
  Interval<Seconds> median;  // of a full-batch lap
  /// Gives the mean of a full-batch lap; the interval includes stalls and allows for autocorrelated
  /// laps.
  Interval<Seconds> mean;
  double effective_laps = 0;            // MeanEstimate::effective_n of the observations
  std::int64_t stalls = 0;              // isolated laps far above the rest (SteadyState::stalls)
  double samples_per_lap = 0;           // of a full batch
  Interval<double> samples_per_second;  // all 0 when the laps report no samples
};

/// Returns how well the mean lap is known where laps share observations: "within 4.1 %, 9
/// observations", or that there are too few; empty where each lap has a known end.
std::string describe_precision(const SteadyLaps& steady);

/// Describes what the first validation and each later one add to the time of a run.
struct ValidationCost {
  Interval<Seconds> first;
  Interval<Seconds> later;
  /// Is set where validations run beside laps. `first` and `later` are then the extra time of the
  /// laps beside one, and this is the whole length of the last validation, which the run waits for.
  std::optional<Interval<Seconds>> last_alone;
  std::int64_t samples = 0;  // of one validation with this cost
  /// Counts the validations that the figures come from; 0 = they come from the forward share of
  /// laps.
  std::int64_t observed = 0;
  Provenance provenance = Provenance::measured;
  std::string why;  // how it was found, in plain words
};

/// Holds the times that make up a run of one program on one machine type, computed from its laps
/// alone.
struct LapProfile {
  /// Gives the time from the start of the process to the begin of its first lap, including a
  /// validation before that lap.
  Seconds init{0};
  StartKind start = StartKind::unknown;
  /// Gives the init of the next run, estimated also from other runs; nothing = only from this one.
  std::optional<Interval<Seconds>> next_init;
  Seconds first_lap{0};
  /// Gives how much longer all warm-up laps together (with the first) took than as many steady
  /// ones; negative when they were faster.
  Seconds warm_up_excess{0};
  /// Gives the same for the next run if it is known to differ because it finds its compiled code.
  std::optional<Interval<Seconds>> next_warm_up;
  SteadyLaps steady;
  std::optional<ValidationCost> validation;  // empty: its cost is not known, or there is none
  ValidationSchedule validations;            // when they come
  /// Gives the time per epoch boundary, with the extra time of the next epoch's first lap where
  /// epochs have 8 laps or more; empty when no boundary was observed.
  std::optional<Interval<Seconds>> epoch_overhead;
  std::optional<Interval<Seconds>> checkpoint;  // per save
  double checkpoints_per_epoch = 0;             // 0 where no epoch is known
  double checkpoints_per_lap = 0;
  /// Gives the time from the last lap to the end of the process, without validation and
  /// checkpoints.
  Interval<Seconds> teardown;
  Provenance teardown_provenance = Provenance::measured;
  TrainingPlan reported;  // what the program announced; all 0 when it did not
  /// Says how long the training is where the program did not announce it: by its command, or by
  /// what it did until it ended.
  std::optional<TrainingPlan> length;
  /// Counts the epochs before the first one of the run, by the number of that; above 0 for a
  /// training that was resumed.
  std::int64_t epochs_before = 0;
  std::int64_t laps_per_epoch = 0;     // of the first whole epoch observed; 0 = none
  std::int64_t samples_per_epoch = 0;  // of the same epoch
  std::vector<LapSlice> slices;        // slices_of() the steady laps
  std::vector<Seconds> laps;           // lap_costs() of all laps of the run, in order
  std::vector<Seconds> epochs;         // whole_epochs(), with validation and boundary
  Seconds real_total{0};               // start to end of a run that ended by itself; else 0
  /// Gives the time from the start of the process to the last event of its log, or to its end.
  Seconds observed{0};
  std::string idle_gpus;           // describe_idle() of the training_of() its log
  bool on_device = false;          // LapLog::on_device
  std::vector<Effect> effects;     // effects_of() the observed part
  std::vector<std::string> notes;  // sentences for the user about what the laps mean
};

}  // namespace lapcast
