#include "suite/stopwatch/stage_files.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/error.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class StageFilesTest : public FolderTest {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string line(const std::string& timer, double seconds, const std::string& tag) {
    return "# csv," + timer + ",ok," + std::to_string(seconds) + ",0,2021-11-01 12:00:00," + tag +
           ",node,me,Linux,1\n";
  }
};

TEST_F(StageFilesTest, TagsNameNetworkAndDevice) {
  const std::string both =
      file("both.csv", line("train", 4, "mlp CPU") + line("train", 2, "mlp GPU"));
  const StageFiles read = read_stage_files({both});
  ASSERT_THAT(read.entries, SizeIs(2));
  EXPECT_EQ(read.entries[0].network, "mlp");
  EXPECT_EQ(read.entries[0].device, "cpu");
  EXPECT_EQ(read.entries[1].device, "gpu");
}

TEST_F(StageFilesTest, AFilesNameMaySayTheDevice) {
  const std::string one = file("tpu.csv", line("train", 4, "mlp") + line("train", 5, "mlp"));
  EXPECT_THROW(read_stage_files({one}), Error);
  const StageFiles read = read_stage_files({"TPU=" + one});
  ASSERT_THAT(read.entries, SizeIs(1));
  EXPECT_EQ(read.entries[0].device, "tpu");
  EXPECT_THAT(read.entries[0].runs, SizeIs(2));  // a timer that comes again is another run
}

TEST_F(StageFilesTest, CudaAndGpuAreOneDevice) {
  const std::string own = file("own.csv", line("train", 4, "mlp cuda"));
  const std::string other = file("other.csv", line("train", 5, "mlp GPU"));
  const std::string named =
      file("named.csv", line("train", 6, "mlp") + line("train", 7, "cnn cuda"));
  const StageFiles read = read_stage_files({own, other, "cuda=" + named});
  ASSERT_THAT(read.entries, SizeIs(2));
  EXPECT_EQ(read.entries[0].device, "gpu");
  EXPECT_THAT(read.entries[0].runs, SizeIs(3));
  EXPECT_EQ(read.entries[1].network, "cnn");
}

TEST_F(StageFilesTest, TooManyDevicesAreRefused) {
  std::string lines;
  for (int i = 0; i <= 500; ++i) lines += line("train", 4, "mlp d" + std::to_string(i));
  EXPECT_THROW(read_stage_files({file("many.csv", lines)}), Error);
}

TEST_F(StageFilesTest, WhatIsNoStageIsSaid) {
  EXPECT_THROW(read_stage_files({file("empty.csv", "")}), Error);
  const std::string torn =
      file("torn.csv",
           line("train", 4, "mlp cpu") + "# csv,evaluate,ok,nan,0,x,mlp cpu,node,me,Linux,1\n");
  const StageFiles read = read_stage_files({torn});
  ASSERT_THAT(read.lines, SizeIs(1));
  EXPECT_THAT(read.lines[0], HasSubstr("line 2"));
}

}  // namespace
}  // namespace lapcast
