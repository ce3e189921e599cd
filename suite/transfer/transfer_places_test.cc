#include "suite/transfer/transfer_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Paths = std::vector<std::string>;

TEST(MadeNames, OfTwoPiecesMustBeApart) {
  MadeNames names;
  EXPECT_TRUE(names.add(0, {"a/b", "x-1", "deep/er/file"}));
  EXPECT_TRUE(names.add(0, {"a/b"}));  // A piece may be prepared again.
  EXPECT_TRUE(names.add(1, {"a/c", "x", "deep/other"}));
  EXPECT_THAT(names.add(2, {"a/b"}).error().text, HasSubstr("two pieces made 'a/b'"));
}

TEST(MadeNames, AFileOfOnePieceIsNoFolderOfAnother) {
  MadeNames names;
  EXPECT_TRUE(names.add(0, {"x"}));
  EXPECT_THAT(names.add(1, {"x/00001"}).error().text,
              HasSubstr("two pieces made the file 'x' and 'x/00001'"));
  EXPECT_TRUE(names.add(1, {"y/z/00001"}));
  for (const char* file : {"y", "y/z"})
    EXPECT_THAT(names.add(0, {file}).error().text, HasSubstr("two pieces made the file 'y"));
  // What is refused leaves nothing behind.
  EXPECT_FALSE(names.add(2, {"fine", "x/2"}));
  EXPECT_TRUE(names.add(3, {"fine/3"}));
}

class InTheWay : public FolderTest {};

TEST_F(InTheWay, IsAFolderForAFileAndWhatIsNoFolderForAFolder) {
  fs::create_directories(folder_ / "sub/file");
  write_text(folder_ / "sub/plain", "text");
  fs::create_directory_symlink("sub", folder_ / "link");
  const Interrupt interrupt;
  const LocalHost host;
  const auto found = [&](const Paths& paths) {
    const auto free = nothing_in_the_way(host, folder_.string(), {{"/", paths}}, interrupt);
    return free ? "" : free.error().text;
  };
  EXPECT_EQ(found({}), "");
  EXPECT_EQ(found({"sub/plain", "new/er/file", "sub/two words", "link"}), "");
  EXPECT_THAT(found({"sub/other", "sub/file"}), HasSubstr("sub/file is a folder, not a file"));
  EXPECT_THAT(found({"sub/plain/a/b"}), HasSubstr("sub/plain is not a folder, and sub/plain/a/b"));
  EXPECT_THAT(found({"link/x"}), HasSubstr("link is not a folder"));
}

// rsync's temporary file of NAME is .NAME and six random characters; its partial ones lie in a
// folder of their own. A file that is called so and was sent stays, and so do folders that were not
// asked for.
TEST_F(InTheWay, LeftByRsyncIsRemovedAndWhatWasSentStays) {
  for (const char* path :
       {"0/a.raw", "0/.a.raw.Ab12Cd", "0/deep/.b\nb.Ab12Cd", "0/deep/b\nb", "0/.sent.123456",
        "0/.lapcast-partial/c.raw", "0/.short", "1/.a.raw.Ab12Cd"}) {
    fs::create_directories((folder_ / path).parent_path());
    write_text(folder_ / path, "text");
  }
  const Interrupt interrupt;
  const std::vector<FolderPaths> sent{{"/", {"0/a.raw", "0/.sent.123456"}}, {"/", {"0/deep/b\nb"}}};
  ASSERT_TRUE(remove_left_by_rsync(LocalHost(), folder_.string(), sent, interrupt));
  Paths left;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (!entry.is_directory()) left.push_back(entry.path().lexically_relative(folder_).string());
  EXPECT_THAT(left, testing::UnorderedElementsAre("0/a.raw", "0/deep/b\nb", "0/.sent.123456",
                                                  "0/.short", "1/.a.raw.Ab12Cd"));
  EXPECT_FALSE(fs::exists(folder_ / "0/.lapcast-partial"));
  EXPECT_THAT(remove_left_by_rsync(LocalHost(), (folder_ / "absent").string(), sent, interrupt)
                  .error()
                  .text,
              HasSubstr("cannot be removed on"));
}

}  // namespace
}  // namespace lapcast
