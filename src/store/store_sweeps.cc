#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

constexpr const char* kSelectSweeps =
    "SELECT id, key, created_at, fleet_file, description, finished, folder, name FROM sweeps ";

std::vector<Sweep> read_sweeps(SQLite::Statement& query) {
  std::vector<Sweep> sweeps;
  while (query.executeStep()) {
    const auto text = text_of(query);
    sweeps.push_back({text(0), text(1), text(2), text(3), text(4), query.getColumn(5).getInt() != 0,
                      text(6), text(7)});
  }
  return sweeps;
}

/// Reads sweeps by a condition, in which ?1 stands for `value`.
std::vector<Sweep> read_sweeps(SQLite::Database& db, const std::string& where_and_order,
                               const std::optional<std::string>& value = std::nullopt) {
  SQLite::Statement query(db, kSelectSweeps + where_and_order);
  if (value) query.bind(1, *value);
  return read_sweeps(query);
}

}  // namespace

void Store::save_sweep(const Sweep& sweep) {
  impl_->guarded([&] {
    run_statement(impl_->db,
                  "INSERT INTO sweeps (id, key, created_at, fleet_file, description, "
                  "finished, folder, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                  "ON CONFLICT (id) DO UPDATE SET key = ?2, created_at = ?3, fleet_file = ?4, "
                  "description = ?5, finished = ?6, folder = ?7, name = ?8",
                  sweep.id, sweep.key, sweep.created_at, sweep.fleet_file, sweep.description,
                  static_cast<int>(sweep.finished), sweep.folder, sweep.name);
  });
}

std::vector<Sweep> Store::sweeps_by_key(const std::string& key) const {
  return impl_->guarded([&] { return read_sweeps(impl_->db, "WHERE key = ?1 ORDER BY seq", key); });
}

std::optional<Sweep> Store::newest_sweep(const std::string& folder) const {
  constexpr const char* kNewest = "fleet_file <> '' ORDER BY seq DESC LIMIT 1";
  std::vector<Sweep> newest = impl_->guarded([&] {
    auto in_folder =
        read_sweeps(impl_->db, fmt::format("WHERE folder = ?1 AND {}", kNewest), folder);
    return in_folder.empty() ? read_sweeps(impl_->db, fmt::format("WHERE {}", kNewest)) : in_folder;
  });
  return newest.empty() ? std::nullopt : std::optional(std::move(newest.front()));
}

std::optional<Sweep> Store::sweep(const std::string& id) const {
  std::vector<Sweep> found =
      impl_->guarded([&] { return read_sweeps(impl_->db, "WHERE id = ?1", id); });
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<Sweep> Store::find_sweep(const std::string& id_or_name) const {
  const std::vector<Sweep> found = impl_->guarded([&] {
    SQLite::Statement query(impl_->db, kSelectSweeps + std::string(kFindSweep));
    SQLite::bind(query, id_or_name, end_of_prefix(id_or_name));
    return read_sweeps(query);
  });
  if (found.empty()) return std::nullopt;
  const Sweep& first = found.front();
  if (found.size() > 1 && first.id != id_or_name && first.name != id_or_name)
    throw Error(ExitCode::usage,
                fmt::format("more than one sweep begins with '{}', such as {} and {}",
                            printable(id_or_name, 70), first.id, found.back().id));
  return first;
}

void Store::name_sweep(const std::string& id, const std::string& name) {
  impl_->guarded(
      [&] { run_statement(impl_->db, "UPDATE sweeps SET name = ?2 WHERE id = ?1", id, name); });
}

void Store::remove_sweep(const std::string& id) {
  impl_->guarded([&] {
    SQLite::Transaction transaction(impl_->db, SQLite::TransactionBehavior::IMMEDIATE);
    run_statement(impl_->db, "DELETE FROM runs WHERE sweep = ?1", id);
    run_statement(impl_->db, "DELETE FROM sweeps WHERE id = ?1", id);
    transaction.commit();
  });
}

std::vector<Sweep> Store::sweeps() const {
  return impl_->guarded([&] { return read_sweeps(impl_->db, "ORDER BY seq"); });
}

void Store::save_pending_run(const PendingRun& pending_run) {
  impl_->guarded([&] {
    run_statement(impl_->db,
                  "INSERT INTO errands (id, sweep, purpose, place, created_at, request) "
                  "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET "
                  "sweep = ?2, purpose = ?3, place = ?4, created_at = ?5, request = ?6",
                  pending_run.id, pending_run.sweep, pending_run.purpose, pending_run.place,
                  pending_run.created_at, pending_run.request);
  });
}

void Store::remove_pending_run(const std::string& id) {
  impl_->guarded([&] { run_statement(impl_->db, "DELETE FROM errands WHERE id = ?1", id); });
}

std::vector<PendingRun> Store::pending_runs() const {
  return impl_->guarded([&] {
    SQLite::Statement query(impl_->db,
                            "SELECT id, sweep, purpose, place, created_at, request FROM errands "
                            "ORDER BY seq");
    std::vector<PendingRun> pending_runs;
    while (query.executeStep()) {
      const auto text = text_of(query);
      pending_runs.push_back({text(0), text(1), text(2), text(3), text(4), text(5)});
    }
    return pending_runs;
  });
}

}  // namespace lapcast
