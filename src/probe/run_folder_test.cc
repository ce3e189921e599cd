#include "probe/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/error.h"
#include "posix/files.h"
#include "posix/folder_test.h"
#include "probe/processes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using namespace std::string_literals;

class RunFolderTest : public FolderTest {
 protected:
  /// Returns the name of the folder that a lapcast with that pid would make.
  fs::path left_by(pid_t pid) const { return folder_ / fmt::format("lapcast-run-{}-3fb0", pid); }
  static pid_t dead_pid() {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    waitpid(pid, nullptr, 0);
    return pid;
  }
};

TEST_F(RunFolderTest, IsPrivateAndGoneAfterwards) {
  fs::path root;
  {
    const RunFolder folder(folder_, "3fb0");
    root = folder.root();
    EXPECT_EQ(root.parent_path(), folder_);
    for (const fs::path& path : {root, folder.run_dir(), folder.lap_dir()})
      EXPECT_EQ(fs::status(path).permissions(), fs::perms(0700)) << path;
    write_text(folder.run_dir() / "model", "weights");
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(RunFolderTest, CanBeKept) {
  fs::path file;
  {
    RunFolder folder(folder_, "3fb0");
    folder.keep();
    file = folder.run_dir() / "model";
    write_text(file, "weights");
  }
  EXPECT_EQ(text_of(file), "weights");
}

TEST_F(RunFolderTest, OneThatWasKeptIsNotTakenForAStaleOne) {
  const pid_t pid = fork();
  if (pid == 0) {
    RunFolder(folder_, "3fb0").keep();
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  const fs::path kept = fs::directory_iterator(folder_)->path();
  remove_stale_run_folders(folder_);
  EXPECT_TRUE(fs::exists(kept / "run"));
}

TEST_F(RunFolderTest, OneThatIsThereIsNotTakenOver) {
  const RunFolder first(folder_, "3fb0");
  EXPECT_THROW(RunFolder(folder_, "3fb0"), Error);
}

TEST_F(RunFolderTest, WhereNoneCanBeMadeTheErrorSaysWhatToDo) {
  try {
    const RunFolder folder(folder_ / "missing", "3fb0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::system_failed);
    EXPECT_THAT(error.what(), HasSubstr("name another place with --run-parent"));
  }
  EXPECT_THROW(check_run_parent(folder_ / "missing"), Error);
  EXPECT_NO_THROW(check_run_parent(folder_));
}

TEST_F(RunFolderTest, OnlyFoldersOfDeadLapcastsAreRemoved) {
  const fs::path dead = left_by(dead_pid());
  const fs::path living = left_by(getpid());
  const fs::path other = folder_ / "lapcast-run-notes";
  for (const fs::path& path : {dead, living, other}) fs::create_directories(path / "run");
  remove_stale_run_folders(folder_);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living) && fs::exists(other));
}

TEST_F(RunFolderTest, AZombieIsDead) {
  const pid_t zombie = fork();
  if (zombie == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(zombie), &info, WEXITED | WNOWAIT);
  fs::create_directories(left_by(zombie));
  remove_stale_run_folders(folder_);
  EXPECT_FALSE(fs::exists(left_by(zombie)));
  waitpid(zombie, nullptr, 0);
}

TEST_F(RunFolderTest, AProcessThatGotTheNumberOfADeadOneIsNotTakenForIt) {
  const std::int64_t start = start_ticks_of(getpid()).value();
  const auto of_start = [&](std::int64_t ticks) {
    return folder_ / fmt::format("lapcast-run-{}.{}-3fb0", getpid(), ticks);
  };
  for (const std::int64_t ticks : {start, start - 1}) fs::create_directories(of_start(ticks));
  remove_stale_run_folders(folder_);
  EXPECT_TRUE(fs::exists(of_start(start)));
  EXPECT_FALSE(fs::exists(of_start(start - 1)));
  EXPECT_EQ(RunFolder(folder_, "0bf3").root(),
            folder_ / fmt::format("lapcast-run-{}.{}-0bf3", getpid(), start));
}

/// Owns a process whose environment says that it was started for a run folder.
class StartedFor {
 public:
  explicit StartedFor(const fs::path& folder) {
    const std::string variable = "LAPCAST_RUN_DIR=" + (folder / "run").string();
    pid_ = fork();
    if (pid_ == 0) execlp("env", "env", variable.c_str(), "sleep", "600", nullptr);
    while (text_of_command().find("sleep\0"s) != 0) usleep(1000);
  }
  ~StartedFor() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool runs() const { return start_ticks_of(pid_).has_value(); }

 private:
  std::string text_of_command() const {
    return text_of_file(fmt::format("/proc/{}/cmdline", pid_));
  }
  pid_t pid_;
};

TEST_F(RunFolderTest, WhatWasStartedForTheFolderOfADeadLapcastIsKilledFirst) {
  const fs::path dead = left_by(dead_pid());
  const fs::path living = left_by(getpid());
  for (const fs::path& path : {dead, living, folder_ / "else" / dead.filename()})
    for (const char* part : {"run", "laps"}) fs::create_directories(path / part);
  const StartedFor of_dead(folder_ / "." / dead.filename());  // however its path is written
  const StartedFor of_living(living);
  const StartedFor of_other(folder_ / "else" / dead.filename());  // of that name only
  end_stale_programs(folder_);
  EXPECT_FALSE(of_dead.runs());
  EXPECT_TRUE(fs::exists(dead));
  remove_stale_run_folders(folder_);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(of_living.runs() && of_other.runs());
}

// A helper that was let live made its folder again after lapcast had removed it.
TEST_F(RunFolderTest, HelpersOfALapcastThatEndedInOrderLiveOn) {
  const fs::path dead = left_by(dead_pid());
  fs::create_directories(dead / "run" / "uploaded");
  const StartedFor of_dead(dead);
  end_stale_programs(folder_);
  remove_stale_run_folders(folder_);
  EXPECT_TRUE(of_dead.runs());
  EXPECT_FALSE(fs::exists(dead));
}

TEST_F(RunFolderTest, ALinkOfThatNameIsNotFollowed) {
  fs::create_directory(folder_ / "precious");
  fs::create_directory_symlink(folder_ / "precious", left_by(dead_pid()));
  remove_stale_run_folders(folder_);
  EXPECT_TRUE(fs::exists(folder_ / "precious"));
}

class Checkpoints : public FolderTest {
 protected:
  void checkpoint(const std::string& name, int written_at) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_text(folder_ / name, name);
    const timespec times[2] = {{written_at, 0}, {written_at, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / name).c_str(), times, 0), 0);
  }
};

TEST_F(Checkpoints, TheNewestCounts) {
  checkpoint("epoch-10.pt", 300);
  checkpoint("epoch-9.pt", 200);
  checkpoint("log.txt", 900);
  EXPECT_EQ(newest_checkpoint(folder_, "epoch-*.pt"), "epoch-10.pt");
  EXPECT_EQ(newest_checkpoint(folder_, "*.ckpt"), std::nullopt);
  EXPECT_EQ(newest_checkpoint(folder_ / "none", "*"), std::nullopt);
}

TEST_F(Checkpoints, OfEqualsTheLastByName) {
  checkpoint("a-2", 100);
  checkpoint("a-1", 100);
  EXPECT_EQ(newest_checkpoint(folder_, "a-*"), "a-2");
}

TEST_F(Checkpoints, MayStandInFolders) {
  checkpoint("checkpoint-100/model.pt", 100);
  checkpoint("checkpoint-200/model.pt", 200);
  EXPECT_EQ(newest_checkpoint(folder_, "checkpoint-*/model.pt"), "checkpoint-200/model.pt");
}

TEST_F(Checkpoints, TheRunFolderIsNoPattern) {
  const auto folder = folder_ / "a[b]*";
  std::filesystem::create_directory(folder);
  write_text(folder / "c.pt", "");
  EXPECT_EQ(newest_checkpoint(folder, "*.pt"), "c.pt");
}

TEST_F(Checkpoints, LinksAreNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", folder_ / "a.pt");
  EXPECT_EQ(newest_checkpoint(folder_, "*.pt"), std::nullopt);
}

TEST(CheckpointPattern, StaysInTheRunFolder) {
  EXPECT_TRUE(is_checkpoint_pattern("a..b/*.pt"));
  for (const char* pattern : {"", "/etc/*", "../*", "a/../../*", "a/.."})
    EXPECT_FALSE(is_checkpoint_pattern(pattern)) << pattern;
  EXPECT_EQ(newest_checkpoint("/tmp", "../etc/passwd"), std::nullopt);
}

TEST(ResumeArguments, NameTheCheckpointInTheRunFolder) {
  const ResumePlan plan{{"--resume", "{checkpoint}", "--from={checkpoint}!"}, "*"};
  EXPECT_EQ(resume_arguments(plan, "e-3.pt"),
            (std::vector<std::string>{"--resume", "{run_dir}/e-3.pt", "--from={run_dir}/e-3.pt!"}));
}

}  // namespace
}  // namespace lapcast
