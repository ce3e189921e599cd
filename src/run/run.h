#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "lap/lap_log.h"
#include "machine/description.h"
#include "machine/machine_type.h"
#include "price/offer.h"

namespace lapcast {

/// Says how long a program of a race runs until it is looked at: to whichever limit comes first.
struct Round {
  std::int64_t laps = 0;  // in all, since its start; 0 = no limit
  Seconds ran{0};         // likewise, pauses not counted; 0 = no limit
  friend bool operator==(const Round&, const Round&) = default;
};

/// Says why a run was started.
enum class RunKind {
  probe,        // a few laps, then stopped
  full,         // to its end: the truth that verify compares with
  find_epochs,  // to its end by early stopping, to learn the number of epochs
};

/// Says whether the machine had run this program lately: a cold start reads from disk and compiles.
enum class StartKind { unknown, cold, warm };

/// Describes what the user asks to have forecast; 0 = not said, then the program's own reported
/// plan counts.
struct RequestedPlan {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  std::int64_t training_samples = 0;
  std::int64_t validation_samples = 0;
  std::int64_t validate_every = 0;  // epochs from one validation to the next
  std::int64_t validate_from = 0;   // the epoch after which the first comes
  friend bool operator==(const RequestedPlan&, const RequestedPlan&) = default;
};

/// Describes what was run, where and why: all that is known before the start.
struct RunContext {
  std::string id;     // 12 hex digits, unique in a store and, in all likelihood, between stores
  std::string sweep;  // id of the sweep it belongs to; empty = a single probe
  RunKind kind = RunKind::probe;
  std::vector<std::string> program;  // arguments as the user gave them, with placeholders
  std::map<std::string, std::string> settings;  // placeholder -> value: {"batch": "128"}
  std::string working_dir;
  MachineType machine_type;
  std::string place;           // describe(Place); empty = the machine that lapcast itself ran on
  std::optional<Offer> price;  // as given with --price or in the fleet file
  std::string offer;           // name of an offer of a catalog; empty = none
  RequestedPlan plan;
  std::int64_t patience = 0;  // of find_epochs: epochs without improvement until it was stopped
  std::string metric;         // that had to improve; empty = none
  StartKind start = StartKind::unknown;
  std::string started_at;  // UTC, "2026-11-20T12:00:00Z"
  std::string lapcast_version;
  MachineDescription machine;
  std::string imported_from;  // "mllog result_0.log": the format and the file of an old log; empty
                              // = lapcast observed the run itself
  bool imported = false;      // it came into the store from a file: see was_imported()
  friend bool operator==(const RunContext&, const RunContext&) = default;
};

/// Says how a run ended.
namespace outcome {
struct Enough {  // the stopping rule was satisfied and the program stopped
  std::string rule;
  friend bool operator==(const Enough&, const Enough&) = default;
};
struct BudgetSpent {  // stopped with laps, but before the rule was satisfied
  std::string which;  // "time budget of 60 s", "200 laps"
  friend bool operator==(const BudgetSpent&, const BudgetSpent&) = default;
};
struct Ended {  // the program ended by itself with exit status 0, having reported laps
  friend bool operator==(const Ended&, const Ended&) = default;
};
struct Crashed {
  int exit_status = 0;  // when signal == 0
  int signal = 0;
  friend bool operator==(const Crashed&, const Crashed&) = default;
};
struct NoLaps {  // it ran, but never reported a lap
  std::string why;
  friend bool operator==(const NoLaps&, const NoLaps&) = default;
};
struct NotStarted {  // program not found, CPU quota refused ...
  std::string why;
  friend bool operator==(const NotStarted&, const NotStarted&) = default;
};
struct Interrupted {  // by the user
  friend bool operator==(const Interrupted&, const Interrupted&) = default;
};
}  // namespace outcome
using Outcome =
    std::variant<outcome::Enough, outcome::BudgetSpent, outcome::Ended, outcome::Crashed,
                 outcome::NoLaps, outcome::NotStarted, outcome::Interrupted>;

/// Counts CPU time and memory of the program and all its children.
struct Usage {
  Seconds user{0};
  Seconds system{0};
  std::int64_t peak_rss_bytes = 0;  // of the largest single process
  std::int64_t minor_faults = 0;
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// Holds what `lapcast watch` forecast for the whole run, from start to end, while it ran.
struct ForecastMoment {
  Seconds elapsed{0};  // since the start of the process
  Interval<Seconds> total;
  friend bool operator==(const ForecastMoment&, const ForecastMoment&) = default;
};

/// Describes what had to be done before the program could be started on its machine.
struct PreparationStep {
  std::string what;  // "queue", "send program", "send data", "set-up"
  Seconds time{0};
  std::int64_t bytes = 0;  // sent; 0 = nothing, or not known
  friend bool operator==(const PreparationStep&, const PreparationStep&) = default;
};

/// Says when the program was suspended (SIGSTOP), on the clock of the run.
struct Pause {
  MonotonicNs begin_ns = 0;
  MonotonicNs end_ns = 0;
  friend bool operator==(const Pause&, const Pause&) = default;
};

/// Holds everything that is kept of one run; every shown figure is computed from it.
struct Run {
  RunContext context;
  Outcome outcome;
  MonotonicNs started_ns = 0;               // just before the program was started
  MonotonicNs ended_ns = 0;                 // when it was gone
  std::optional<MonotonicNs> stop_sent_ns;  // when the supervisor told it to stop
  Usage usage;
  std::vector<std::string> lap_logs;  // text of each process's log, verbatim
  std::string standard_output;        // its beginning and its end where it was long
  std::string standard_error;
  std::vector<std::string> warnings;
  std::vector<ForecastMoment> forecasts;     // in the order of time; of a watched run only
  std::vector<PreparationStep> preparation;  // in their order; of a run elsewhere only
  std::vector<Pause> pauses;                 // in the order of time, apart from each other

  /// Returns the time from the start to the end of the process, without the pauses.
  Seconds wall() const;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Bounds clock readings: the difference of any two up to this one, or above minus this, can be
/// computed.
inline constexpr MonotonicNs kMostClockNs = 4'000'000'000'000'000'000;

/// Returns true for 1 to 64 of a-z, 0-9, '-' and '_': what is safe in paths and commands.
bool is_run_id(std::string_view id);

/// Returns why a run cannot be read, stored or computed with at all: an id that is not
/// is_run_id(), a clock reading out of range. None = it can. What else may be wrong with
/// a run is found by repair() (run/repair.h).
std::optional<Reason> why_not_kept(const Run& run);

/// Returns true for a run that a file was the source of, not a measurement for this store. Whoever
/// wrote the file chose its program, settings, environment, folder and sweep: none of them may
/// start a program, open a file or count as done.
bool was_imported(const RunContext& context);

/// Returns whether a forecast can be made from a run with this outcome.
bool has_laps(const Outcome& outcome);
/// Returns one line for tables: "enough: ...", "crashed with signal 11 (SIGSEGV)", "no laps: ...".
std::string describe(const Outcome& outcome);
/// Returns names for storage and JSON: "probe", "full", "find-epochs".
std::string_view to_string(RunKind kind);
std::string_view to_string(StartKind start);

/// Returns {"mnist-cnn", "--batch", "128"}: the program with its placeholders filled; {run_dir}
/// stays as it is.
std::vector<std::string> filled_program(const RunContext& context);

/// Returns how long a step of the run's preparation took, all steps of that name together.
Seconds preparation_time(const Run& run, std::string_view what);

/// Returns the laps of the run: its logs read and merged over the ranks, times relative to
/// started_ns (so that the first lap's begin is the run's init time). Where no log has the run's
/// clock (read on another machine, after a reboot) times are relative to the first hello, init is
/// too short, and `damage` says so. Events after the end of the run are damage. Pauses are cut out:
/// the clock of the result stands still while the program did.
LapLog laps_of(const Run& run);

}  // namespace lapcast
