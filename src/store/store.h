#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Holds what `lapcast runs` lists without reading a whole run.
struct RunSummary {
  std::string id;
  std::string sweep;
  RunKind kind = RunKind::probe;
  std::string machine_type;
  std::string settings;  // "batch=128"
  std::string program;   // one line
  std::string started_at;
  std::string outcome;  // describe(outcome)
  std::string outcome_kind;
  bool has_laps = false;
  std::string folder;  // in which it was started; empty = not known
  std::string tag;     // the user's own
};

/// Describes a sweep, or a set of repeated runs, that can be continued: the same fleet, program and
/// settings give the same key.
struct Sweep {
  std::string id;
  std::string key;  // fingerprint of all that the probes ask for
  std::string created_at;
  std::string fleet_file;  // empty = a set of repeated runs; see kNoFleetFile
  std::string
      description;  // JSON: its program's files, and of a set its subject (docs/reference.md)
  bool finished = false;
  std::string folder = {};  // in which it was begun; empty = not known
  std::string name = {};    // the user's own; empty = none
};

/// Stands for the fleet file of a sweep on this machine alone.
inline constexpr const char* kNoFleetFile = "(this machine)";

/// Describes a run on a remote machine that was begun, or is about to be, and whose result has not
/// come yet. Whoever finds it continues it under the same id.
struct PendingRun {
  std::string id;       // of the run that it will give
  std::string sweep;    // empty = none
  std::string purpose;  // "probe", "offload", kRemoval
  std::string place;    // describe(Place)
  std::string created_at;
  std::string request;  // JSON, of remote/remote_request.h
  friend bool operator==(const PendingRun&, const PendingRun&) = default;
};

/// Is the purpose of a pending run whose result is stored, but which may have left something on its
/// machine.
inline constexpr const char* kRemoval = "remove";

struct RunFilter {
  std::optional<std::string> sweep;
  std::optional<RunKind> kind;
  std::optional<std::string> folder;
  std::optional<std::string> tag;
  std::optional<std::string> program;          // a part of the command line
  std::optional<std::string> command = {};     // the whole command line
  std::optional<std::string> first_word = {};  // the beginning of the command line
  std::optional<std::string> since;            // the earliest start, such as "2026-11-20"
  bool own = false;                     // without what was_imported(); list() and count() ignore it
  std::size_t newest = 0;               // 0 = all
  bool with_laps = false;               // only those with laps, by has_laps()
  bool others = false;                  // all but those of `sweep` and `command`
  std::set<std::string> left_out = {};  // ids of runs to leave out
  std::int64_t held = 0;                // only what the store held at Store::held(); 0 = all
};

/// Keeps all runs in one SQLite file (docs/reference.md): created private, with WAL where the file
/// system allows it, one writer at a time, and a schema that is versioned with migrations. Every
/// function throws Error (store) that names the file and what to do: read-only, corrupt, newer
/// schema, disk full, locked for longer than kPatience by another lapcast. Runs are kept as they
/// were measured; impossible values (run/repair.h) are read as not known. Use it from one thread,
/// and not after a fork.
class Store {
 public:
  /// Bounds the wait for another lapcast's write.
  static constexpr std::chrono::milliseconds kPatience{10'000};

  /// Opens the file, or creates it and its folder (mode 0700).
  static Store open(const std::filesystem::path& file,
                    std::chrono::milliseconds patience = kPatience);
  /// Opens the file for reading, also on a read-only file system. Throws Error when it does not
  /// exist.
  static Store open_existing(const std::filesystem::path& file,
                             std::chrono::milliseconds patience = kPatience);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Adds a run, which is safe from a crash of the process when this returns; docs/reference.md
  /// says what a power cut may lose. If the id exists, replaces its run if `replace` is true, else
  /// returns false. Throws Error (bad input) for a run that why_not_kept() refuses. A run that was
  /// measured takes the place of its pending run; one that was_imported() does not.
  bool add(const Run& run, bool replace = false);
  /// Returns the run with that id, or the only one whose id begins with `id_prefix`; "last" is the
  /// newest run. Throws Error (usage) when there are none or several.
  Run get(const std::string& id_prefix) const;
  /// Returns runs in the order of their start, the newest last.
  std::vector<RunSummary> list(const RunFilter& filter = {}) const;
  std::vector<Run> runs(const RunFilter& filter = {}) const;
  /// Calls `use` with each of these runs in that order; only one at a time is in memory. A run that
  /// is removed meanwhile may be left out.
  void for_each_run(const RunFilter& filter, const std::function<void(Run)>& use) const;
  /// Returns how many runs there are, whatever `newest` says.
  std::size_t count(const RunFilter& filter = {}) const;
  /// Returns whether there is a run with that id; with `held` > 0, whether held() counted it.
  bool has(const std::string& id, std::int64_t held = 0) const;
  /// Returns a number that stands for the runs that the store holds now; see RunFilter::held.
  std::int64_t held() const;

  /// Replaces the sweep with that id, or adds it.
  void save_sweep(const Sweep& sweep);
  std::vector<Sweep> sweeps_by_key(const std::string& key) const;  // the newest last
  /// Returns the newest sweep that was begun in the folder, else the newest of all. Sets of
  /// repeated runs do not count.
  std::optional<Sweep> newest_sweep(const std::string& folder = "") const;
  std::vector<Sweep> sweeps() const;  // the newest last
  std::optional<Sweep> sweep(const std::string& id) const;
  /// Returns the sweep of that name, or the only one whose id begins with it; nothing when there is
  /// none. Throws Error (usage) when there are several.
  std::optional<Sweep> find_sweep(const std::string& id_or_name) const;

  /// Sets the user's own tag of a run, or name of a sweep; an empty one removes it.
  void tag_run(const std::string& id, const std::string& tag);
  void name_sweep(const std::string& id, const std::string& name);
  /// Removes the run, or the sweep with its runs.
  void remove_run(const std::string& id);
  void remove_sweep(const std::string& id);

  /// Adds a pending run, or replaces the one with that id. add() of the run with its id makes its
  /// purpose kRemoval, in one transaction: what is left on the machine is still to be removed.
  void save_pending_run(const PendingRun& pending_run);
  void remove_pending_run(const std::string& id);
  std::vector<PendingRun> pending_runs() const;  // the newest last

  /// Erases the bytes of replaced and removed rows from the file and its log. What this object
  /// replaces from then on leaves no bytes in the file; call it again for the log. Throws Error
  /// (store) if another lapcast uses the store and keeps them.
  void wipe_replaced();

  /// Returns a number that changes when another process, or another object, has changed the store.
  std::int64_t version() const;

  const std::filesystem::path& file() const;

 private:
  struct Impl;
  struct Opener;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Returns $LAPCAST_STORE, else $XDG_DATA_HOME/lapcast/lapcast.db, else
/// ~/.local/share/lapcast/lapcast.db.
std::filesystem::path default_store_file();

}  // namespace lapcast
