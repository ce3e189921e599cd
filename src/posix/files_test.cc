#include "posix/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

using PrivateFiles = FolderTest;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST_F(PrivateFiles, MakesFoldersForTheirOwnerAlone) {
  chmod(folder_.c_str(), 0755);
  ASSERT_TRUE(make_private_folders(folder_ / "a/b"));
  ASSERT_TRUE(make_private_folders(folder_ / "a/b"));
  EXPECT_EQ(mode_of(folder_ / "a/b"), 0700u);
  EXPECT_EQ(mode_of(folder_ / "a"), 0700u);
  EXPECT_EQ(mode_of(folder_), 0755u);
}

TEST_F(PrivateFiles, MakesARelativeFolder) {
  std::filesystem::current_path(folder_);
  EXPECT_TRUE(make_private_folders("a/b"));
  EXPECT_EQ(mode_of(folder_ / "a/b"), 0700u);
  std::filesystem::current_path("/");
}

TEST_F(PrivateFiles, MakesNoFolderBelowAFile) {
  write_text(folder_ / "file", "");
  for (const char* name : {"file", "file/below"})
    EXPECT_THAT(make_private_folders(folder_ / name).error().text,
                testing::HasSubstr("Not a directory"));
}

TEST_F(PrivateFiles, KnowsWhatOthersMayDo) {
  const auto path = folder_ / "a";
  ASSERT_TRUE(make_private_folders(path));
  const auto holds = [&](mode_t mode, Forbidden forbidden) {
    chmod(path.c_str(), mode);
    return is_own_path(path, S_IFDIR, forbidden);
  };
  EXPECT_TRUE(holds(0700, Forbidden::any_use));
  EXPECT_FALSE(holds(0710, Forbidden::any_use));
  EXPECT_TRUE(holds(0755, Forbidden::writing));
  EXPECT_FALSE(holds(0775, Forbidden::writing));
  EXPECT_FALSE(holds(0757, Forbidden::writing));
  EXPECT_TRUE(holds(0777, Forbidden::nothing));
  EXPECT_FALSE(is_own_path(path, S_IFREG, Forbidden::nothing));
  std::filesystem::create_directory_symlink(path, folder_ / "link");
  EXPECT_FALSE(is_own_path(folder_ / "link", S_IFDIR, Forbidden::nothing));
  EXPECT_FALSE(is_own_path(folder_ / "none", S_IFDIR, Forbidden::nothing));
}

TEST_F(PrivateFiles, WritesAFileInOneStep) {
  ASSERT_TRUE(write_private_file(folder_ / "file", "one"));
  ASSERT_TRUE(write_private_file(folder_ / "file", "two"));
  EXPECT_EQ(text_of(folder_ / "file"), "two");
  EXPECT_EQ(mode_of(folder_ / "file"), 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(PrivateFiles, OpensNoLink) {
  write_text(folder_ / "file", "");
  std::filesystem::create_symlink(folder_ / "file", folder_ / "link");
  EXPECT_FALSE(open_private_log(folder_ / "link").is_open());
  EXPECT_EQ(errno, ELOOP);
  EXPECT_TRUE(open_private_log(folder_ / "file").is_open());
}

TEST_F(PrivateFiles, ReadsNoMoreThanTheLimit) {
  write_text(folder_ / "file", std::string(100'000, 'x'));
  EXPECT_EQ(text_of_file(folder_ / "file", 70'000).size(), 70'000u);
  EXPECT_EQ(text_of_file(folder_ / "file").size(), 100'000u);
  EXPECT_EQ(text_of_file(folder_ / "none"), "");
}

TEST_F(PrivateFiles, OneHoldsALockAtATime) {
  std::optional<FileLock> first(folder_ / "lock");
  FileLock second(folder_ / "lock");
  EXPECT_TRUE(first->is_held());
  EXPECT_FALSE(second.is_held());
  EXPECT_EQ(second.error(), EWOULDBLOCK);
  first.reset();
  EXPECT_TRUE(second.try_again());
  EXPECT_EQ(FileLock(folder_ / "none/lock").error(), ENOENT);
}

}  // namespace
}  // namespace lapcast
