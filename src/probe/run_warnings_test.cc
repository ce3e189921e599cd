#include "probe/run_warnings.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

TEST(RunWarnings, NothingToSayOfARunThatWentWell) {
  LapLog log;
  log.epochs.push_back({.epoch = 1});
  EXPECT_THAT(warnings_about(lapcast::Run(), log, {}), IsEmpty());
}

TEST(RunWarnings, DamageLeftProcessesAndResuming) {
  LapLog log;
  log.damage = Damage{3, 46, "not a number"};
  log.epochs.push_back({.epoch = 4});
  lapcast::Run run;
  run.context.program = {"python3", "train.py"};
  run.outcome = outcome::Ended{};
  const std::vector<LeftProcess> left{{"sync", {"sync", "results"}}, {"sleep", {"sleep", "30"}}};
  EXPECT_THAT(warnings_about(run, log, left),
              ElementsAre("3 damaged lines in the lap log, the first at byte 46: not a number",
                          "the program left processes running, which were killed: sync, sleep",
                          "the program resumed: its first epoch was number 4"));
}

TEST(RunWarnings, ProcessesOfAProgramThatLapcastEndedAreNoWarning) {
  lapcast::Run run;
  run.outcome = outcome::BudgetSpent{};
  run.stop_sent_ns = 1;
  const std::vector<LeftProcess> left{{"sync", {"sync", "results"}}};
  EXPECT_THAT(warnings_about(run, LapLog(), left), IsEmpty());
}

TEST(RunWarnings, WorkersOfTheProgramItselfAreNoWarning) {
  lapcast::Run run;
  run.context.program = {"./train.py", "--out", "{run_dir}"};
  const std::vector<LeftProcess> left{
      {"python3", {"/usr/bin/python3", "./train.py", "--out", "/tmp/x"}},  // a fork of it
      {"pt_data_worker", {"python3", "-u", "rank.py"}},
      {"python3", {"python3", "-c", "from multiprocessing.spawn import spawn_main"}}};
  EXPECT_THAT(warnings_about(run, LapLog(), left), IsEmpty());
  const std::vector<LeftProcess> others{{"python3", {"python3", "upload.py"}},
                                        {"train.sh", {"sh", "./train.py", "--out", "x"}}};
  EXPECT_THAT(warnings_about(run, LapLog(), others),
              ElementsAre("the program left processes running, which were killed: python3, "
                          "train.sh"));
}

TEST(RunWarnings, TheProgramsOwnWordsAboutResumingCountOnlyWithoutItsEpochs) {
  lapcast::Run run;
  run.standard_error = "Resuming from checkpoint 3\n";
  EXPECT_THAT(warnings_about(run, LapLog(), {}),
              ElementsAre("the program says that it resumed from a checkpoint"));
}

TEST(WarningOfForeignFiles, NamesThreeOfThem) {
  EXPECT_EQ(warning_of_foreign_files({}), "");
  EXPECT_EQ(warning_of_foreign_files({"/a"}),
            "the program wrote outside its run folder: /a; use {run_dir} or LAPCAST_RUN_DIR");
  EXPECT_EQ(warning_of_foreign_files({"/a", "/b\n", "/c", "/d", "/e"}),
            "the program wrote outside its run folder: /a, /b , /c and 2 more; use {run_dir} or "
            "LAPCAST_RUN_DIR");
}

class ForeignFilesTest : public FolderTest {
 protected:
  ForeignFilesTest() {
    for (const char* name : {"work", "own", "else"}) fs::create_directory(folder_ / name);
    write_text(folder_ / "work/data", "old");
  }
  ForeignFiles observer() const {
    return ForeignFiles(folder_ / "work", {(folder_ / "own/").string()});
  }
  /// Returns what an observer finds open in a child that opened `path` so.
  std::vector<std::string> found_open(const fs::path& path, int flags) const {
    ForeignFiles files = observer();
    int ready[2];
    if (pipe(ready) != 0) return {"no pipe"};
    const pid_t child = fork();
    if (child == 0) {
      const int nowhere = open("/dev/null", O_RDWR);
      for (int standard = 0; standard < 3; ++standard) dup2(nowhere, standard);
      // The child may have inherited other open files, for example the log of a test runner.
      for (int inherited = 3; inherited < 1024; ++inherited)
        if (inherited != ready[1]) close(inherited);
      const int fd = open(path.c_str(), flags, 0600);
      [[maybe_unused]] const ssize_t told = write(ready[1], &fd, 1);
      pause();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    files.look(child);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    return files.finish();
  }
};

TEST_F(ForeignFilesTest, NewAndChangedFilesOfTheWorkingFolderAreFound) {
  ForeignFiles files = observer();
  write_text(folder_ / "work/model", "new");
  fs::last_write_time(folder_ / "work/data", fs::file_time_type::clock::now());
  EXPECT_THAT(files.finish(),
              ElementsAre((folder_ / "work/data").string(), (folder_ / "work/model").string()));
}

TEST_F(ForeignFilesTest, WhatWasThereAndWhatLiesDeeperIsNot) {
  ForeignFiles files = observer();
  fs::create_directory(folder_ / "work/deep");
  write_text(folder_ / "work/deep/model", "new");
  write_text(folder_ / "own/model", "new");
  EXPECT_THAT(files.finish(), IsEmpty());
}

TEST_F(ForeignFilesTest, AChangeWhereOthersMayWriteIsNotKnownToBeTheProgramsOwn) {
  fs::permissions(folder_ / "work", fs::perms::all | fs::perms::sticky_bit);
  ForeignFiles files = observer();
  write_text(folder_ / "work/model", "new");
  EXPECT_THAT(files.finish(), IsEmpty());
  EXPECT_THAT(found_open(folder_ / "work/open", O_CREAT | O_WRONLY),
              ElementsAre((folder_ / "work/open").string()));
}

TEST_F(ForeignFilesTest, AFileThatAnotherProcessHoldsOpenDoesNotCount) {
  ForeignFiles files = observer();
  std::ofstream log(folder_ / "work/log");
  log << "of this process" << std::flush;
  write_text(folder_ / "work/model", "new");
  EXPECT_THAT(files.finish(), ElementsAre((folder_ / "work/model").string()));
}

TEST_F(ForeignFilesTest, AFileThatIsOpenForWritingIsFoundAnywhere) {
  const fs::path file = folder_ / "else/model";
  EXPECT_THAT(found_open(file, O_CREAT | O_WRONLY), ElementsAre(file.string()));
  EXPECT_THAT(found_open(file, O_RDWR), ElementsAre(file.string()));
}

TEST_F(ForeignFilesTest, ReadingAndOwnAndSystemFilesDoNotCount) {
  EXPECT_THAT(found_open(folder_ / "work/data", O_RDONLY), IsEmpty());
  EXPECT_THAT(found_open(folder_ / "own/model", O_CREAT | O_WRONLY), IsEmpty());
  EXPECT_THAT(found_open("/dev/null", O_WRONLY), IsEmpty());
}

TEST(SaysResumed, InAnyCaseNearTheBeginning) {
  EXPECT_TRUE(says_resumed("loading data\nResuming From epoch 3\n"));
  EXPECT_TRUE(says_resumed("=> loaded checkpoint 'model.pth'"));
  EXPECT_FALSE(says_resumed("saved checkpoint model.pth"));
  EXPECT_FALSE(says_resumed(""));
  EXPECT_FALSE(says_resumed(std::string(1 << 20, 'x') + "resuming from 3"));
}

}  // namespace
}  // namespace lapcast
