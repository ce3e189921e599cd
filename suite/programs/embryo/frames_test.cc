#include "embryo/frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "data/files_test.h"
#include "embryo/drawing.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

TEST(FrameName, IsReadAndWrittenAsInThePaper) {
  EXPECT_EQ(parse_frame_name("E00Frame52"), (FrameName{0, 52}));
  EXPECT_EQ(parse_frame_name("E7Frame000123"), (FrameName{7, 123}));
  EXPECT_EQ(text_of({0, 52}), "E00Frame52");
  EXPECT_EQ(text_of({99, 0}), "E99Frame0");
  EXPECT_EQ(text_of({123, 4}), "E123Frame4");
  for (const char* wrong : {"", "E", "E00", "E00Frame", "EFrame5", "E-1Frame5", "e00Frame5",
                            "E00frame5", "E00Frame5x", "E00Frame1234567", " E00Frame5"}) {
    EXPECT_FALSE(parse_frame_name(wrong)) << wrong;
  }
}

class FramesTest : public FilesTest {
 protected:
  /// Returns the message of list_frames() without the folder's name.
  std::string error() {
    try {
      list_frames(folder_);
    } catch (const FileError& e) {
      const std::string message = e.what(), name = folder_.string() + "/";
      return message.starts_with(name) ? message.substr(name.size()) : "no name: " + message;
    }
    return "";
  }
};

TEST_F(FramesTest, ListsLabelledFramesInOrder) {
  write_text("labels.csv", "image,cells\r\nE05Frame10,4\r\nE05Frame9,2\nE00Frame3,1");
  for (const char* name : {"E05Frame10.png", "E5Frame09.png", "E00Frame3.png", "notes.txt"}) {
    write_text(name);
  }
  const std::vector<Frame> frames = list_frames(folder_);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].name, (FrameName{0, 3}));
  EXPECT_EQ(frames[1].cells, 2);
  EXPECT_EQ(frames[1].file, folder_ / "E5Frame09.png");
  EXPECT_EQ(frames[2].name, (FrameName{5, 10}));
}

TEST_F(FramesTest, NamesFileOffsetAndFault) {
  EXPECT_EQ(error(), "labels.csv: No such file or directory");
  const auto labels = [this](const std::string& text) {
    write_text("labels.csv", text);
    return error();
  };
  EXPECT_EQ(labels(""), "labels.csv: byte 0: expected the line image,cells");
  EXPECT_EQ(labels("name,cells\n"), "labels.csv: byte 0: expected the line image,cells");
  const std::string head = "image,cells\n";  // 12 bytes
  EXPECT_EQ(labels(head + "E00Frame1,5\n"), "labels.csv: byte 12: 5 cells, expected 1 to 4");
  EXPECT_EQ(labels(head + "E00Frame1,0\n"), "labels.csv: byte 12: 0 cells, expected 1 to 4");
  for (const char* line : {"E00Frame1", "E00Frame1,", "E00Frame1,2,", "E00Frame1,2.0", "Frame1,2",
                           "", "E00Frame1,-1"}) {
    EXPECT_EQ(labels(head + line + "\n"),
              "labels.csv: byte 12: '" + std::string(line) + "' is not a line like E00Frame52,2");
  }
  EXPECT_EQ(labels(head + "\x01\xff\n"),
            "labels.csv: byte 12: '?\?' is not a line like E00Frame52,2");
  EXPECT_EQ(labels(head + "E00Frame1,2\nE0Frame01,2\n"),
            "labels.csv: byte 24: E00Frame1 is labelled twice");
  EXPECT_EQ(labels(head + "E00Frame1,2\n"), "labels.csv: byte 12: there is no file E00Frame1.png");
}

TEST_F(FramesTest, RefusesFilesWithWrongNames) {
  write_text("labels.csv", "image,cells\n");
  write_text("E00Frame1.png");
  EXPECT_EQ(error(), "E00Frame1.png: not labelled in labels.csv");
  write_text("E0Frame1.png");
  EXPECT_EQ(error(), "E0Frame1.png: the same frame as E00Frame1.png");
  fs::remove(folder_ / "E00Frame1.png");
  fs::remove(folder_ / "E0Frame1.png");
  fs::create_directory(folder_ / "E00Frame2.png");
  EXPECT_EQ(error(), "E00Frame2.png: is not a file");
  fs::remove(folder_ / "E00Frame2.png");
  write_text("Embryo1.png");
  EXPECT_EQ(error(), "Embryo1.png: not named like E00Frame52.png");
}

/// Returns ten embryos with 6, 5, 1 and 4 frames of 1, 2, 3 and 4 cells.
std::vector<Frame> uneven_set() {
  std::vector<Frame> frames;
  for (int embryo = 0; embryo < 10; ++embryo) {
    int frame = 0;
    const std::array<int, 4> counts = {6, 5, 1, 4};
    for (int cells = 1; cells <= 4; ++cells) {
      for (int i = 0; i < counts[static_cast<size_t>(cells - 1)]; ++i) {
        frames.push_back({{embryo, frame++}, cells, {}});
      }
    }
  }
  return frames;
}

std::vector<FrameName> names(const FrameParts& parts) {
  std::vector<FrameName> all;
  for (const Frame& frame : parts.training) all.push_back(frame.name);
  for (const Frame& frame : parts.test) all.push_back(frame.name);
  return all;
}

TEST(Balance, TakesAsManyOfEachClassAsTheRarestHas) {
  const FrameParts parts = balance_and_split(uneven_set(), 1);
  std::array<int, 4> counts{};
  for (const auto* part : {&parts.training, &parts.test}) {
    for (const Frame& frame : *part) ++counts[static_cast<size_t>(frame.cells - 1)];
  }
  EXPECT_EQ(counts, (std::array<int, 4>{10, 10, 10, 10}));
  const std::vector<FrameName> all = names(parts);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 40u);  // no frame occurs twice
  EXPECT_EQ(names(balance_and_split(uneven_set(), 1, 7)).size(), 28u);
}

TEST(Balance, TestsOnEmbryosThatFiveDivides) {
  const FrameParts parts = balance_and_split(uneven_set(), 1);
  for (const Frame& frame : parts.test) EXPECT_EQ(frame.name.embryo % 5, 0);
  for (const Frame& frame : parts.training) EXPECT_NE(frame.name.embryo % 5, 0);
}

TEST(Balance, DependsOnTheSeedAlone) {
  EXPECT_EQ(names(balance_and_split(uneven_set(), 1)), names(balance_and_split(uneven_set(), 1)));
  EXPECT_NE(names(balance_and_split(uneven_set(), 1)), names(balance_and_split(uneven_set(), 2)));
}

TEST(Balance, RefusesAnEmptyClassOrPart) {
  const auto error = [](auto keep) {
    std::vector<Frame> frames = uneven_set();
    std::erase_if(frames, [&](const Frame& frame) { return !keep(frame); });
    try {
      balance_and_split(frames, 1);
    } catch (const FileError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error([](const Frame& f) { return f.cells != 3; }),
            "no image of 3 cells: the classes cannot be balanced");
  EXPECT_EQ(error([](const Frame& f) { return f.name.embryo == 5; }),
            "the training part is empty: it needs embryos whose number is not divisible by 5");
  EXPECT_EQ(error([](const Frame& f) { return f.name.embryo == 4; }),
            "the test part is empty: it needs embryos whose number is divisible by 5");
}

TEST(PatchFrames, SufficeInEachPart) {
  // 2,000 patches are 100 frames, 25 of each stage; 500 are 25, so 7 of each stage are needed.
  StageLengths training{}, test{};
  for (const EmbryoFrames& one : frames_for({2000, 500})) {
    StageLengths& sum = one.embryo % kTestModulo == 0 ? test : training;
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += one.lengths[i];
  }
  EXPECT_EQ(training, (StageLengths{25, 25, 25, 25}));
  EXPECT_EQ(test, (StageLengths{7, 7, 7, 7}));
  // The paper's set: 49,024 need 613 frames of each stage, 12,256 need 154.
  std::set<int> numbers;
  int64_t frames = 0;
  for (const EmbryoFrames& one : frames_for({49024, 12256})) {
    numbers.insert(one.embryo);
    for (const int64_t length : one.lengths) frames += length;
  }
  EXPECT_EQ(numbers.size(), 100u);
  EXPECT_EQ(*numbers.rbegin(), 99);
  EXPECT_EQ(frames, 4 * (613 + 154));
}

TEST_F(FramesTest, RefusesDamagedPatchCounts) {
  EXPECT_EQ(read_patch_counts(folder_), PatchCounts{});
  write_text("patches.csv", "training,test\r\n64,16");
  EXPECT_EQ(read_patch_counts(folder_), (PatchCounts{64, 16}));
  for (const char* text : {"", "training,test\n1\n", "training,test\n0,1\n",
                           "training,test\n1,2,3\n", "training,test\n1234567890123,1\n"}) {
    write_text("patches.csv", text);
    EXPECT_THROW(read_patch_counts(folder_), FileError) << text;
  }
}

}  // namespace
}  // namespace lapcast::workloads
