#include "remote/received.h"

#include <gtest/gtest.h>

#include "probe/folder_test.h"

namespace lapcast {
namespace {

class Received : public FolderTest {
 protected:
  Received() { std::filesystem::create_directories(work_ / "lib"); }
  static std::string list(std::initializer_list<const char*> texts) {
    std::string list;
    for (const char* text : texts) list.append(text).append(1, '\0');
    return list + '\0';
  }
  bool has(const char* path) const { return std::filesystem::exists(work_ / path); }
  std::filesystem::path work_ = folder_ / "program";
};

TEST_F(Received, OnlyTheStateThatWasNotedCounts) {
  EXPECT_FALSE(is_received(work_, "aa"));
  EXPECT_TRUE(note_received(work_, list({"aa", "train.py"})));
  EXPECT_TRUE(is_received(work_, "aa"));
  EXPECT_FALSE(is_received(work_, "a"));
  EXPECT_FALSE(is_received(work_, "aab"));
  std::filesystem::remove_all(work_);
  EXPECT_FALSE(is_received(work_, "aa"));
}

TEST_F(Received, WhatIsInTheListNoMoreGoesAndNothingElse) {
  for (const char* path : {"train.py", "lib/old.py", "checkpoint"}) write_text(work_ / path, "x");
  write_text(folder_ / "outside", "x");
  EXPECT_TRUE(note_received(work_, list({"aa", "train.py", "lib/old.py", "../outside", "/etc/none"})));
  EXPECT_TRUE(note_received(work_, list({"bb", "train.py"})));
  EXPECT_TRUE(has("train.py") && has("checkpoint"));
  EXPECT_FALSE(has("lib"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "outside"));
}

TEST_F(Received, AListThatWasCutOffIsRefusedAndNothingIsRemoved) {
  write_text(work_ / "train.py", "x");
  const std::string whole = list({"aa", "train.py"});
  EXPECT_TRUE(note_received(work_, whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(note_received(work_, whole.substr(0, length))) << length;
  EXPECT_TRUE(has("train.py") && is_received(work_, "aa"));
}

}  // namespace
}  // namespace lapcast
