#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "store/store.h"

namespace lapcast {

// Errors

/// Returns the error of a store: "the store 'FILE' WHAT; ADVICE".
Error store_failure(const std::filesystem::path& file, const std::string& what,
                    const std::string& advice);
/// Explains to the user what SQLite reported. `code` is a result code of sqlite.org/rescode.html,
/// extended or not, `system_errno` is that of sqlite3_system_errno() or 0, and `detail` has
/// SQLite's own words.
Error store_error(const std::filesystem::path& file, int code, int system_errno,
                  const std::string& detail);
/// Explains to the user what SQLite reported about the file; `db` is the connection, or null.
Error translated(const std::filesystem::path& file, const SQLite::Exception& error,
                 SQLite::Database* db);

// The file

/// Creates the file, readable for its owner only, and the folders that it needs, unless they exist.
/// Throws Error (store) when it is a folder or not a regular file, or cannot be created or written.
void make_store_file(const std::filesystem::path& file);

/// Throws Error (store) when the file is not a regular file that can be read.
void check_store_file(const std::filesystem::path& file);

/// Returns whether this process may write the file or the folder.
bool can_write(const std::filesystem::path& file);

/// Returns whether SQLite's write-ahead log works on file systems of this f_type (statfs(2)): its
/// index is memory that processes share, which network and FUSE file systems do not offer reliably
/// (sqlite.org/wal.html, "Overview").
bool wal_works_on(std::int64_t file_system_type);
/// Returns whether the write-ahead log works on the file system of the file.
bool wal_works_at(const std::filesystem::path& file);

/// Returns the file as an SQLite URI that takes no lock and writes nothing: for read-only file
/// systems.
std::string immutable_uri(const std::filesystem::path& file);

// Its schema

/// Distinguishes a store from other SQLite files, as its PRAGMA application_id. PRAGMA user_version
/// is the version of the schema, which docs/reference.md describes.
inline constexpr std::int64_t kStoreApplicationId = 0x6c617063;  // "lapc"

/// Is the oldest version that is read as it is if it cannot be brought up to date: later ones only
/// add indexes.
inline constexpr std::int64_t kReadableVersion = 3;

/// Brings a schema from the version before to `version`. It never changes once it is released.
struct Migration {
  std::int64_t version;
  const char* sql;
};
/// Returns the migrations in order: versions 1, 2, 3 ...
std::span<const Migration> migrations();

/// Says what an SQLite file is: empty, a store of an older, this or a newer lapcast, or the file of
/// another program.
enum class StoreKind { empty, older, current, newer, foreign };
/// Returns what the file is. Throws SQLite::Exception.
StoreKind kind_of(SQLite::Database& db, std::span<const Migration> steps = migrations());

/// Applies the steps that are missing, all or none. Does nothing when another process was faster.
/// Throws SQLite::Exception.
void migrate(SQLite::Database& db, std::span<const Migration> steps = migrations());

/// Returns "schema 7 of lapcast 0.9.0", for the message about a newer store. Every schema keeps the
/// column runs.lapcast_version for this.
std::string describe_schema(SQLite::Database& db);

// Its rows

/// Returns the end of the range of all texts that begin with `prefix`, where the range starts.
/// Texts of a store are UTF-8, compared byte by byte, and no character follows U+10FFFF.
std::string end_of_prefix(const std::string& prefix);

/// Finds at most two ids that begin with ?1 (?2 = end_of_prefix()); an exact match comes first.
inline constexpr const char* kFindRun =
    "SELECT seq, id FROM runs WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 2";
/// Finds at most two sweeps whose name is ?1, or whose id begins with it; exact matches come first.
inline constexpr const char* kFindSweep =
    "WHERE name = ?1 OR (id >= ?1 AND id < ?2) "
    "ORDER BY id <> ?1 AND name <> ?1, seq DESC LIMIT 2";

/// Returns the query for the numbers (seq) of the filter's runs, the newest first.
std::string query_of(const RunFilter& filter);

/// Returns a function that reads the text of a column of the row.
inline auto text_of(SQLite::Statement& row) {
  return [&row](int column) { return row.getColumn(column).getString(); };
}

/// Runs a statement with these values for ?1, ?2 ...
template <class... Values>
void run_statement(SQLite::Database& db, const char* sql, const Values&... values) {
  SQLite::Statement statement(db, sql);
  SQLite::bind(statement, values...);
  statement.exec();
}

// Its records

/// Bounds the length of a JSON line that is stored as it is.
inline constexpr std::size_t kMostPlainBytes = 8192;
/// Returns a JSON line as a store keeps it: as it is up to kMostPlainBytes, else in zlib's format
/// (RFC 1950), which begins with 'x' where a line begins with '{'.
std::string pack_record(std::string line);

/// Returns the line of a record. `line_bytes` is its length, which is kept beside the record; a
/// record of another length is refused.
Result<std::string> unpack_record(std::string_view record, std::int64_t line_bytes);

/// Holds a run as its row keeps it.
struct StoredRecord {
  std::string id;
  std::int64_t line_bytes = 0;  // of the JSON line
  std::string record;           // pack_record() of the line
};

/// Holds the open file of a store.
struct Store::Impl {
  std::filesystem::path file;
  SQLite::Database db;
  // Statements that are prepared once, and destroyed before db.
  std::optional<SQLite::Statement> insert;
  std::optional<SQLite::Statement> select_run;

  /// Opens `open_as`, an absolute name or a URI.
  Impl(std::filesystem::path name, const std::string& open_as, int flags,
       std::chrono::milliseconds patience)
      : file(std::move(name)), db(open_as, flags, static_cast<int>(patience.count())) {}

  /// Reads the record, or the run, with that number (runs.seq); nothing when there is none.
  std::optional<StoredRecord> record_in(std::int64_t row);
  std::optional<Run> run_in(std::int64_t row);

  /// Returns what work() returns. Throws Error for what SQLite throws.
  template <class Work>
  auto guarded(Work work) {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      throw translated(file, error, &db);
    }
  }
};

}  // namespace lapcast
