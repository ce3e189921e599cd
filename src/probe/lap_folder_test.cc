#include "probe/lap_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string opening(int rank = 0) {
  return "lapcast-laps 1\n0 hello clock=100 world=4 rank=" + std::to_string(rank) + "\n";
}

class LapFolderTest : public FolderTest {
 protected:
  void append(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::app) << text;
  }
  LapFolder laps_{folder_, 1 << 20};
};

TEST_F(LapFolderTest, ReadsALogWhileItGrows) {
  EXPECT_FALSE(laps_.poll());
  append("laps.7.log", opening() + "10 i 8\n20 i");
  EXPECT_TRUE(laps_.poll());
  EXPECT_THAT(laps_.log().laps, SizeIs(1));
  EXPECT_FALSE(laps_.poll());
  append("laps.7.log", " 8\n");
  EXPECT_TRUE(laps_.poll());
  EXPECT_THAT(laps_.log().laps, SizeIs(2));
}

TEST_F(LapFolderTest, FinishReadsTheRestAndSaysWhatWasCutOff) {
  append("laps.7.log", opening() + "10 i 8\n20 i");
  laps_.finish();
  EXPECT_THAT(laps_.log().laps, SizeIs(1));
  EXPECT_EQ(laps_.log().damage->what, "cut off");
  EXPECT_THAT(laps_.texts(), ElementsAre(opening() + "10 i 8\n20 i"));
}

TEST_F(LapFolderTest, MergesTheLogsOfAllProcesses) {
  append("laps.7.log", opening(0) + "10 i 8\n20 i 8\n");
  append("laps.8.log", opening(1) + "15 i 4\n25 i 4\n");
  append("laps.6.log", opening(0) + "1 note the launcher has nothing to say\n");
  laps_.finish();
  ASSERT_THAT(laps_.log().laps, SizeIs(2));
  EXPECT_EQ(laps_.log().laps[1].samples, 12);
  EXPECT_EQ(laps_.log().laps[1].end_ns, 25);
  EXPECT_THAT(laps_.log().notes, SizeIs(1));
}

TEST_F(LapFolderTest, AProcessThatBeganALogAndReportsNothingDoesNotDisturb) {
  append("laps.6.log", opening());
  EXPECT_TRUE(laps_.poll());
  append("laps.7.log", opening() + "10 i 8\n");
  laps_.finish();
  EXPECT_THAT(laps_.log().laps, SizeIs(1));
  EXPECT_EQ(laps_.log().damage, std::nullopt);
}

TEST_F(LapFolderTest, OtherFilesAndWhatIsNoFileAreLeftAlone) {
  append("notes.log", opening() + "10 i 8\n");
  append("laps.7.txt", opening() + "10 i 8\n");
  append("hidden", opening() + "10 i 8\n");
  mkfifo((folder_ / "laps.1.log").c_str(), 0600);
  fs::create_symlink(folder_ / "hidden", folder_ / "laps.2.log");
  fs::create_directory(folder_ / "laps.3.log");
  laps_.finish();
  EXPECT_THAT(laps_.log().laps, IsEmpty());
  EXPECT_THAT(laps_.texts(), IsEmpty());
}

TEST_F(LapFolderTest, NothingBeyondTheLimitIsRead) {
  LapFolder small(folder_, 100);
  append("laps.7.log", opening() + "10 i 8\n" + std::string(1000, 'x'));
  small.finish();
  EXPECT_TRUE(small.over_limit());
  EXPECT_EQ(small.texts().at(0).size(), 100U);
  EXPECT_THAT(small.log().laps, SizeIs(1));
}

TEST_F(LapFolderTest, ALineThatWasDroppedCountsAsMoreBytes) {
  LapFolder small(folder_, 1'000'000);  // the first 32768 lines are kept, the next cost 66 bytes
  std::string text = opening();
  for (int i = 0; i < 100'000; ++i) text += "x\n";
  append("laps.7.log", text);
  small.finish();
  EXPECT_TRUE(small.over_limit());
  EXPECT_LT(small.log().damage->lines, 70'000);  // it is looked at after each 64 KiB
}

TEST_F(LapFolderTest, SaysWhatItDidNotKeep) {
  append("laps.7.log", opening() + "10 i 8\n" + std::string(100'000, 'x') + "\n20 i 8\n");
  append("laps.8.log", "no log\nand more\n");
  mkfifo((folder_ / "laps.9.log").c_str(), 0600);
  laps_.finish();
  EXPECT_THAT(laps_.log().laps, SizeIs(2));
  EXPECT_THAT(laps_.warnings(),
              ElementsAre("lap logs: 93.7 KiB of damage were not kept; at most 64.0 KiB are",
                          "lap logs: 1 files were not read: no regular file, not readable, or one "
                          "of more than 4096"));
}

TEST_F(LapFolderTest, ManyLogsAreReadThoughFewStayOpen) {
  for (int i = 0; i < 600; ++i)
    append("laps." + std::to_string(i) + ".log", opening(i % 4) + "10 i 8\n");
  EXPECT_TRUE(laps_.poll());
  for (int i = 0; i < 600; ++i) append("laps." + std::to_string(i) + ".log", "20 i 8\n");
  laps_.finish();
  EXPECT_THAT(laps_.texts(), SizeIs(600));
  EXPECT_THAT(laps_.log().laps, SizeIs(2));
  EXPECT_THAT(laps_.warnings(), IsEmpty());
}

TEST_F(LapFolderTest, WhatHasNotHappenedYetIsDamageAndNotKept) {
  const MonotonicNs now = monotonic_ns();
  laps_.set_start(now - 1'000'000'000, "");
  append("laps.7.log", "lapcast-laps 1\n0 hello clock=" + std::to_string(now - 500'000'000) +
                           "\n400000000 i 8\n3600000000000 i 8\n450000000 i 8\n");
  laps_.finish();
  EXPECT_THAT(laps_.log().laps, SizeIs(2));
  EXPECT_EQ(laps_.log().damage->what, "a time after the end of the run");
  EXPECT_EQ(laps_.texts().at(0).find("3600000000000"), std::string::npos);
}

TEST_F(LapFolderTest, AsksForAValidationInOneStep) {
  laps_.ask_for_validation(64);
  EXPECT_EQ(text_of(folder_ / "validate"), "64\n");
  EXPECT_FALSE(fs::exists(folder_ / "validate.new"));
  laps_.ask_for_validation(128);
  EXPECT_EQ(text_of(folder_ / "validate"), "128\n");
}

TEST_F(LapFolderTest, TellsHowFarTheHookHasCome) {
  laps_.finish();
  EXPECT_EQ(laps_.hook().text(true), "");
  laps_.expect_hook(true);
  EXPECT_THAT(laps_.hook().text(true), StartsWith("no Python interpreter loaded the hook"));
  append("hook.python", "");
  append("hook.\x1b[31m", "");
  laps_.finish();
  EXPECT_EQ(laps_.hook().text(true), "Python ran without a library that the hook knows");
  EXPECT_EQ(laps_.hook().text(false), "Python runs, no library that the hook knows is loaded yet");
  append("hook.torch", "");
  laps_.finish();
  EXPECT_EQ(laps_.hook().text(true), "Python ran, torch was loaded, no step was seen");
  append("hook.accelerate", "");
  laps_.finish();
  EXPECT_EQ(laps_.hook().text(false), "Python runs, accelerate, torch are loaded, no step yet");
}

TEST_F(LapFolderTest, AMissingFolderHasNoLaps) {
  LapFolder missing(folder_ / "missing", 100);
  missing.finish();
  EXPECT_THAT(missing.log().laps, IsEmpty());
  EXPECT_EQ(missing.log().hello, std::nullopt);
}

}  // namespace
}  // namespace lapcast
