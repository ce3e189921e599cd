#include "remote/rooted_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

class Rooted : public FolderTest, public ::testing::WithParamInterface<RootedFolder::Resolver> {
 protected:
  Rooted() {
    fs::create_directories(root_ / "a" / "b");
    fs::create_directories(folder_ / "shared" / "b");
    for (const char* file : {"root/top", "root/a/b/x", "shared/y", "shared/b/y", "outside"})
      write_text(folder_ / file, "text");
    fs::create_directory_symlink("../shared", root_ / "link");
    fs::create_directory_symlink("../../shared/b", root_ / "a" / "link");
    fs::create_directory_symlink(folder_ / "shared", root_ / "absolute");
    fs::create_directory_symlink("a", root_ / "inside");
  }
  bool is_there(const char* path) const { return fs::exists(fs::symlink_status(folder_ / path)); }
  fs::path root_ = folder_ / "root";
};

TEST_P(Rooted, TypesAreThoseOfTheEntriesThemselves) {
  RootedFolder folder(root_, GetParam());
  ASSERT_TRUE(folder.is_open());
  EXPECT_EQ(folder.type_of("top"), mode_t{S_IFREG});
  EXPECT_EQ(folder.type_of("a"), mode_t{S_IFDIR});
  EXPECT_EQ(folder.type_of("a/b/x"), mode_t{S_IFREG});
  EXPECT_EQ(folder.type_of("a/link"), mode_t{S_IFLNK});
  EXPECT_EQ(folder.type_of("none"), mode_t{0});
  EXPECT_EQ(folder.type_of("top/x"), mode_t{0});
}

TEST_P(Rooted, NothingIsReachedThroughALinkOrOutside) {
  RootedFolder folder(root_, GetParam());
  for (const char* path :
       {"link/y", "link/b/y", "a/link/y", "absolute/y", "inside/b/x", "../outside",
        "a/../../outside", "/etc/passwd", "", ".", "..", "a//b/x", "a/", "a/./b/x"}) {
    EXPECT_EQ(folder.type_of(path), mode_t{0}) << path;
    EXPECT_FALSE(folder.remove(path)) << path;
  }
  for (const char* path : {"shared/y", "shared/b/y", "outside", "root/a/b/x"})
    EXPECT_TRUE(is_there(path)) << path;
}

TEST_P(Rooted, RemovesFilesLinksAndEmptyFolders) {
  RootedFolder folder(root_, GetParam());
  EXPECT_FALSE(folder.remove("a/b"));
  EXPECT_EQ(errno, ENOTEMPTY);
  EXPECT_TRUE(folder.remove("a/b/x"));
  EXPECT_TRUE(folder.remove("a/b"));
  EXPECT_TRUE(folder.remove("link"));
  EXPECT_FALSE(is_there("root/a/b") || is_there("root/link"));
  EXPECT_TRUE(is_there("shared/y"));
}

TEST_P(Rooted, AFolderThatIsALinkItselfIsNotOpened) {
  EXPECT_FALSE(RootedFolder(root_ / "link", GetParam()).is_open());
  EXPECT_TRUE(RootedFolder(root_ / "link" / "b", GetParam()).is_open());  // links above are
  EXPECT_FALSE(RootedFolder(root_ / "top", GetParam()).is_open());
}

INSTANTIATE_TEST_SUITE_P(Resolvers, Rooted,
                         ::testing::Values(RootedFolder::Resolver::kernel,
                                           RootedFolder::Resolver::walk),
                         [](const auto& info) {
                           return info.param == RootedFolder::Resolver::kernel ? "Kernel" : "Walk";
                         });

}  // namespace
}  // namespace lapcast
