#include "fleet/sweep_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "store/store_folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

class SweepLockTest : public InTestFolder {
 protected:
  SweepLockTest() { std::ofstream(file()) << ""; }

  /// Returns the process that keeps another one from having the lock; "nobody" when it can have it.
  std::string holder_of(const std::string& key) const {
    return in_child([&] {
      std::string holder = "nobody";
      const auto lock = SweepLock::acquire(file(), key, [&](pid_t who) {
        holder = std::to_string(who);
        return false;
      });
      return holder;
    });
  }
};

std::optional<SweepLock> take(const fs::path& store, const std::string& key) {
  return SweepLock::acquire(store, key, [](pid_t) { return false; });
}

TEST_F(SweepLockTest, IsHeldByOneProcessAndOnlyForItsKey) {
  {
    const auto lock = take(file(), "a");
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock->why_not_held());
    EXPECT_EQ(holder_of("a"), std::to_string(getpid()));
    EXPECT_EQ(holder_of("b"), "nobody");
  }
  EXPECT_EQ(holder_of("a"), "nobody");
}

TEST_F(SweepLockTest, EndsWithItsHolderAndIsNotInherited) {
  int ready[2] = {-1, -1};
  ASSERT_EQ(pipe(ready), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const auto lock = take(file(), "a");
    const pid_t child = fork();  // as a worker, which may outlive its coordinator
    if (child == 0) {
      sleep(60);
      _exit(0);
    }
    if (write(ready[1], &child, sizeof child) < 0) _exit(1);
    sleep(60);
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ready[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_EQ(holder_of("a"), std::to_string(holder));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(holder_of("a"), "nobody");
  kill(child, SIGKILL);
}

TEST_F(SweepLockTest, LeavesOneEmptyFileForAllKeys) {
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(take(file(), std::to_string(i)));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(file().parent_path()))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, testing::UnorderedElementsAre(file().filename().string(),
                                                   file().filename().string() + "-lock"));
  EXPECT_EQ(fs::file_size(file().string() + "-lock"), 0u);
}

TEST_F(SweepLockTest, IsTheSameThroughALinkToTheStore) {
  const fs::path link = file().parent_path() / "link.db";
  fs::create_symlink(file(), link);
  const auto lock = take(link, "a");
  ASSERT_TRUE(lock);
  EXPECT_EQ(holder_of("a"), std::to_string(getpid()));
}

TEST_F(SweepLockTest, WhereThereIsNoneItSaysWhy) {
  fs::create_symlink("/nowhere", file().string() + "-lock");
  const auto lock = take(file(), "a");
  ASSERT_TRUE(lock);
  ASSERT_TRUE(lock->why_not_held());
  EXPECT_THAT(lock->why_not_held()->text, testing::HasSubstr("-lock: "));
}

}  // namespace
}  // namespace lapcast
