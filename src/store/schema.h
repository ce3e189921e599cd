#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace SQLite {
class Database;
}

namespace lapcast {

/// What docs/store.md describes. PRAGMA application_id tells a store from other SQLite files,
/// PRAGMA user_version is the version of its schema.
inline constexpr std::int64_t kStoreApplicationId = 0x6c617063;  // "lapc"

/// Brings a schema of the version before to `version`. Never changed once released.
struct Migration {
  std::int64_t version;
  const char* sql;
};
/// Returns the migrations in order: versions 1, 2, 3 ...
std::span<const Migration> migrations();

enum class StoreKind {
  empty,    // nothing in it yet
  older,    // of an older lapcast: to be migrated
  current,  //
  newer,    // of a newer lapcast
  foreign,  // of another program
};
/// Throws SQLite::Exception.
StoreKind kind_of(SQLite::Database& db, std::span<const Migration> steps = migrations());

/// Applies the steps that are missing, all or none; a no-op when another process was faster.
/// Throws SQLite::Exception.
void migrate(SQLite::Database& db, std::span<const Migration> steps = migrations());

/// Returns "schema 7 of lapcast 0.9.0", for the message about a newer store. runs.lapcast_version
/// is kept in every schema for this.
std::string describe_schema(SQLite::Database& db);

}  // namespace lapcast
