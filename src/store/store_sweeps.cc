#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store_impl.h"

namespace lapcast {
namespace {

std::vector<Sweep> read_sweeps(SQLite::Database& db, const std::string& where_and_order,
                               const std::optional<std::string>& key = std::nullopt) {
  SQLite::Statement query(
      db, "SELECT id, key, created_at, fleet_file, description, finished FROM sweeps " +
              where_and_order);
  if (key) query.bind(1, *key);
  std::vector<Sweep> sweeps;
  while (query.executeStep()) {
    const auto text = [&](int column) { return query.getColumn(column).getString(); };
    sweeps.push_back(
        {text(0), text(1), text(2), text(3), text(4), query.getColumn(5).getInt() != 0});
  }
  return sweeps;
}

std::optional<Sweep> first_of(std::vector<Sweep> sweeps) {
  if (sweeps.empty()) return std::nullopt;
  return std::move(sweeps.front());
}

}  // namespace

void Store::save_sweep(const Sweep& sweep) {
  impl_->guarded([&] {
    SQLite::Statement save(impl_->db,
                           "INSERT INTO sweeps (id, key, created_at, fleet_file, description, "
                           "finished) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE "
                           "SET key = ?2, created_at = ?3, fleet_file = ?4, description = ?5, "
                           "finished = ?6");
    int column = 0;
    for (const std::string& text :
         {sweep.id, sweep.key, sweep.created_at, sweep.fleet_file, sweep.description}) {
      save.bind(++column, text);
    }
    save.bind(6, static_cast<int>(sweep.finished));
    save.exec();
  });
}

std::vector<Sweep> Store::sweeps_by_key(const std::string& key) const {
  return impl_->guarded([&] { return read_sweeps(impl_->db, "WHERE key = ?1 ORDER BY seq", key); });
}

std::optional<Sweep> Store::newest_sweep() const {
  return impl_->guarded([&] {
    return first_of(read_sweeps(impl_->db, "WHERE fleet_file <> '' ORDER BY seq DESC LIMIT 1"));
  });
}

std::vector<Sweep> Store::sweeps() const {
  return impl_->guarded([&] { return read_sweeps(impl_->db, "ORDER BY seq"); });
}

void Store::save_pending_run(const PendingRun& pending_run) {
  impl_->guarded([&] {
    SQLite::Statement save(impl_->db,
                           "INSERT INTO errands (id, sweep, purpose, place, created_at, request) "
                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET "
                           "sweep = ?2, purpose = ?3, place = ?4, created_at = ?5, request = ?6");
    int column = 0;
    for (const std::string& text :
         {pending_run.id, pending_run.sweep, pending_run.purpose, pending_run.place,
          pending_run.created_at, pending_run.request}) {
      save.bind(++column, text);
    }
    save.exec();
  });
}

void Store::remove_pending_run(const std::string& id) {
  impl_->guarded([&] {
    SQLite::Statement remove(impl_->db, "DELETE FROM errands WHERE id = ?1");
    remove.bind(1, id);
    remove.exec();
  });
}

std::vector<PendingRun> Store::pending_runs() const {
  return impl_->guarded([&] {
    SQLite::Statement query(impl_->db,
                            "SELECT id, sweep, purpose, place, created_at, request FROM errands "
                            "ORDER BY seq");
    std::vector<PendingRun> pending_runs;
    while (query.executeStep()) {
      const auto text = [&](int column) { return query.getColumn(column).getString(); };
      pending_runs.push_back({text(0), text(1), text(2), text(3), text(4), text(5)});
    }
    return pending_runs;
  });
}

}  // namespace lapcast
