#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/money.h"
#include "core/units.h"
#include "posix/on_all_cpus.h"
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

/// Resets a statement at the end of its scope: one that failed holds its locks until then.
struct ResetAtEnd {
  SQLite::Statement& statement;
  ~ResetAtEnd() { statement.tryReset(); }
};

/// Inserts a run. Returns false if its id exists already and is not to be replaced.
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

Run read_run(const std::filesystem::path& file, const StoredRecord& stored) {
  const Result<std::string> line = unpack_record(stored.record, stored.line_bytes);
  Result<Run> run = line ? run_from_json_line(*line) : tl::unexpected(line.error());
  if (run) {
    using namespace std::chrono;
    repair_measured(*run, date_of(floor<seconds>(system_clock::now())));
    return std::move(*run);
  }
  throw Error(ExitCode::store_failed,
              fmt::format("run {} in the store '{}' cannot be read: {}; put back a copy of the "
                          "store, or go on without it: sqlite3 FILE \"DELETE FROM runs WHERE id = "
                          "'{}'\"",
                          printable(stored.id, 64), printable(file.native(), 500), run.error().text,
                          printable(stored.id, 64)));
}

std::string where(const RunFilter& filter) {
  std::string theirs;  // of the sweep and the command
  if (filter.sweep) theirs += " AND sweep = :sweep";
  if (filter.command) theirs += " AND program = :command";
  std::string text = " FROM runs WHERE 1";
  text += filter.others ? " AND NOT (1" + theirs + ")" : theirs;
  if (filter.kind) text += fmt::format(" AND kind = '{}'", to_string(*filter.kind));
  if (filter.first_word) text += " AND program >= :first_word AND program < :end_of_first_word";
  if (filter.folder) text += " AND folder = :folder";
  if (filter.tag) text += filter.tag->empty() ? " AND tag = :tag" : " AND tag = :tag AND tag <> ''";
  if (filter.program) text += " AND instr(program, :program) > 0";
  if (filter.since) text += " AND started_at >= :since";
  if (filter.with_laps) text += " AND has_laps";
  if (filter.held > 0) text += fmt::format(" AND seq <= {}", filter.held);
  if (!filter.left_out.empty()) text += " AND id NOT IN (SELECT value FROM json_each(:left_out))";
  return text;
}

std::string where_and_order(const RunFilter& filter) {
  std::string text = where(filter) + " ORDER BY started_at DESC, seq DESC";
  if (filter.newest > 0) text += fmt::format(" LIMIT {}", filter.newest);
  return text;
}

void bind(SQLite::Statement& query, const RunFilter& filter) {
  const std::pair<const char*, const std::optional<std::string>*> values[] = {
      {":sweep", &filter.sweep},   {":command", &filter.command},
      {":folder", &filter.folder}, {":first_word", &filter.first_word},
      {":tag", &filter.tag},       {":program", &filter.program},
      {":since", &filter.since}};
  for (const auto& [name, value] : values)
    if (*value) query.bind(name, **value);
  if (filter.first_word) query.bind(":end_of_first_word", end_of_prefix(*filter.first_word));
  if (!filter.left_out.empty())  // an id needs no escapes: is_run_id()
    query.bind(":left_out", fmt::format("[\"{}\"]", fmt::join(filter.left_out, "\",\"")));
}

/// Returns what `read` makes of each row of the filter's runs, the newest last.
template <class Read>
auto select(SQLite::Database& db, const std::string& sql, const RunFilter& filter, Read read) {
  SQLite::Statement query(db, sql);
  bind(query, filter);
  std::vector<decltype(read(query))> rows;
  while (query.executeStep()) rows.push_back(read(query));
  std::reverse(rows.begin(), rows.end());
  return rows;
}

std::vector<std::int64_t> rows_of(SQLite::Database& db, const RunFilter& filter) {
  return select(db, query_of(filter), filter,
                [](SQLite::Statement& row) { return row.getColumn(0).getInt64(); });
}

RunKind kind_named(const std::string& name) {
  for (const RunKind kind : {RunKind::full, RunKind::find_epochs}) {
    if (name == to_string(kind)) return kind;
  }
  return RunKind::probe;
}

RunSummary read_summary(SQLite::Statement& row) {
  const auto text = text_of(row);
  return {.id = text(0),
          .sweep = text(1),
          .kind = kind_named(text(2)),
          .machine_type = text(3),
          .settings = text(4),
          .program = text(5),
          .started_at = text(6),
          .outcome = text(7),
          .outcome_kind = outcome_kind_of(text(7)),
          .has_laps = row.getColumn(8).getInt() != 0,
          .folder = text(9),
          .tag = text(10)};
}

}  // namespace

std::string end_of_prefix(const std::string& prefix) {
  return prefix + "\xF4\x8F\xBF\xBF";
}

std::string query_of(const RunFilter& filter) {
  return "SELECT seq" + where_and_order(filter);
}

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
    return select(impl_->db,
                  "SELECT id, sweep, kind, machine_type, settings, program, "
                  "started_at, outcome, has_laps, folder, tag" +
                      where_and_order(filter),
                  filter, read_summary);
  });
}

std::size_t Store::count(const RunFilter& filter) const {
  return impl_->guarded([&] {
    SQLite::Statement query(impl_->db, "SELECT count(*)" + where(filter));
    bind(query, filter);
    query.executeStep();
    return static_cast<std::size_t>(query.getColumn(0).getInt64());
  });
}

std::optional<StoredRecord> Store::Impl::record_in(std::int64_t row) {
  if (!select_run)
    select_run.emplace(db, "SELECT id, record_bytes, record FROM runs WHERE seq = ?");
  const ResetAtEnd reset{*select_run};
  select_run->bind(1, row);
  if (!select_run->executeStep()) return std::nullopt;
  return StoredRecord{select_run->getColumn(0).getString(), select_run->getColumn(1).getInt64(),
                      select_run->getColumn(2).getString()};
}

std::optional<Run> Store::Impl::run_in(std::int64_t row) {
  const std::optional<StoredRecord> stored = record_in(row);
  return stored ? std::optional(read_run(file, *stored)) : std::nullopt;
}

void Store::for_each_run(const RunFilter& filter, const std::function<void(Run)>& use) const {
  const auto rows = impl_->guarded([&] { return rows_of(impl_->db, filter); });
  for (const std::int64_t row : rows) {
    std::optional<Run> run = impl_->guarded([&] { return impl_->run_in(row); });
    if (run && !(filter.own && was_imported(run->context))) use(*std::move(run));
  }
}

std::vector<Run> Store::runs(const RunFilter& filter) const {
  constexpr std::size_t kMostAtOnce = 256;  // records that are held beside their runs
  const auto rows = impl_->guarded([&] { return rows_of(impl_->db, filter); });
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < rows.size(); begin += kMostAtOnce) {
    std::vector<StoredRecord> records;
    impl_->guarded([&] {
      for (std::size_t i = begin; i < std::min(rows.size(), begin + kMostAtOnce); ++i)
        if (auto record = impl_->record_in(rows[i])) records.push_back(*std::move(record));
    });
    std::vector<Run> read(records.size());
    on_all_cpus(records.size(),
                [&](std::size_t i) { read[i] = read_run(file(), std::exchange(records[i], {})); });
    for (Run& run : read)
      if (!filter.own || !was_imported(run.context)) runs.push_back(std::move(run));
  }
  return runs;
}

Run Store::get(const std::string& id_prefix) const {
  const auto no_run = [&](const char* what, const std::string& advice) {
    return Error(ExitCode::usage,
                 fmt::format("{} '{}' in the store '{}'; {}", what, printable(id_prefix, 70),
                             printable(file().native(), 500), advice));
  };
  return impl_->guarded([&] {
    std::vector<std::pair<std::int64_t, std::string>> found;
    if (id_prefix == "last") {
      for (const std::int64_t row : rows_of(impl_->db, {.newest = 1})) found.emplace_back(row, "");
    } else {
      SQLite::Statement query(impl_->db, kFindRun);
      SQLite::bind(query, id_prefix, end_of_prefix(id_prefix));
      while (query.executeStep())
        found.emplace_back(query.getColumn(0).getInt64(), query.getColumn(1).getString());
    }
    if (found.size() > 1 && found[0].second != id_prefix)
      throw no_run("more than one run begins with",
                   fmt::format("such as {} and {}", printable(found[0].second, 64),
                               printable(found[1].second, 64)));
    auto run = found.empty() ? std::nullopt : impl_->run_in(found[0].first);
    if (!run) throw no_run("there is no run", "`lapcast runs` lists them");
    return *std::move(run);
  });
}

bool Store::has(const std::string& id, std::int64_t held) const {
  return impl_->guarded([&] {
    SQLite::Statement query(impl_->db, "SELECT seq FROM runs WHERE id = ?1");
    query.bind(1, id);
    return query.executeStep() && (held == 0 || query.getColumn(0).getInt64() <= held);
  });
}

std::int64_t Store::held() const {
  return impl_->guarded(
      [&] { return impl_->db.execAndGet("SELECT ifnull(max(seq), 0) FROM runs").getInt64(); });
}

void Store::tag_run(const std::string& id, const std::string& tag) {
  impl_->guarded(
      [&] { run_statement(impl_->db, "UPDATE runs SET tag = ?2 WHERE id = ?1", id, tag); });
}

void Store::remove_run(const std::string& id) {
  impl_->guarded([&] { run_statement(impl_->db, "DELETE FROM runs WHERE id = ?1", id); });
}

std::int64_t Store::version() const {
  return impl_->guarded([&] { return impl_->db.execAndGet("PRAGMA data_version").getInt64(); });
}

}  // namespace lapcast
