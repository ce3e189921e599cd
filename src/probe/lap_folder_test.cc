#include "probe/lap_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "probe/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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

TEST_F(LapFolderTest, AsksForAValidationInOneStep) {
  laps_.ask_for_validation(64);
  EXPECT_EQ(text_of(folder_ / "validate"), "64\n");
  EXPECT_FALSE(fs::exists(folder_ / "validate.new"));
  laps_.ask_for_validation(128);
  EXPECT_EQ(text_of(folder_ / "validate"), "128\n");
}

TEST_F(LapFolderTest, AMissingFolderHasNoLaps) {
  LapFolder missing(folder_ / "missing", 100);
  missing.finish();
  EXPECT_THAT(missing.log().laps, IsEmpty());
  EXPECT_EQ(missing.log().hello, std::nullopt);
}

}  // namespace
}  // namespace lapcast
