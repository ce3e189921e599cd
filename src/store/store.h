#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// What `lapcast runs` lists without reading a whole run.
struct RunSummary {
  std::string id;
  std::string sweep;
  RunKind kind = RunKind::probe;
  std::string machine_type;
  std::string settings;  // "batch=128"
  std::string program;   // one line
  std::string started_at;
  std::string outcome;  // describe(outcome)
  bool has_laps = false;
};

/// A sweep, or a set of repeated runs, that can be gone on with: the same fleet, program and
/// settings give the same key.
struct Sweep {
  std::string id;
  std::string key;  // fingerprint of all that the probes ask for
  std::string created_at;
  std::string fleet_file;   // empty = a set of repeated runs
  std::string description;  // JSON: the files of its program (fleet/found_sweep.h)
  bool finished = false;
};

/// A run on a machine elsewhere that was begun, or is about to be, and whose result is not here
/// yet. Whoever finds it goes on with it under the same id.
struct PendingRun {
  std::string id;       // of the run that it will give
  std::string sweep;    // empty = none
  std::string purpose;  // "probe", "offload", kRemoval
  std::string place;    // describe(Place)
  std::string created_at;
  std::string request;  // JSON, of remote/remote_request.h
  friend bool operator==(const PendingRun&, const PendingRun&) = default;
};

/// The purpose of an errand whose run is stored, and of which something may be left on its machine.
inline constexpr const char* kRemoval = "remove";

struct RunFilter {
  std::optional<std::string> sweep;
  std::optional<RunKind> kind;
  bool own = false;        // of runs() only: without what was_imported()
  std::size_t newest = 0;  // 0 = all
};

/// All runs, in one SQLite file (docs/store.md): created private, WAL where the file system allows
/// it, one writer at a time, schema versioned with migrations. Every function throws Error (store)
/// that names the file and what to do: read-only, corrupt, newer schema, disk full, locked for
/// longer than kPatience by another lapcast. Runs are kept as they were measured; what cannot be
/// true of one (run/repair.h) is taken as not known when it is read. For one thread; not to be used
/// after a fork.
class Store {
 public:
  /// How long another lapcast's write is waited for.
  static constexpr std::chrono::milliseconds kPatience{10'000};

  /// Opens or creates; creates the folder too (mode 0700).
  static Store open(const std::filesystem::path& file,
                    std::chrono::milliseconds patience = kPatience);
  /// For reading, also from a read-only file or file system; Error when it does not exist.
  static Store open_existing(const std::filesystem::path& file,
                             std::chrono::milliseconds patience = kPatience);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Durable against a crash of the process when it returns; docs/store.md says what a power cut
  /// may lose. A run with an id that is there already is replaced only when `replace`; else false.
  /// Error (bad input) for a run that why_not_kept(). A run that was measured takes the place of
  /// its errand; one that was_imported() does not.
  bool add(const Run& run, bool replace = false);
  /// The run with that id, or the only one whose id starts so ("last" = the newest). Error (usage)
  /// when none or several.
  Run get(const std::string& id_prefix) const;
  /// In the order of their start, the newest last.
  std::vector<RunSummary> list(const RunFilter& filter = {}) const;
  std::vector<Run> runs(const RunFilter& filter = {}) const;

  /// Replaces the sweep with that id, or adds it.
  void save_sweep(const Sweep& sweep);
  std::vector<Sweep> sweeps_by_key(const std::string& key) const;  // the newest last
  std::optional<Sweep> newest_sweep() const;  // over a fleet; no set of repeated runs
  std::vector<Sweep> sweeps() const;          // the newest last

  /// Adds it, or replaces the one with that id. add() of the run with its id makes its purpose
  /// kRemoval, in one transaction: only what is left on the machine is still to be done.
  void save_pending_run(const PendingRun& pending_run);
  void remove_pending_run(const std::string& id);
  std::vector<PendingRun> pending_runs() const;  // the newest last

  /// Removes the bytes of what was replaced or removed from the file and from its log. What this
  /// object replaces from then on leaves no bytes in the file; call it again for the log. Error
  /// (store) when another lapcast uses the store and keeps them.
  void wipe_replaced();

  const std::filesystem::path& file() const;

 private:
  struct Impl;
  struct Opener;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// $LAPCAST_STORE, else $XDG_DATA_HOME/lapcast/lapcast.db, else ~/.local/share/lapcast/lapcast.db.
std::filesystem::path default_store_file();

}  // namespace lapcast
