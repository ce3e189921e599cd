#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/error.h"
#include "run/random_run_test.h"
#include "run/repair.h"
#include "run/run_json.h"
#include "store/store_folder_test.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

using StoreTest = InTestFolder;

lapcast::Run run_named(const std::string& id, const std::string& started_at = "") {
  lapcast::Run run;
  run.context.id = id;
  run.context.started_at = started_at;
  return run;
}

std::vector<std::string> ids_of(const std::vector<RunSummary>& runs) {
  std::vector<std::string> ids;
  for (const RunSummary& run : runs) ids.push_back(run.id);
  return ids;
}

std::string mode_of(const fs::path& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  std::ostringstream octal;
  octal << std::oct << (status.st_mode & 07777);
  return octal.str();
}

TEST_F(StoreTest, EveryRunReadsBackTheSame) {
  RandomRun random(7);
  Store store = Store::open(file());
  for (int i = 0; i < 200; ++i) {
    lapcast::Run run = random();
    repair(run, {2026, 11, 22});
    ASSERT_TRUE(store.add(run));
    ASSERT_EQ(store.get(run.context.id), run);
  }
  EXPECT_EQ(store.runs().size(), 200u);
}

TEST_F(StoreTest, LongLogsReadBackTheSame) {
  lapcast::Run run = run_named("a");
  for (int i = 0; i < 100'000; ++i)
    run.lap_logs.resize(1), run.lap_logs[0] += std::to_string(i) + " i 8\n";
  Store::open(file()).add(run);
  EXPECT_EQ(Store::open_existing(file()).get("a"), run);
  EXPECT_LT(fs::file_size(file()), run.lap_logs[0].size());
}

TEST_F(StoreTest, SummaryIsWhatListsShow) {
  lapcast::Run run = run_named("a1", "2026-11-20T12:00:00Z");
  run.context.sweep = "s";
  run.context.kind = RunKind::find_epochs;
  run.context.program = {"./t", "{batch}"};
  run.context.settings = {{"batch", "128"}, {"lr", "0.1"}};
  run.context.machine_type.name = "half";
  run.outcome = outcome::BudgetSpent{"200 laps"};
  Store store = Store::open(file());
  store.add(run);
  const auto list = store.list();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].id, "a1");
  EXPECT_EQ(list[0].sweep, "s");
  EXPECT_EQ(list[0].kind, RunKind::find_epochs);
  EXPECT_EQ(list[0].machine_type, "half");
  EXPECT_EQ(list[0].settings, "batch=128 lr=0.1");
  EXPECT_EQ(list[0].program, "./t 128");
  EXPECT_EQ(list[0].started_at, "2026-11-20T12:00:00Z");
  EXPECT_EQ(list[0].outcome, "budget spent: 200 laps");
  EXPECT_TRUE(list[0].has_laps);
}

TEST_F(StoreTest, AnIdIsReplacedOnlyWhenAsked) {
  Store store = Store::open(file());
  lapcast::Run run = run_named("a");
  EXPECT_TRUE(store.add(run));
  run.standard_output = "second";
  EXPECT_FALSE(store.add(run));
  EXPECT_EQ(store.get("a").standard_output, "");
  EXPECT_TRUE(store.add(run, true));
  EXPECT_EQ(store.get("a").standard_output, "second");
  EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(StoreTest, ListsByStartAndFilters) {
  Store store = Store::open(file());
  store.add(run_named("new", "2026-11-20T12:00:00Z"));
  store.add(run_named("old", "2025-01-01T00:00:00Z"));  // imported later
  lapcast::Run full = run_named("full", "2026-11-20T12:00:00Z");
  full.context.kind = RunKind::full;
  full.context.sweep = "s'";
  store.add(full);
  EXPECT_THAT(ids_of(store.list()), ElementsAre("old", "new", "full"));
  EXPECT_THAT(ids_of(store.list({.newest = 2})), ElementsAre("new", "full"));
  EXPECT_THAT(ids_of(store.list({.kind = RunKind::probe})), ElementsAre("old", "new"));
  EXPECT_THAT(ids_of(store.list({.sweep = "s'"})), ElementsAre("full"));
  EXPECT_THAT(ids_of(store.list({.sweep = "x"})), ElementsAre());
  EXPECT_EQ(store.runs({.sweep = "s'"}).at(0).context.id, "full");
  EXPECT_EQ(store.get("last").context.id, "full");
}

TEST_F(StoreTest, RunsAreFoundByTheBeginningOfTheirId) {
  Store store = Store::open(file());
  const auto error = [&](const std::string& prefix) {
    return error_of([&] { store.get(prefix); }, ExitCode::usage);
  };
  EXPECT_THAT(error("last"), HasSubstr("there is no run 'last'"));
  for (const char* id : {"ab", "abc", "abd", "b"}) store.add(run_named(id));
  EXPECT_EQ(store.get("b").context.id, "b");
  EXPECT_EQ(store.get("abd").context.id, "abd");
  EXPECT_EQ(store.get("ab").context.id, "ab");  // whole ids win
  EXPECT_THAT(error("a"), HasSubstr("more than one run begins with 'a'"));
  EXPECT_THAT(error("a"), HasSubstr("such as ab and abc"));
  EXPECT_THAT(error("%"), HasSubstr("there is no run '%'"));
  EXPECT_THAT(error(""), HasSubstr("more than one"));
}

// A question that read the whole table made an export of n runs n^2 reads.
TEST_F(StoreTest, EveryQuestionOfACommandIsAnsweredByAnIndex) {
  Store::open(file());
  SQLite::Database db(file());
  const auto plan_of = [&](const std::string& sql) {
    SQLite::Statement plan(db, "EXPLAIN QUERY PLAN " + sql);
    std::string text;
    while (plan.executeStep()) text += plan.getColumn(3).getString() + "\n";
    return text;
  };
  const std::pair<RunFilter, const char*> filters[] = {
      {{.newest = 1}, "SCAN runs USING COVERING INDEX runs_by_start\n"},
      {{}, "SCAN runs USING COVERING INDEX runs_by_start\n"},
      {{.sweep = "s"}, "SEARCH runs USING COVERING INDEX runs_by_sweep (sweep=?)\n"},
      {{.command = "./t", .newest = 9, .with_laps = true},
       "SEARCH runs USING INDEX runs_by_program (program=?)\n"},
      {{.sweep = "s", .newest = 9, .with_laps = true, .others = true},
       "SCAN runs USING COVERING INDEX runs_by_start\n"}};
  for (const auto& [filter, plan] : filters)
    EXPECT_THAT(plan_of(query_of(filter)), HasSubstr(plan));
  EXPECT_THAT(plan_of(query_of({.kind = RunKind::full, .first_word = "./t", .newest = 9})),
              HasSubstr("INDEX full_runs_by_program (program>? AND program<?)"));
  EXPECT_THAT(plan_of(query_of({.tag = "t"})), HasSubstr("SEARCH runs USING INDEX runs_by_tag"));
  EXPECT_THAT(plan_of(query_of({.since = "2026"})),
              HasSubstr("SEARCH runs USING COVERING INDEX runs_by_start"));
  EXPECT_EQ(plan_of(kFindRun),
            "SEARCH runs USING COVERING INDEX sqlite_autoindex_runs_1 (id>? AND id<?)\n");
  EXPECT_THAT(plan_of(std::string("SELECT * FROM sweeps ") + kFindSweep),
              AllOf(HasSubstr("sweeps_by_name (name=?)"),
                    HasSubstr("sqlite_autoindex_sweeps_1 (id>? AND id<?)")));
}

TEST_F(StoreTest, FiltersOfForecasts) {
  Store store = Store::open(file());
  const auto add = [&](const std::string& id, const char* sweep, const char* program, bool full) {
    lapcast::Run run = run_named(id, "2026-11-20T12:00:0" + id + "Z");
    run.context.sweep = sweep;
    run.context.program = {program, "--fast"};
    run.context.kind = full ? RunKind::full : RunKind::probe;
    run.outcome = full ? Outcome(outcome::Ended{}) : outcome::NoLaps{};
    store.add(run);
  };
  add("1", "s", "./a", true), add("2", "s", "./b", true);
  add("3", "", "./a", false);
  const std::int64_t held = store.held();
  add("4", "", "./a", true), add("5", "", "./ab", true);
  const auto ids = [&](const RunFilter& filter) {
    EXPECT_EQ(store.count(filter), store.runs(filter).size());
    return ids_of(store.list(filter));
  };
  EXPECT_THAT(ids({.command = "./a --fast"}), ElementsAre("1", "3", "4"));
  EXPECT_THAT(ids({.kind = RunKind::full, .first_word = "./a"}), ElementsAre("1", "4", "5"));
  EXPECT_THAT(ids({.with_laps = true}), ElementsAre("1", "2", "4", "5"));
  EXPECT_THAT(ids({.sweep = "s", .others = true}), ElementsAre("3", "4", "5"));
  EXPECT_THAT(ids({.sweep = "", .command = "./a --fast", .others = true}),
              ElementsAre("1", "2", "5"));
  EXPECT_THAT(ids({.left_out = {"2", "4"}}), ElementsAre("1", "3", "5"));
  EXPECT_THAT(ids({.held = held}), ElementsAre("1", "2", "3"));
  EXPECT_TRUE(store.has("3", held));
  EXPECT_FALSE(store.has("4", held));
  EXPECT_TRUE(store.has("4"));
  EXPECT_FALSE(store.has("6"));
  EXPECT_EQ(store.count({.newest = 2}), 5u);
  std::vector<std::string> seen;
  store.for_each_run({.newest = 3}, [&](const lapcast::Run& run) {
    seen.push_back(run.context.id);
    store.remove_run("4");
  });
  EXPECT_THAT(seen, ElementsAre("3", "5"));
}

TEST_F(StoreTest, RunsThatCannotBeReadBackAreNotTaken) {
  Store store = Store::open(file());
  EXPECT_THAT(error_of([&] { store.add(run_named("../x")); }, ExitCode::bad_input),
              HasSubstr("id is not"));
  EXPECT_TRUE(store.list().empty());
}

// A measured run is stored whatever it says beside its laps; older versions stored such runs.
TEST_F(StoreTest, WhatCannotBeTrueOfARunIsSaidWhenItIsRead) {
  lapcast::Run run = run_named("a", "9999-01-01T00:00:00Z");
  run.context.machine.cores = -4;
  run.lap_logs = {"kept"};
  Store store = Store::open(file());
  EXPECT_TRUE(store.add(run));
  const lapcast::Run back = store.get("a");
  EXPECT_EQ(back.context.started_at, "");
  EXPECT_EQ(back.context.machine.cores, 0);
  EXPECT_EQ(back.lap_logs, run.lap_logs);
  EXPECT_THAT(back.warnings, ElementsAre(HasSubstr("started_at is not a time"),
                                         "machine.cores is negative: taken as not known"));
}

TEST_F(StoreTest, OwnRunsAreThoseThatWereMeasured) {
  Store store = Store::open(file());
  for (const char* id : {"a", "b", "c"}) {
    lapcast::Run run = run_named(id);
    run.context.sweep = "77e1";
    run.context.imported = *id == 'b';
    if (*id == 'c') run.context.imported_from = "mllog a.log";
    store.add(run);
  }
  const auto own = store.runs({.sweep = "77e1", .own = true});
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].context.id, "a");
  EXPECT_EQ(store.runs({.sweep = "77e1"}).size(), 3u);
}

TEST_F(StoreTest, Sweeps) {
  Store store = Store::open(file());
  EXPECT_FALSE(store.newest_sweep());
  EXPECT_TRUE(store.sweeps_by_key("k").empty());
  store.save_sweep({"1", "k", "2026-11-20T12:00:00Z", "fleet.toml", "[1]", false});
  store.save_sweep({"2", "other", "2026-11-20T12:00:01Z", "fleet.toml", "[2]", false});
  store.save_sweep({"1", "k", "2026-11-20T12:00:00Z", "fleet.toml", "[1]", true});
  EXPECT_EQ(store.sweeps_by_key("k").back().description, "[1]");
  EXPECT_TRUE(store.sweeps_by_key("k").back().finished);
  EXPECT_EQ(store.newest_sweep()->id, "2");
  ASSERT_EQ(store.sweeps().size(), 2u);
  EXPECT_EQ(store.sweeps()[0].id, "1");
}

TEST_F(StoreTest, IsPrivate) {
  const fs::path deep = folder() / "a/b/s.db";
  Store store = Store::open(deep);
  store.add(run_named("a"));
  EXPECT_EQ(mode_of(folder() / "a"), "700");
  EXPECT_EQ(mode_of(folder() / "a/b"), "700");
  for (const auto& entry : fs::directory_iterator(deep.parent_path())) {
    EXPECT_EQ(mode_of(entry.path()), "600") << entry.path();
  }
}

TEST_F(StoreTest, SymbolicLinksAndOddNamesWork) {
  fs::create_directory(folder() / "real");
  fs::create_directory_symlink("real", folder() / "link");
  Store::open(folder() / "link/a?b#c%41.db").add(run_named("a"));
  fs::create_symlink(folder() / "real/a?b#c%41.db", folder() / "s.db");
  EXPECT_EQ(Store::open_existing(folder() / "s.db").get("a").context.id, "a");
}

TEST_F(StoreTest, OpenedForReadingIsNotWritten) {
  Store::open(file()).add(run_named("a"));
  Store store = Store::open_existing(file());
  EXPECT_THAT(error_of([&] { store.add(run_named("b")); }), HasSubstr("cannot be written"));
  EXPECT_EQ(store.list().size(), 1u);
}

TEST_F(StoreTest, AnEmptyFileBecomesAStore) {
  std::ofstream(file()).flush();
  EXPECT_TRUE(Store::open(file()).add(run_named("a")));
}

// The golden file is what version 1 wrote, and is never changed.
TEST_F(StoreTest, VersionOneIsStillRead) {
  std::ostringstream sql;
  sql << std::ifstream(source_folder() / "tests/golden/store/version-1.sql").rdbuf();
  {
    SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec(sql.str());
  }
  Store store = Store::open(file());
  std::ifstream export_file(source_folder() / "tests/golden/run/export.jsonl");
  std::string line;
  std::getline(export_file, line);
  auto expected = run_from_json_line(line);
  ASSERT_TRUE(expected);
  expected->context.patience = 0;  // keys that its record does not have yet
  expected->context.metric.clear();
  expected->context.machine.boot_id.clear();
  expected->context.machine.allocators.reset();
  for (Accelerator& gpu : expected->context.machine.accelerators) {
    gpu.compute_capability.clear();
    gpu.cuda_cores = 0;
    gpu.cuda.clear();
    gpu.set_up.reset();
  }
  expected->context.price->other = {};
  expected->context.plan.validate_every = expected->context.plan.validate_from = 0;
  expected->forecasts.clear();
  expected->context.imported_from.clear();
  expected->context.imported = false;
  expected->context.place.clear();
  expected->context.machine_type.exclusive = false;
  expected->preparation.clear();
  expected->pauses.clear();
  EXPECT_EQ(*expected, store.get("3fb09c61d2aa"));
  EXPECT_EQ(store.get("b00000000001").outcome, Outcome(outcome::Crashed{0, 9}));
  EXPECT_THAT(ids_of(store.list()), ElementsAre("3fb09c61d2aa", "b00000000001"));
  EXPECT_EQ(store.newest_sweep()->key, "k1");
  EXPECT_TRUE(store.add(run_named("a")));
}

// Version 4 added indexes alone.
TEST_F(StoreTest, VersionThreeIsReadWhereItCannotBeWritten) {
  {
    SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(db, migrations().first(3));
    db.exec(
        "INSERT INTO runs (id, sweep, kind, machine_type, settings, program, started_at, "
        "outcome, has_laps, wall_s, lapcast_version, record_bytes, record) SELECT 'a', '', "
        "'probe', '', '', '', '', '', 0, 0, '', 0, ''");
  }
  fs::permissions(folder(), fs::perms(0555));
  fs::permissions(file(), fs::perms(0444));
  const auto version = [&] {
    return SQLite::Database(file()).execAndGet("PRAGMA user_version").getInt();
  };
  const std::string seen = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return std::string("root may write everything");
    return std::to_string(Store::open_existing(file()).list().size());
  });
  EXPECT_EQ(seen, "1");
  EXPECT_EQ(version(), 3);
  fs::permissions(folder(), fs::perms(0700));
  fs::permissions(file(), fs::perms(0600));
  EXPECT_EQ(Store::open_existing(file()).list().size(), 1u);
  EXPECT_EQ(version(), 4);
}

TEST_F(StoreTest, ADamagedRecordNamesItsRun) {
  Store::open(file()).add(run_named("a"));
  SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("UPDATE runs SET record = 'xyz'");
  const Store store = Store::open_existing(file());
  EXPECT_THAT(error_of([&] { store.get("a"); }),
              HasSubstr("cannot be read: its compressed text is damaged"));
  EXPECT_EQ(store.list().size(), 1u);
}

TEST(DefaultStoreFile, FollowsTheEnvironment) {
  const auto with = [](const char* store, const char* data, const char* home) {
    return in_child([&] {
      clearenv();
      if (store != nullptr) setenv("LAPCAST_STORE", store, 1);
      if (data != nullptr) setenv("XDG_DATA_HOME", data, 1);
      if (home != nullptr) setenv("HOME", home, 1);
      return default_store_file().string();
    });
  };
  EXPECT_EQ(with("x.db", "/d", "/h"), "x.db");
  EXPECT_EQ(with("", "/d", "/h"), "/d/lapcast/lapcast.db");
  EXPECT_EQ(with(nullptr, "relative", "/h"), "/h/.local/share/lapcast/lapcast.db");
  EXPECT_THAT(with(nullptr, nullptr, nullptr), HasSubstr("HOME is not set"));
}

}  // namespace
}  // namespace lapcast
