#include "remote/received_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Received : public FolderTest {
 protected:
  static std::string list(std::initializer_list<const char*> texts) {
    std::string list;
    for (const char* text : texts) list.append(text).append(1, '\0');
    return list + '\0';
  }
  /// Makes the folder ready for a list, lets `send` bring the files, and notes them.
  template <class Send>
  void receive(std::initializer_list<const char*> texts, Send send) {
    const auto ready = make_ready(work_, list(texts));
    ASSERT_TRUE(ready) << ready.error().text;
    EXPECT_FALSE(is_received(work_, *texts.begin()));
    send();
    EXPECT_TRUE(note_received(work_, *texts.begin()));
  }
  void put(const char* path) const {
    fs::create_directories((work_ / path).parent_path());
    write_text(work_ / path, "x");
  }
  bool has(const char* path) const { return fs::exists(fs::symlink_status(work_ / path)); }
  fs::path work_ = folder_ / "work" / "program";
};

TEST_F(Received, OnlyTheStateThatWasNotedCounts) {
  EXPECT_FALSE(is_received(work_, "aa"));
  receive({"aa", "f train.py"}, [&] { put("train.py"); });
  EXPECT_TRUE(is_received(work_, "aa"));
  EXPECT_FALSE(is_received(work_, "a"));
  EXPECT_FALSE(is_received(work_, "aab"));
  fs::remove_all(work_);
  EXPECT_FALSE(is_received(work_, "aa"));
}

TEST_F(Received, ItIsBelievedOnlyWhileAllFilesAreThereWithTheirTypes) {
  const fs::path data = folder_ / "data";
  write_text(data, "x");
  const std::string absolute = "F " + data.string();
  const auto send = [&] {
    for (const char* path : {"train.py", "lib/a.py", "digits/x"}) put(path);
    fs::remove(work_ / "link");
    fs::create_symlink("train.py", work_ / "link");
    fs::create_directories(work_ / "empty");
    write_text(data, "x");
  };
  const auto receive_all = [&] {
    receive({"aa", "P digits", "f train.py", "f lib/a.py", "l link", "d empty", "F digits/x",
             absolute.c_str()},
            send);
    ASSERT_TRUE(is_received(work_, "aa"));
  };
  for (const char* path : {"train.py", "lib/a.py", "link", "empty", "digits/x", "../../data"}) {
    receive_all();
    fs::remove(work_ / path);
    EXPECT_FALSE(is_received(work_, "aa")) << path;
    receive_all();
    fs::remove(work_ / path);
    fs::create_directory_symlink("/etc", work_ / path);
    EXPECT_EQ(is_received(work_, "aa"), std::string(path) == "link") << path;
    fs::remove(work_ / path);
  }
  receive_all();  // a folder that became a link to another with the same files
  fs::rename(work_ / "lib", folder_ / "moved");
  fs::create_directory_symlink(folder_ / "moved", work_ / "lib");
  EXPECT_FALSE(is_received(work_, "aa"));
}

TEST_F(Received, ASendingThatWasCutOffIsNotBelievedAndStillCleanedUp) {
  receive({"aa", "f train.py"}, [&] { put("train.py"); });
  const auto again = make_ready(work_, list({"bb", "f train.py", "f new.py"}));
  ASSERT_TRUE(again && *again);
  put("new.py");  // then the link broke, and the user went back to the first state
  EXPECT_FALSE(is_received(work_, "aa") || is_received(work_, "bb"));
  EXPECT_FALSE(note_received(work_, "aa"));
  receive({"aa", "f train.py"}, [] {});
  EXPECT_TRUE(has("train.py") && !has("new.py"));
}

TEST_F(Received, WhatIsInTheListNoMoreGoesAndNothingElse) {
  write_text(folder_ / "outside", "x");
  write_text(folder_ / "absolute", "x");
  const std::string absolute = "f " + (folder_ / "absolute").string();
  receive(
      {"aa", "f train.py", "f lib/old.py", "f ../../outside", absolute.c_str(), "f ", "x y", "f"},
      [&] {
        for (const char* path : {"train.py", "lib/old.py", "checkpoint"}) put(path);
      });
  receive({"bb", "f train.py"}, [] {});
  EXPECT_TRUE(has("train.py") && has("checkpoint"));
  EXPECT_FALSE(has("lib"));
  EXPECT_TRUE(fs::exists(folder_ / "outside") && fs::exists(folder_ / "absolute"));
}

TEST_F(Received, NothingIsRemovedThroughALink) {
  fs::create_directories(folder_ / "shared");
  write_text(folder_ / "shared" / "x", "precious");
  receive({"aa", "f sub/x", "f sub/deep/y", "f train.py"}, [&] {
    put("sub/x");
    put("train.py");
  });
  fs::remove_all(work_ / "sub");
  fs::create_directory_symlink(folder_ / "shared", work_ / "sub");
  receive({"bb", "f train.py"}, [] {});
  EXPECT_EQ(text_of(folder_ / "shared" / "x"), "precious");
  EXPECT_TRUE(has("sub"));
}

TEST_F(Received, AFolderThatIsALinkIsRefused) {
  fs::create_directories(folder_ / "shared");
  fs::create_directories(work_.parent_path());
  fs::create_directory_symlink(folder_ / "shared", work_);
  const auto ready = make_ready(work_, list({"aa", "f train.py"}));
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().text, HasSubstr("is a link, and lapcast writes through none"));
}

TEST_F(Received, WhatIsADataSetNowIsNeverRemoved) {
  const auto all = {"aa", "f digits/a", "f digits/deep/b", "f above/set/c", "l near", "f digits2"};
  receive(all, [&] {
    for (const char* path : {"digits/a", "digits/deep/b", "above/set/c", "digits2"}) put(path);
    fs::create_symlink("digits", work_ / "near");
  });
  receive({"bb", "P digits", "P above/set", "P near/x"}, [] {});
  for (const char* path : {"digits/a", "digits/deep/b", "above/set/c", "near"})
    EXPECT_TRUE(has(path)) << path;
  EXPECT_FALSE(has("digits2"));
  // And when it is one no more: what came as data stays.
  receive({"cc", "P digits", "F digits/a"}, [] {});
  receive({"dd", "f train.py"}, [&] { put("train.py"); });
  EXPECT_TRUE(has("digits/a"));
}

TEST_F(Received, TypesMayChange) {
  receive({"aa", "f a", "f b/x", "d c", "l d"}, [&] {
    put("a");
    put("b/x");
    fs::create_directory(work_ / "c");
    fs::create_symlink("a", work_ / "d");
  });
  receive({"bb", "f a/x", "f b", "l c", "d d"},
          [&] { EXPECT_FALSE(has("a") || has("b") || has("c") || has("d")); });
}

TEST_F(Received, AFolderWithFilesOfItsOwnIsNotReplacedByAFile) {
  receive({"aa", "f sub/x"}, [&] { put("sub/x"); });
  put("sub/checkpoint");
  const auto ready = make_ready(work_, list({"bb", "f sub"}));
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().text, HasSubstr("is a folder with files that lapcast did not send"));
  EXPECT_TRUE(has("sub/checkpoint"));
}

TEST_F(Received, AListThatWasCutOffIsRefusedAndNothingIsRemoved) {
  const std::string whole = list({"aa", "f train.py"});
  receive({"aa", "f train.py"}, [&] { put("train.py"); });
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(make_ready(work_, whole.substr(0, length))) << length;
  EXPECT_TRUE(has("train.py") && is_received(work_, "aa"));
}

TEST_F(Received, AProgramThatIsSentAgainIsSetUpAgain) {
  receive({"aa", "f train.py"}, [&] { put("train.py"); });
  write_text(set_up_note(work_), "done");
  fs::remove_all(work_);
  receive({"aa", "f train.py"}, [&] { put("train.py"); });
  EXPECT_FALSE(fs::exists(set_up_note(work_)));
}

TEST_F(Received, TheListNamesProgramAndData) {
  ProgramFiles files;
  files.content = "aa";
  files.data_paths = {"digits", "/data"};
  files.program.files = {{"a.py", FileKind::file, 1}, {"e", FileKind::empty_folder, 0}};
  files.data = {{"digits", {"/home/me", {{"digits/l", FileKind::link, 1}}, {}, 0, ""}},
                {"/data", {"/", {{"data/x", FileKind::file, 1}}, {}, 0, ""}}};
  EXPECT_EQ(received_list(files),
            list({"aa", "P digits", "P /data", "f a.py", "d e", "L digits/l", "F /data/x"}));
}

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
