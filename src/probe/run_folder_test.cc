#include "probe/run_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "core/error.h"
#include "probe/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunFolderTest : public FolderTest {
 protected:
  /// The name of a folder that a lapcast with that pid would make here.
  fs::path left_by(pid_t pid) const {
    return folder_ / fmt::format("lapcast-run-{}-3fb0", pid);
  }
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

TEST_F(RunFolderTest, OneThatIsThereIsNotTakenOver) {
  const RunFolder first(folder_, "3fb0");
  EXPECT_THROW(RunFolder(folder_, "3fb0"), Error);
}

TEST_F(RunFolderTest, WhereNoneCanBeMadeTheErrorSaysWhatToDo) {
  try {
    RunFolder(folder_ / "missing", "3fb0");
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

TEST_F(RunFolderTest, ALinkOfThatNameIsNotFollowed) {
  fs::create_directory(folder_ / "precious");
  fs::create_directory_symlink(folder_ / "precious", left_by(dead_pid()));
  remove_stale_run_folders(folder_);
  EXPECT_TRUE(fs::exists(folder_ / "precious"));
}

}  // namespace
}  // namespace lapcast
