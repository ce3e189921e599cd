#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/money.h"
#include "core/units.h"
#include "run/repair.h"
#include "run/run_json.h"
#include "run/secrets.h"
#include "store/record.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostRecordBytes = 1'000'000'000;  // SQLITE_MAX_LENGTH

template <class Rows>
std::string joined(const Rows& parts) {
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : " ") + part;
  return line;
}

std::string settings_line(const RunContext& context) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : context.settings) parts.push_back(key + "=" + value);
  return joined(parts);
}

// A single statement is its own transaction and takes the write lock at its beginning, as BEGIN
// IMMEDIATE would.
constexpr const char* kInsert = R"sql(
INSERT INTO runs (id, sweep, kind, machine_type, settings, program, started_at, outcome, has_laps,
                  wall_s, usd_per_hour, lapcast_version, record_bytes, record)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
ON CONFLICT (id) DO UPDATE SET
  sweep = ?2, kind = ?3, machine_type = ?4, settings = ?5, program = ?6, started_at = ?7,
  outcome = ?8, has_laps = ?9, wall_s = ?10, usd_per_hour = ?11, lapcast_version = ?12,
  record_bytes = ?13, record = ?14
WHERE ?15)sql";

/// Resets a statement at its end: one that failed holds its locks until then.
struct ResetAtEnd {
  SQLite::Statement& statement;
  ~ResetAtEnd() { statement.tryReset(); }
};

/// Inserts a run. Returns false when its id is there already and is not to be replaced.
bool insert_run(SQLite::Statement& insert, const Run& run, bool replace) {
  const RunContext& context = run.context;
  std::string line = to_json_line(run);
  const auto line_bytes = static_cast<std::int64_t>(line.size());
  const std::string record = pack_record(std::move(line));
  if (record.size() > kMostRecordBytes) {
    throw Error(ExitCode::store_failed,
                fmt::format("run {} cannot be stored: it has {} of lap logs "
                            "and output, more than a store takes",
                            run.context.id, format_bytes(line_bytes)));
  }
  int column = 0;
  for (const std::string& text :
       {context.id, context.sweep, std::string(to_string(context.kind)), context.machine_type.name,
        masked_text(settings_line(context)), shown_program(context), context.started_at,
        describe(run.outcome)}) {
    insert.bind(++column, text);
  }
  insert.bind(9, static_cast<int>(has_laps(run.outcome)));
  insert.bind(10, run.wall().count());
  insert.bind(11);
  if (context.price) insert.bind(11, exact_decimal(context.price->price.per_hour));
  insert.bind(12, context.lapcast_version);
  insert.bind(13, line_bytes);
  insert.bindNoCopy(14, record.data(), static_cast<int>(record.size()));
  insert.bind(15, static_cast<int>(replace));
  return insert.exec() > 0;
}

/// Reads a row of the columns id, record_bytes, record.
Run read_run(const std::filesystem::path& file, SQLite::Statement& row) {
  const SQLite::Column blob = row.getColumn(2);
  const auto* const bytes = static_cast<const char*>(blob.getBlob());
  const std::string_view record(bytes == nullptr ? "" : bytes,
                                static_cast<std::size_t>(blob.getBytes()));
  const Result<std::string> line = unpack_record(record, row.getColumn(1).getInt64());
  Result<Run> run = line ? run_from_json_line(*line) : tl::unexpected(line.error());
  if (run) {
    using namespace std::chrono;
    repair_measured(*run, date_of(floor<seconds>(system_clock::now())));
    return std::move(*run);
  }
  throw Error(
      ExitCode::store_failed,
      fmt::format("run {} in the store '{}' cannot be read: {}; put back a copy of the "
                  "store, or go on without it: sqlite3 FILE \"DELETE FROM runs WHERE id = "
                  "'{}'\"",
                  printable(row.getColumn(0).getString(), 64), printable(file.native(), 500),
                  run.error().text, printable(row.getColumn(0).getString(), 64)));
}

std::string where(const RunFilter& filter) {
  std::string text = " FROM runs WHERE 1";
  if (filter.sweep) text += " AND sweep = :sweep";
  if (filter.kind) text += fmt::format(" AND kind = '{}'", to_string(*filter.kind));
  text += " ORDER BY started_at DESC, seq DESC";
  if (filter.newest > 0) text += fmt::format(" LIMIT {}", filter.newest);
  return text;
}

/// Returns all rows, the newest last.
template <class T, class Read>
std::vector<T> select(SQLite::Database& db, const char* columns, const RunFilter& filter,
                      Read read) {
  SQLite::Statement query(db, columns + where(filter));
  if (filter.sweep) query.bind(":sweep", *filter.sweep);
  std::vector<T> rows;
  while (query.executeStep()) rows.push_back(read(query));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

RunKind kind_named(const std::string& name) {
  for (const RunKind kind : {RunKind::full, RunKind::find_epochs}) {
    if (name == to_string(kind)) return kind;
  }
  return RunKind::probe;
}

RunSummary read_summary(SQLite::Statement& row) {
  const auto text = [&](int column) { return row.getColumn(column).getString(); };
  return {text(0), text(1), kind_named(text(2)),           text(3), text(4), text(5),
          text(6), text(7), row.getColumn(8).getInt() != 0};
}

}  // namespace

bool Store::add(const Run& run, bool replace) {
  if (const auto reason = why_not_kept(run)) {
    throw Error(ExitCode::bad_input, fmt::format("a run cannot be stored: {}", reason->text));
  }
  return impl_->guarded([&] {
    if (!impl_->insert) impl_->insert.emplace(impl_->db, kInsert);
    const ResetAtEnd reset{*impl_->insert};
    const bool no_pending_run = run.context.place.empty() || was_imported(run.context);
    if (no_pending_run) return insert_run(*impl_->insert, run, replace);
    SQLite::Transaction transaction(impl_->db, SQLite::TransactionBehavior::IMMEDIATE);
    const bool added = insert_run(*impl_->insert, run, replace);
    impl_->insert->tryReset();
    SQLite::Statement stored(impl_->db, "UPDATE errands SET purpose = ?1 WHERE id = ?2");
    stored.bind(1, kRemoval);
    stored.bind(2, run.context.id);
    stored.exec();
    transaction.commit();
    return added;
  });
}

std::vector<RunSummary> Store::list(const RunFilter& filter) const {
  return impl_->guarded([&] {
    return select<RunSummary>(impl_->db,
                              "SELECT id, sweep, kind, machine_type, settings, program, "
                              "started_at, outcome, has_laps",
                              filter, read_summary);
  });
}

std::vector<Run> Store::runs(const RunFilter& filter) const {
  std::vector<Run> runs = impl_->guarded([&] {
    return select<Run>(impl_->db, "SELECT id, record_bytes, record", filter,
                       [&](SQLite::Statement& row) { return read_run(file(), row); });
  });
  if (filter.own) std::erase_if(runs, [](const Run& run) { return was_imported(run.context); });
  return runs;
}

Run Store::get(const std::string& id_prefix) const {
  const auto no_run = [&](const char* what, const std::string& advice) {
    return Error(ExitCode::usage,
                 fmt::format("{} '{}' in the store '{}'; {}", what, printable(id_prefix, 70),
                             printable(file().native(), 500), advice));
  };
  return impl_->guarded([&] {
    const bool last = id_prefix == "last";
    SQLite::Statement query(
        impl_->db, last ? "SELECT id, record_bytes, record FROM runs "
                          "ORDER BY started_at DESC, seq DESC LIMIT 1"
                        : "SELECT id, record_bytes, record FROM runs "
                          "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id <> ?1, id LIMIT 2");
    if (!last) query.bind(1, id_prefix);
    if (!query.executeStep()) throw no_run("there is no run", "`lapcast runs` lists them");
    Run run = read_run(file(), query);
    if (!last && run.context.id != id_prefix && query.executeStep()) {
      throw no_run("more than one run begins with",
                   fmt::format("such as {} and {}", run.context.id,
                               printable(query.getColumn(0).getString(), 64)));
    }
    return run;
  });
}

}  // namespace lapcast
