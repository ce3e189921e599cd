#include "lease/ledger.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/lease_json.h"
#include "probe/ids_and_time.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLedgerApplicationId = 0x6c61706c;  // "lapl"
constexpr std::int64_t kLedgerVersion = 1;
constexpr int kLedgerPatienceMs = 20'000;  // for other lapcasts, which write for milliseconds

// `record` is the whole lease; the other columns are for people with sqlite3 and for queries.
constexpr const char* kLedgerSchema = R"sql(
CREATE TABLE leases (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  adapter TEXT NOT NULL,
  machine TEXT NOT NULL,           -- the provider's id; '' = not known
  state TEXT NOT NULL,
  asked_ns INTEGER NOT NULL,       -- UTC
  deadline_ns INTEGER NOT NULL,
  usd_per_hour TEXT NOT NULL,
  record TEXT NOT NULL             -- JSON
);
CREATE TABLE lease_events (
  lease TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  what TEXT NOT NULL
);
CREATE INDEX lease_events_by_lease ON lease_events (lease, at_ns);
)sql";

Error ledger_error(const fs::path& file, const std::string& what) {
  return Error(ExitCode::store_failed, fmt::format("the ledger of rented machines '{}' {}",
                                                   printable(file.native(), 500), what));
}

void prepare_ledger(SQLite::Database& db, const fs::path& file) {
  db.exec("PRAGMA synchronous = FULL");
  db.execAndGet(wal_works_at(file) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
  const auto is_prepared = [&] {
    return db.execAndGet("PRAGMA application_id").getInt64() == kLedgerApplicationId &&
           db.execAndGet("PRAGMA user_version").getInt64() == kLedgerVersion;
  };
  if (is_prepared()) return;  // commands that only look do not wait for a writer
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_prepared()) return;  // by another lapcast meanwhile
  const std::int64_t application = db.execAndGet("PRAGMA application_id").getInt64();
  if (application == kLedgerApplicationId)
    throw ledger_error(file, "is of a newer lapcast; use that one");
  if (application != 0 || db.execAndGet("SELECT count(*) FROM sqlite_master").getInt64() != 0)
    throw ledger_error(file, "is an SQLite file of another program; move it away");
  db.exec(kLedgerSchema);
  db.exec(fmt::format("PRAGMA user_version = {}", kLedgerVersion));
  db.exec(fmt::format("PRAGMA application_id = {}", kLedgerApplicationId));
  transaction.commit();
}

}  // namespace

struct Ledger::Impl {
  fs::path folder;
  fs::path file = folder / "leases.db";
  SQLite::Database db{file.native(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                      kLedgerPatienceMs};

  /// Returns what work() returns. Throws Error for what SQLite throws.
  template <class Work>
  auto guarded(Work work) {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      throw ledger_error(file,
                         fmt::format("cannot be used ({}); free some space, or check the disk "
                                     "and the permissions",
                                     printable(error.what())));
    }
  }

  Lease lease_of(const std::string& record) const {
    auto lease = parse_lease(record);
    if (!lease) throw ledger_error(file, "has a damaged line: " + lease.error().text);
    return std::move(*lease);
  }

  std::vector<Lease> select(const char* where, std::string_view value = "") {
    return guarded([&] {
      SQLite::Statement query(db,
                              std::string("SELECT record FROM leases ") + where + " ORDER BY seq");
      if (query.getBindParameterCount() > 0) query.bind(1, std::string(value));
      std::vector<Lease> leases;
      while (query.executeStep()) leases.push_back(lease_of(query.getColumn(0).getString()));
      return leases;
    });
  }

  std::optional<Lease> find(std::string_view id) {
    auto found = select("WHERE id = ?", id);
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
  }

  /// Writes the line of a lease. Call it within guarded().
  void write(const Lease& lease) {
    SQLite::Statement statement(db, R"sql(
INSERT INTO leases (id, adapter, machine, state, asked_ns, deadline_ns, usd_per_hour, record)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (id) DO UPDATE SET machine = ?3, state = ?4, deadline_ns = ?6, usd_per_hour = ?7,
  record = ?8)sql");
    SQLite::bind(statement, lease.id, lease.order.adapter, lease.machine,
                 std::string(name_of(lease.state)), lease.asked, lease.deadline,
                 exact_decimal(lease.price.per_hour), lease_json(lease));
    statement.exec();
  }

  /// Changes a lease that becomes dearer, if the limits allow that.
  Result<void> raise(std::string_view id, const RentLimits& limits,
                     const std::function<void(Lease&)>& change);

  /// Runs work() in a transaction that holds the write lock from its beginning, and commits it if
  /// work() returns true.
  template <class Work>
  void in_transaction(Work work) {
    guarded([&] {
      SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
      if (work()) transaction.commit();
    });
  }
};

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Ledger Ledger::open(const fs::path& folder) {
  const fs::path file = folder / "leases.db";
  if (const auto made = make_private_folders(folder / "leases"); !made)
    throw ledger_error(file, "cannot be made: " + made.error().text);
  std::error_code ignored;
  // An existing file is not opened here: closing it would drop the locks that SQLite has on it.
  if (!fs::exists(file, ignored)) open_private_file(file);
  try {
    auto impl = std::make_unique<Impl>(Impl{folder});
    impl->guarded([&] { prepare_ledger(impl->db, file); });
    return Ledger(std::move(impl));
  } catch (const SQLite::Exception& error) {
    throw ledger_error(file, fmt::format("cannot be opened ({})", printable(error.what())));
  }
}

std::optional<Ledger> Ledger::open_existing() {
  std::error_code ignored;
  fs::path folder;
  try {
    folder = state_folder();
  } catch (const Error&) {  // without a home folder there is no ledger
    return std::nullopt;
  }
  if (!fs::exists(folder / "leases.db", ignored)) return std::nullopt;
  return open(folder);
}

const fs::path& Ledger::folder() const {
  return impl_->folder;
}

fs::path Ledger::folder_of(std::string_view id) const {
  return impl_->folder / "leases" / id;
}

Result<void> Ledger::add(const Lease& lease, const RentLimits& limits) {
  std::optional<std::string> refused;
  impl_->in_transaction([&] {
    refused = why_too_dear(all_leases(), lease.order, limits, lease.asked);
    if (!refused) impl_->write(lease);
    return !refused;
  });
  if (refused) return because(*refused);
  return {};
}

Result<void> Ledger::Impl::raise(std::string_view id, const RentLimits& limits,
                                 const std::function<void(Lease&)>& change) {
  std::optional<std::string> refused;
  in_transaction([&] {
    std::vector<Lease> others = select("");
    const auto found = std::ranges::find(others, id, &Lease::id);
    if (found == others.end()) return false;
    Lease raised = std::move(*found);
    others.erase(found);
    change(raised);
    // The limits see it as if it were ordered anew, for its whole time.
    refused = why_too_dear(others, raised.order, limits, lease_now_ns());
    if (!refused) write(raised);
    return !refused;
  });
  if (refused) return because(*refused);
  return {};
}

Result<void> Ledger::move_deadline(std::string_view id, UtcNs deadline, const RentLimits& limits) {
  return impl_->raise(id, limits, [&](Lease& lease) {
    lease.deadline = deadline;
    lease.order.term = from_ns(deadline - lease.asked);
  });
}

Result<void> Ledger::allow_to_fetch(std::string_view id, std::int64_t bytes,
                                    const RentLimits& limits) {
  return impl_->raise(id, limits, [&](Lease& lease) { lease.order.may_fetch = bytes; });
}

std::optional<Lease> Ledger::update(std::string_view id,
                                    const std::function<void(Lease&)>& change) {
  std::optional<Lease> lease;
  impl_->in_transaction([&] {
    lease = impl_->find(id);
    if (!lease) return false;
    const Lease before = *lease;
    change(*lease);
    if (*lease == before) return false;
    impl_->write(*lease);
    return true;
  });
  return lease;
}

std::optional<Lease> Ledger::find(std::string_view id) const {
  return impl_->find(id);
}

std::vector<Lease> Ledger::find_all(std::string_view beginning) const {
  return impl_->select("WHERE substr(id, 1, length(?1)) = ?1", beginning);
}

std::vector<Lease> Ledger::open_leases() const {
  return impl_->select("WHERE state <> 'gone'");
}

std::vector<Lease> Ledger::all_leases() const {
  return impl_->select("");
}

std::vector<Lease> Ledger::leases_of(std::string_view scope) const {
  return impl_->select("WHERE json_extract(record, '$.scope') = ?", scope);
}

void Ledger::forget(std::string_view id) {
  impl_->in_transaction([&] {
    for (const char* sql :
         {"DELETE FROM lease_events WHERE lease = ?", "DELETE FROM leases WHERE id = ?"}) {
      SQLite::Statement statement(impl_->db, sql);
      statement.bind(1, std::string(id));
      statement.exec();
    }
    return true;
  });
}

void Ledger::add_event(std::string_view id, std::string_view what) {
  impl_->guarded([&] {
    SQLite::Statement statement(impl_->db, "INSERT INTO lease_events VALUES (?, ?, ?)");
    SQLite::bind(statement, std::string(id), lease_now_ns(), std::string(what));
    statement.exec();
  });
}

std::vector<LeaseEvent> Ledger::events_of(std::string_view id) const {
  return impl_->guarded([&] {
    SQLite::Statement query(impl_->db,
                            "SELECT at_ns, what FROM lease_events WHERE lease = ? ORDER BY rowid");
    query.bind(1, std::string(id));
    std::vector<LeaseEvent> events;
    while (query.executeStep())
      events.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString()});
    return events;
  });
}

FileLock Ledger::hold(std::string_view id) const {
  FileLock lock(folder_of(id).native() + ".lock");
  // is_held() of another process has the lock for an instant.
  for (int i = 0; i < 20 && !lock.is_held(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    lock.try_again();
  }
  return lock;
}

bool Ledger::is_held(std::string_view id) const {
  return !FileLock(folder_of(id).native() + ".lock").is_held();
}

}  // namespace lapcast
