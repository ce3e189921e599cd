#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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

/// Limits how far a program runs in one round of a race; the limit that is reached first counts.
struct Round {
  std::int64_t laps = 0;  // since the start of the program, not of the round; 0 = no limit
  Seconds ran{0};         // time since the start of the program, without pauses; 0 = no limit
  // The stopping rule ends the round instead of the run. In later rounds the rule does not count.
  bool until_enough = false;
  friend bool operator==(const Round&, const Round&) = default;
};

enum class RunKind {
  probe,        // a few laps, then stopped
  full,         // until it ends: verify compares forecasts with its time
  find_epochs,  // until early stopping, to learn the number of epochs
};

/// Says whether the machine had run this program shortly before: the same script in the same
/// environment. After a cold start the program reads its files from disk and compiles.
enum class StartKind { unknown, cold, warm };

/// Holds what is known of a run before its start: what is run, where and why.
struct RunContext {
  std::string id;     // unique in a store; lapcast makes 12 hex digits, see is_run_id()
  std::string sweep;  // id of the sweep it belongs to; empty = a single probe
  RunKind kind = RunKind::probe;
  std::vector<std::string> program;  // arguments as the user gave them, with placeholders
  std::map<std::string, std::string> settings;  // placeholder -> value: {"batch": "128"}
  std::string working_dir;
  MachineType machine_type;
  std::string place;           // describe(Place); empty = the machine that lapcast itself ran on
  std::optional<Offer> price;  // as given with --price or in the fleet file; absent = none
  std::string offer;           // name of an offer of a catalog; empty = none
  TrainingPlan plan;
  std::int64_t patience = 0;  // of find_epochs: epochs without improvement until it is stopped;
                              // 0 = the program decides
  std::string metric;         // of find_epochs: the metric that has to improve
  StartKind start = StartKind::unknown;
  std::optional<std::string> start_id;  // depends on what a start reads; campaign/start_kind.h
  bool warm_up = false;    // one of the first repeats of a candidate, which no mean counts
  std::string started_at;  // UTC, "2026-11-20T12:00:00Z"
  std::string lapcast_version;
  MachineDescription machine;
  std::string imported_from;  // format and file of another tool's log: "mllog result_0.log";
                              // empty = lapcast observed the run itself
  bool imported = false;      // `lapcast import` read the run from a file; see was_imported()
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
struct OutOfMemory {
  std::string message;          // what the program said: "CUDA out of memory. Tried to ..."
  std::string batch;            // its batch size; empty = not known
  std::int64_t peak_bytes = 0;  // most that was seen in use before; 0 = not known
  friend bool operator==(const OutOfMemory&, const OutOfMemory&) = default;
};
struct Crashed {
  int exit_status = 0;  // when signal == 0
  int signal = 0;
  std::optional<OutOfMemory> out_of_memory = {};  // of a GPU; none = it failed for another reason
  std::optional<OutOfMemory> out_of_main_memory = {};
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
struct NotEnded {   // saved while it went on; covers it until `ended_ns`
  std::string why;  // "it goes on, or lapcast was killed"
  friend bool operator==(const NotEnded&, const NotEnded&) = default;
};
}  // namespace outcome
using Outcome =
    std::variant<outcome::Enough, outcome::BudgetSpent, outcome::Ended, outcome::Crashed,
                 outcome::NoLaps, outcome::NotStarted, outcome::Interrupted, outcome::NotEnded>;

/// Holds the CPU time and memory of the program and all its children.
struct Usage {
  Seconds user{0};
  Seconds system{0};
  std::int64_t peak_rss_bytes = 0;  // of the largest single process
  std::int64_t minor_faults = 0;
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// Holds one forecast that `lapcast watch` made while a run went on.
struct ForecastMoment {
  Seconds elapsed{0};       // from the start of the process to the forecast
  Interval<Seconds> total;  // of the whole run, from start to end; 95 %
  friend bool operator==(const ForecastMoment&, const ForecastMoment&) = default;
};

/// Names the step in which a rented machine was ordered and booted.
inline constexpr const char* kBootStep = "boot";

/// Describes one step that was needed before the program could start on a remote machine.
struct PreparationStep {
  std::string what;  // kBootStep, "queue", "send program", "send data", "set-up"
  Seconds time{0};
  std::int64_t bytes = 0;  // that were sent; 0 = none, or not known
  friend bool operator==(const PreparationStep&, const PreparationStep&) = default;
};

/// Says when the program was suspended (SIGSTOP), on the clock of the run.
struct Pause {
  MonotonicNs begin_ns = 0;
  MonotonicNs end_ns = 0;
  bool with_queue = false;  // a device may have gone on with queued work meanwhile
  friend bool operator==(const Pause&, const Pause&) = default;
};

/// Holds everything that is stored of one run. Every figure that lapcast shows is computed from it.
struct Run {
  RunContext context;
  Outcome outcome;
  MonotonicNs started_ns = 0;               // just before the program was started
  MonotonicNs ended_ns = 0;                 // when the program was gone
  std::optional<MonotonicNs> stop_sent_ns;  // when the supervisor told it to stop; absent = never
  Usage usage;
  std::vector<std::string> lap_logs;  // text of each process's log, verbatim
  std::string standard_output;        // only its beginning and its end when it was long
  std::string standard_error;         // likewise
  std::vector<std::string> warnings;
  std::vector<ForecastMoment> forecasts;     // in the order of time; only of a watched run
  std::vector<PreparationStep> preparation;  // in the order of time; only of a remote run
  std::vector<Pause> pauses;                 // in the order of time, apart from each other

  /// Returns the time from the start to the end of the process, without the pauses.
  Seconds wall() const;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Limits clock readings, positive and negative ones, so that the difference of any two of them
/// fits into 64 bits.
inline constexpr MonotonicNs kMostClockNs = 4'000'000'000'000'000'000;

/// Returns true for 1 to 64 of a-z, 0-9, '-' and '_': what is safe in paths and commands.
bool is_run_id(std::string_view id);

/// Returns why a run can be neither stored nor computed with: its id fails is_run_id(), or a clock
/// reading is beyond kMostClockNs. Returns nothing for any other run; repair() (run/repair.h) finds
/// what else may be wrong with it.
std::optional<Reason> why_not_kept(const Run& run);

/// Returns true for a run that was read from a file instead of measured for this store. Whoever
/// wrote the file chose the run's program, settings, environment, folder and sweep. Callers must
/// not start such a program, open such a path, or count the run as a probe of that sweep.
bool was_imported(const RunContext& context);

/// Returns true for a program that failed because its GPU had no memory left.
bool is_out_of_gpu_memory(const Outcome& outcome);
/// Returns true for a program that failed because the machine, or its part of it, had no main
/// memory left, or that lapcast ended shortly before.
bool is_out_of_main_memory(const Outcome& outcome);
/// Returns true for both.
bool is_out_of_memory(const Outcome& outcome);
/// Returns true when a forecast can be made from a run with this outcome: enough laps, budget spent
/// or ended.
bool has_laps(const Outcome& outcome);
/// Returns true for these outcomes and for a run that the user interrupted: its laps, if there are
/// any, tell something about the program, but are not a probe.
bool may_have_laps(const Outcome& outcome);
/// Returns true when the outcome says nothing about the program: the user interrupted the run, or
/// it has not ended. The laps until then can be shown, but are never ranked.
bool was_cut_off(const Outcome& outcome);
/// Returns one line for tables: "enough: ...", "crashed with signal 11 (SIGSEGV)", "no laps: ...".
std::string describe(const Outcome& outcome);
/// Returns the name in JSON: "enough", "budget-spent", "ended", "crashed", "out-of-gpu-memory",
/// "out-of-main-memory", "no-laps", "not-started", "interrupted", "not-ended".
std::string_view outcome_kind(const Outcome& outcome);
/// Returns outcome_kind() of a describe()d outcome, which is all that the list of a store contains.
std::string outcome_kind_of(std::string_view description);
/// Returns where the text of a describe()d outcome, or of outcome::Enough::rule, begins to say how
/// precisely the laps are known: at " within 1.8 %" of "enough: 26 steady laps within 1.8 %".
/// Returns npos when it does not say that of laps.
std::size_t precision_at(std::string_view description);
/// Returns the name in the store and in JSON: "probe", "full", "find-epochs".
std::string_view to_string(RunKind kind);
/// Returns the name in the store and in JSON: "unknown", "cold", "warm".
std::string_view to_string(StartKind start);

/// Returns the program with the placeholders of its settings filled, such as {"mnist-cnn",
/// "--batch", "128"}. Other braces stay as they are, {run_dir} among them.
std::vector<std::string> filled_program(const RunContext& context);

/// Returns the total time of the preparation steps of that name.
Seconds preparation_time(const Run& run, std::string_view what);

/// Returns the lap log of a run, with those of its ranks merged. Its times count from started_ns
/// without pauses, so the first lap begins after the init time. When no log has the clock of the
/// run (another machine, or a reboot), times count from the first hello, the init time is too
/// short, and `damage` says so. Events after the end of the run are damage, too. Calls for an
/// unchanged run, a copy of it or the same run read again return the same log as long as it is kept
/// (run/kept_logs.h).
std::shared_ptr<const LapLog> laps_of(const Run& run);

}  // namespace lapcast
