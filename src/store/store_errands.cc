#include "store/store_impl.h"

namespace lapcast {

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
