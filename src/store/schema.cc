#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>

#include "core/units.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,         -- in the order in which they were stored
  id TEXT NOT NULL UNIQUE,
  sweep TEXT NOT NULL,             -- sweeps.id; '' = a single probe
  kind TEXT NOT NULL,              -- 'probe', 'full', 'find-epochs'
  machine_type TEXT NOT NULL,
  settings TEXT NOT NULL,          -- 'batch=128 lr=0.1'
  program TEXT NOT NULL,           -- one line, placeholders filled
  started_at TEXT NOT NULL,        -- UTC, ISO 8601
  outcome TEXT NOT NULL,           -- one line
  has_laps INTEGER NOT NULL,
  wall_s REAL NOT NULL,
  usd_per_hour TEXT,               -- exact decimal; NULL = no price given
  lapcast_version TEXT NOT NULL,
  record_bytes INTEGER NOT NULL,   -- of the JSON line
  record BLOB NOT NULL             -- the whole run: its JSON line, or that line in zlib format
);
CREATE TABLE sweeps (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,               -- fingerprint of fleet, program, plan and settings
  created_at TEXT NOT NULL,
  fleet_file TEXT NOT NULL,
  description TEXT NOT NULL,       -- JSON
  finished INTEGER NOT NULL
);
CREATE INDEX sweeps_by_key ON sweeps (key);
)sql";

constexpr const char* kVersion2 = R"sql(
CREATE TABLE errands (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,         -- runs.id of the run that it will give
  sweep TEXT NOT NULL,             -- sweeps.id; '' = none
  purpose TEXT NOT NULL,           -- 'probe', 'offload', 'remove'
  place TEXT NOT NULL,             -- for people: 'ssh gpu-box'
  created_at TEXT NOT NULL,        -- UTC, ISO 8601
  request TEXT NOT NULL            -- JSON: all that is needed to begin it again or to follow it
);
)sql";

constexpr const char* kVersion3 = R"sql(
ALTER TABLE runs ADD COLUMN folder TEXT NOT NULL DEFAULT '';    -- in which it was started
ALTER TABLE runs ADD COLUMN tag TEXT NOT NULL DEFAULT '';       -- the user's own
ALTER TABLE sweeps ADD COLUMN folder TEXT NOT NULL DEFAULT '';  -- in which it was begun
ALTER TABLE sweeps ADD COLUMN name TEXT NOT NULL DEFAULT '';    -- the user's own
)sql";

// Commands query runs by one of these, the newest last. Each index makes storing a run slower, so
// rare queries (by folder) have none.
constexpr const char* kVersion4 = R"sql(
CREATE INDEX runs_by_start ON runs (started_at, sweep, program, has_laps);
CREATE INDEX runs_by_sweep ON runs (sweep, started_at);
CREATE INDEX runs_by_program ON runs (program, started_at);
CREATE INDEX full_runs_by_program ON runs (program, started_at) WHERE kind = 'full';
CREATE INDEX runs_by_tag ON runs (tag) WHERE tag <> '';
CREATE INDEX sweeps_by_folder ON sweeps (folder);
CREATE INDEX sweeps_by_name ON sweeps (name);
)sql";

constexpr Migration kMigrations[] = {
    {1, kVersion1}, {2, kVersion2}, {3, kVersion3}, {4, kVersion4}};

std::int64_t number(SQLite::Database& db, const char* query) {
  return db.execAndGet(query).getInt64();
}

}  // namespace

std::span<const Migration> migrations() {
  return kMigrations;
}

StoreKind kind_of(SQLite::Database& db, std::span<const Migration> steps) {
  // The transaction shows one state of the file to all questions: another process may be creating
  // the store just now.
  const SQLite::Transaction one_state(db, SQLite::TransactionBehavior::DEFERRED);
  const std::int64_t version = number(db, "PRAGMA user_version");
  if (number(db, "PRAGMA application_id") != kStoreApplicationId) {
    const bool empty = version == 0 && number(db, "PRAGMA application_id") == 0 &&
                       number(db, "SELECT count(*) FROM sqlite_master") == 0;
    return empty ? StoreKind::empty : StoreKind::foreign;
  }
  if (version > steps.back().version) return StoreKind::newer;
  return version == steps.back().version ? StoreKind::current : StoreKind::older;
}

void migrate(SQLite::Database& db, std::span<const Migration> steps) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const std::int64_t version = number(db, "PRAGMA user_version");
  for (const Migration& step : steps) {
    if (step.version <= version) continue;
    db.exec(step.sql);
    db.exec(fmt::format("PRAGMA user_version = {}", step.version));
  }
  db.exec(fmt::format("PRAGMA application_id = {}", kStoreApplicationId));
  transaction.commit();
}

std::string describe_schema(SQLite::Database& db) {
  std::string text = fmt::format("schema {}", number(db, "PRAGMA user_version"));
  try {
    SQLite::Statement query(db, "SELECT lapcast_version FROM runs ORDER BY seq DESC LIMIT 1");
    if (query.executeStep()) text += " of lapcast " + printable(query.getColumn(0).getString(), 20);
  } catch (const SQLite::Exception&) {  // The newer schema lacks the column after all.
  }
  return text;
}

}  // namespace lapcast
