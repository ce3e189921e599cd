#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/money.h"
#include "core/units.h"
#include "run/repair.h"
#include "run/run_json.h"
#include "run/secrets.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostLineBytes = 4'000'000'000;

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}
Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

constexpr std::size_t kMostRecordBytes = 1'000'000'000;  // This is SQLITE_MAX_LENGTH.

std::string settings_line(const RunContext& context) {
  std::string line;
  for (const auto& [key, value] : context.settings)
    line += (line.empty() ? "" : " ") + key + "=" + value;
  return line;
}

// A single statement is its own transaction and takes the write lock at its beginning, as BEGIN
// IMMEDIATE would.
constexpr const char* kInsert = R"sql(
INSERT INTO runs (id, sweep, kind, machine_type, settings, program, started_at, outcome, has_laps,
                  wall_s, usd_per_hour, lapcast_version, record_bytes, record, folder)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?16)
ON CONFLICT (id) DO UPDATE SET
  sweep = ?2, kind = ?3, machine_type = ?4, settings = ?5, program = ?6, started_at = ?7,
  outcome = ?8, has_laps = ?9, wall_s = ?10, usd_per_hour = ?11, lapcast_version = ?12,
  record_bytes = ?13, record = ?14, folder = ?16
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
  SQLite::bind(insert, context.id, context.sweep, std::string(to_string(context.kind)),
               context.machine_type.name, masked_text(settings_line(context)),
               shown_program(context), context.started_at, describe(run.outcome),
               static_cast<int>(has_laps(run.outcome)), run.wall().count());
  insert.bind(11);
  if (context.price) insert.bind(11, exact_decimal(context.price->price.per_hour));
  insert.bind(12, context.lapcast_version);
  insert.bind(13, line_bytes);
  insert.bindNoCopy(14, record.data(), static_cast<int>(record.size()));
  insert.bind(15, static_cast<int>(replace));
  insert.bind(16, context.working_dir);
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
  if (filter.folder) text += " AND folder = :folder";
  if (filter.tag) text += " AND tag = :tag";
  if (filter.program) text += " AND instr(program, :program) > 0";
  if (filter.since) text += " AND started_at >= :since";
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
  const std::pair<const char*, const std::optional<std::string>*> values[] = {
      {":sweep", &filter.sweep},
      {":folder", &filter.folder},
      {":tag", &filter.tag},
      {":program", &filter.program},
      {":since", &filter.since}};
  for (const auto& [name, value] : values)
    if (*value) query.bind(name, **value);
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

/// Returns a function that reads the text of a column of the row.
auto text_of(SQLite::Statement& row) {
  return [&row](int column) { return row.getColumn(column).getString(); };
}

RunSummary read_summary(SQLite::Statement& row) {
  const auto text = text_of(row);
  return {text(0), text(1), kind_named(text(2)),
          text(3), text(4), text(5),
          text(6), text(7), row.getColumn(8).getInt() != 0,
          text(9), text(10)};
}

/// Runs a statement with these values for ?1, ?2 ...
template <class... Values>
void run_statement(SQLite::Database& db, const char* sql, const Values&... values) {
  SQLite::Statement statement(db, sql);
  SQLite::bind(statement, values...);
  statement.exec();
}

std::vector<Sweep> read_sweeps(SQLite::Database& db, const std::string& where_and_order,
                               const std::optional<std::string>& key = std::nullopt) {
  SQLite::Statement query(
      db,
      "SELECT id, key, created_at, fleet_file, description, finished, folder, name FROM sweeps " +
          where_and_order);
  if (key) query.bind(1, *key);
  std::vector<Sweep> sweeps;
  while (query.executeStep()) {
    const auto text = text_of(query);
    sweeps.push_back({text(0), text(1), text(2), text(3), text(4), query.getColumn(5).getInt() != 0,
                      text(6), text(7)});
  }
  return sweeps;
}

}  // namespace

std::string pack_record(std::string line) {
  if (line.size() <= kMostPlainBytes) return line;
  uLongf size = compressBound(line.size());
  std::string packed(size, '\0');
  if (compress2(bytes_of(packed), &size, bytes_of(std::string_view(line)), line.size(),
                Z_BEST_SPEED) != Z_OK) {
    throw std::bad_alloc();  // With enough room, compress2() fails in no other way.
  }
  packed.resize(size);
  return packed;
}

Result<std::string> unpack_record(std::string_view record, std::int64_t line_bytes) {
  if (record.empty() || record.front() != 'x') return std::string(record);
  if (line_bytes < 0 || line_bytes > kMostLineBytes) return because("its length is out of range");
  std::string line(static_cast<std::size_t>(line_bytes), '\0');
  uLongf size = line.size();
  if (uncompress(bytes_of(line), &size, bytes_of(record), record.size()) != Z_OK ||
      size != line.size()) {
    return because("its compressed text is damaged");
  }
  return line;
}

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
    run_statement(impl_->db, "UPDATE errands SET purpose = ?1 WHERE id = ?2", kRemoval,
                  run.context.id);
    transaction.commit();
    return added;
  });
}

std::vector<RunSummary> Store::list(const RunFilter& filter) const {
  return impl_->guarded([&] {
    return select<RunSummary>(impl_->db,
                              "SELECT id, sweep, kind, machine_type, settings, program, "
                              "started_at, outcome, has_laps, folder, tag",
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
  const std::vector<Sweep> newest = impl_->guarded([&] {
    return read_sweeps(
        impl_->db, "WHERE fleet_file <> '' ORDER BY folder = ?1 DESC, seq DESC LIMIT 1", folder);
  });
  return newest.empty() ? std::nullopt : std::optional(newest.front());
}

std::optional<Sweep> Store::find_sweep(const std::string& id_or_name) const {
  const std::vector<Sweep> found = impl_->guarded([&] {
    return read_sweeps(impl_->db,
                       "WHERE name = ?1 OR substr(id, 1, length(?1)) = ?1 "
                       "ORDER BY id <> ?1 AND name <> ?1, seq DESC LIMIT 2",
                       id_or_name);
  });
  if (found.empty()) return std::nullopt;
  const Sweep& first = found.front();
  if (found.size() > 1 && first.id != id_or_name && first.name != id_or_name)
    throw Error(ExitCode::usage,
                fmt::format("more than one sweep begins with '{}', such as {} and {}",
                            printable(id_or_name, 70), first.id, found.back().id));
  return first;
}

void Store::tag_run(const std::string& id, const std::string& tag) {
  impl_->guarded(
      [&] { run_statement(impl_->db, "UPDATE runs SET tag = ?2 WHERE id = ?1", id, tag); });
}

void Store::name_sweep(const std::string& id, const std::string& name) {
  impl_->guarded(
      [&] { run_statement(impl_->db, "UPDATE sweeps SET name = ?2 WHERE id = ?1", id, name); });
}

void Store::remove_run(const std::string& id) {
  impl_->guarded([&] { run_statement(impl_->db, "DELETE FROM runs WHERE id = ?1", id); });
}

void Store::remove_sweep(const std::string& id) {
  impl_->guarded([&] {
    SQLite::Transaction transaction(impl_->db, SQLite::TransactionBehavior::IMMEDIATE);
    run_statement(impl_->db, "DELETE FROM runs WHERE sweep = ?1", id);
    run_statement(impl_->db, "DELETE FROM sweeps WHERE id = ?1", id);
    transaction.commit();
  });
}

std::int64_t Store::version() const {
  return impl_->guarded([&] { return impl_->db.execAndGet("PRAGMA data_version").getInt64(); });
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
