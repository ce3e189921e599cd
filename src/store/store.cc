#include "store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool is_busy(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_BUSY || error.getErrorCode() == SQLITE_LOCKED;
}

/// Chooses WAL, which keeps readers and a writer apart and needs no fsync per run. If it does not
/// work, or another process holds the file just now, the rollback journal and full syncs are used.
void choose_journal(SQLite::Database& db, const fs::path& file) {
  const bool wal_wanted = wal_works_at(file);
  try {
    const std::string mode = db.execAndGet("PRAGMA journal_mode").getString();
    if (wal_wanted && mode != "wal") db.execAndGet("PRAGMA journal_mode = WAL");
    if (!wal_wanted && mode == "wal") db.execAndGet("PRAGMA journal_mode = DELETE");
  } catch (const SQLite::Exception& error) {
    if (!is_busy(error)) throw;
  }
  const bool wal = db.execAndGet("PRAGMA journal_mode").getString() == "wal";
  db.exec(wal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  // A run changes a page of each index, so that a checkpoint of as many runs takes more pages.
  db.exec("PRAGMA wal_autocheckpoint = 2000");
  db.exec("PRAGMA cache_size = -8000");  // KiB: the ids are in no order, and their index is large
}

[[noreturn]] void refuse(SQLite::Database& db, const fs::path& file, StoreKind kind) {
  if (kind == StoreKind::foreign)
    throw Error(
        ExitCode::store_failed,
        fmt::format("'{}' is an SQLite file of another program, not a lapcast store; choose "
                    "another file with --store or LAPCAST_STORE",
                    printable(file.native(), 500)));
  throw store_failure(file,
                      fmt::format("has {}, newer than schema {} of this lapcast",
                                  describe_schema(db), migrations().back().version),
                      "use the newer lapcast, or another store with --store or LAPCAST_STORE");
}

void bring_up_to_date(SQLite::Database& db, const fs::path& file) {
  const StoreKind kind = kind_of(db);
  if (kind == StoreKind::foreign || kind == StoreKind::newer) refuse(db, file, kind);
  choose_journal(db, file);
  if (kind != StoreKind::current) migrate(db);
}

void check_for_reading(SQLite::Database& db, const fs::path& file) {
  const StoreKind kind = kind_of(db);
  if (kind == StoreKind::foreign || kind == StoreKind::newer) refuse(db, file, kind);
  const auto version = db.execAndGet("PRAGMA user_version").getInt64();
  if (kind == StoreKind::current || version >= kReadableVersion) return;
  throw store_failure(file, "has an older schema and cannot be written to be brought up to date",
                      "copy it to where it can be written and name the copy with --store");
}

/// Repeats the attempt while others hold the file: SQLite itself does not always wait for a store
/// to be created or its journal to be changed.
template <class Attempt>
auto with_patience(std::chrono::milliseconds patience, Attempt attempt) {
  const Clock::time_point until = Clock::now() + patience;
  while (true) {
    try {
      return attempt();
    } catch (const SQLite::Exception& error) {
      if (!is_busy(error) || Clock::now() >= until) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Returns whether the file alone has all that was stored: neither a write-ahead log with content
/// nor the journal of an interrupted change is beside it.
bool is_whole_alone(const fs::path& file) {
  const auto is_empty = [&](const char* suffix) {
    std::error_code absent;
    const auto bytes = fs::file_size(fs::absolute(file).native() + suffix, absent);
    return absent || bytes == 0;
  };
  return is_empty("-wal") && is_empty("-journal");
}

/// Keeps all others out while the file is open, and thereby the index of the write-ahead log in the
/// memory of this process (sqlite.org/wal.html, "Use of WAL Without Shared-Memory"). What the log
/// holds is read and stays as it is.
void lock_others_out(SQLite::Database& db, const fs::path&) {
  db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY");
  sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  db.exec("PRAGMA query_only = 1");
}

bool is_refused(const SQLite::Exception& error) {
  return error.getErrorCode() == SQLITE_CANTOPEN || error.getErrorCode() == SQLITE_READONLY;
}

}  // namespace

struct Store::Opener {
  using Prepare = void (*)(SQLite::Database&, const fs::path&);

  const fs::path& file;
  std::chrono::milliseconds patience;

  std::unique_ptr<Impl> connect(const std::string& name, int flags, Prepare prepare) const {
    auto impl = std::make_unique<Impl>(file, name, flags, patience);
    impl->guarded([&] { with_patience(patience, [&] { prepare(impl->db, file); }); });
    return impl;
  }
  std::unique_ptr<Impl> for_writing() const {
    return connect(fs::absolute(file).native(), SQLite::OPEN_READWRITE, bring_up_to_date);
  }
  /// Opens for writing first, so that an older schema is brought up to date. On a full disk the
  /// files that WAL mode needs beside the store cannot be made, and it opens without them.
  std::unique_ptr<Impl> for_reading_a_writable_file() const {
    try {
      auto impl = for_writing();
      impl->db.exec("PRAGMA query_only = 1");
      return impl;
    } catch (const Error&) {
      if (!why_not_writable(fs::absolute(file).parent_path())) throw;
      try {
        return or_immutable(SQLite::OPEN_READWRITE, lock_others_out);
      } catch (const std::runtime_error&) {  // The first error tells more.
      }
      throw;
    }
  }
  std::unique_ptr<Impl> for_reading() const {
    return or_immutable(SQLite::OPEN_READONLY, [](SQLite::Database&, const fs::path&) {});
  }
  /// Opens the file with these flags, after `prepare`, for reading. A store in WAL mode needs its
  /// log, and thereby a folder that can be written; if SQLite refuses to open it without these, and
  /// no log has content, the file alone is whole and is read as it is.
  std::unique_ptr<Impl> or_immutable(int flags, Prepare prepare) const {
    try {
      auto impl = std::make_unique<Impl>(file, fs::absolute(file).native(), flags, patience);
      prepare(impl->db, file);
      with_patience(patience, [&] { check_for_reading(impl->db, file); });
      return impl;
    } catch (const SQLite::Exception& error) {
      if (!is_refused(error) || !is_whole_alone(file)) throw;
    }
    return connect(immutable_uri(fs::absolute(file)), SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                   check_for_reading);
  }
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

void Store::wipe_replaced() {
  impl_->guarded([&] {
    impl_->insert.reset();  // VACUUM fails while a statement is open.
    impl_->select_run.reset();
    impl_->db.exec("PRAGMA secure_delete = ON");
    impl_->db.exec("VACUUM");
    SQLite::Statement checkpoint(impl_->db, "PRAGMA wal_checkpoint(TRUNCATE)");
    if (checkpoint.executeStep() && checkpoint.getColumn(0).getInt() != 0)
      throw store_failure(file(),
                          "is used by another lapcast, and its log still holds what was replaced",
                          "run this again when that has ended");
  });
}

const fs::path& Store::file() const {
  return impl_->file;
}

Store Store::open(const fs::path& file, std::chrono::milliseconds patience) {
  try {
    make_store_file(file);
    return Store(Opener{file, patience}.for_writing());
  } catch (const SQLite::Exception& error) {
    throw translated(file, error, nullptr);
  }
}

Store Store::open_existing(const fs::path& file, std::chrono::milliseconds patience) {
  try {
    check_store_file(file);
    const bool writable = can_write(file) && can_write(fs::absolute(file).parent_path());
    if (!writable) return Store(Opener{file, patience}.for_reading());
    return Store(Opener{file, patience}.for_reading_a_writable_file());
  } catch (const SQLite::Exception& error) {
    throw translated(file, error, nullptr);
  }
}

}  // namespace lapcast
