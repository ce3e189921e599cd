#include "probe/foreign_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
      for (int inherited = 3; inherited < 1024; ++inherited)  // Such as a test runner's log.
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
