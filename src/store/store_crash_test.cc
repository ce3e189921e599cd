// These tests have several processes on one store, and processes that are killed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "run/run.h"
#include "store/store.h"
#include "store/store_folder_test.h"
#include "store/store_impl.h"

namespace lapcast {
namespace {

using StoreCrash = InTestFolder;

lapcast::Run run_number(int process, int i) {
  lapcast::Run run;
  run.context.id = std::to_string(process) + "-" + std::to_string(i);
  run.lap_logs = {std::string(2000, 'x')};
  return run;
}

TEST_F(StoreCrash, ProcessesThatOpenAtOnceShareOneStore) {
  constexpr int kProcesses = 6;
  constexpr int kRuns = 20;
  for (int round = 0; round < 5; ++round) {
    std::filesystem::remove_all(folder() / "new");
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      try {
        Store store = Store::open(folder() / "new/s.db");
        for (int i = 0; i < kRuns; ++i) store.add(run_number(process, i));
        _exit(0);
      } catch (const std::exception& error) {
        fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
    }
    for (const pid_t child : children) {
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(Store::open(folder() / "new/s.db").list().size(), std::size_t{kProcesses * kRuns});
  }
}

/// Adds runs without end and says each one's number when it is stored.
[[noreturn]] void add_until_killed(const std::filesystem::path& file, int process, int pipe_end) {
  Store store = Store::open(file);
  for (int i = 0;; ++i) {
    store.add(run_number(process, i));
    if (write(pipe_end, &i, sizeof i) != sizeof i) _exit(1);
  }
}

/// Returns how many runs the process had said to be stored when it was killed, after `after` of
/// them.
int kill_after(const std::filesystem::path& file, int process, int after) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) add_until_killed(file, process, ends[1]);
  close(ends[1]);
  int said = 0;
  int number = 0;
  while (said < after && read(ends[0], &number, sizeof number) == sizeof number) ++said;
  kill(child, SIGKILL);
  while (read(ends[0], &number, sizeof number) == sizeof number) ++said;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

TEST_F(StoreCrash, AKilledProcessLosesNothingThatWasStored) {
  std::size_t said = 0;
  for (int process = 0; process < 8; ++process) {
    const int after = process * process;  // at many moments: while creating, in the log, later
    const int stored = kill_after(file(), process, after);
    said += static_cast<std::size_t>(stored);
    Store store = Store::open(file());
    for (int i = 0; i < stored; ++i) {
      ASSERT_EQ(store.get(run_number(process, i).context.id), run_number(process, i));
    }
    ASSERT_GE(store.list().size(), said);
  }
  SQLite::Database db(file());
  EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

}  // namespace
}  // namespace lapcast
