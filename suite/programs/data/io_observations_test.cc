#include "data/io_observations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/random.h"
#include "data/files_test.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

const std::string kHeader =
    "min_request_size,mean_request_size,max_request_size,file_handles,mean_offset_distance,"
    "pattern\n";
const std::string kLine = "512,4096.5,8192,4,1e6,shared-strided\n";

class IoObservationsTest : public FilesTest {
 protected:
  /// Returns the error message for a file with this text.
  std::string error_of(const std::string& text) {
    const fs::path file = write_text("f.csv", text);
    try {
      read_io_observations(file);
    } catch (const FileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
      return message.substr(file.string().size() + 2);
    }
    return "";
  }
};

TEST_F(IoObservationsTest, ReadsNumbersAndPatterns) {
  const std::string more = "0,0,0,1,0,file-per-process\n1,2,3,4,5,shared-contiguous";
  const IoObservations read = read_io_observations(write_text("f.csv", kHeader + kLine + more));
  EXPECT_EQ(read.patterns, (std::vector<uint8_t>{2, 0, 1}));
  EXPECT_EQ(read.features, (Numbers{512, 4096.5, 8192, 4, 1e6, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read.column(4), (Numbers{1e6, 0, 5}));
}

TEST_F(IoObservationsTest, ReadsLinesThatEndAsOnWindows) {
  std::string text;
  for (char c : kHeader + kLine) {
    if (c == '\n') text += '\r';
    text += c;
  }
  EXPECT_EQ(read_io_observations(write_text("f.csv", text)).count(), 1);
}

TEST_F(IoObservationsTest, WritesWhatItReads) {
  const IoObservations observations = {{0.1, 1.0 / 3, 3, 4, 1e15, 6, 7, 8, 9, 10}, {1, 2}};
  write_io_observations(folder_ / "w.csv", observations);
  EXPECT_EQ(read_text(folder_ / "w.csv"), kHeader +
                                              "0.1,0.3333333333333333,3,4,1e+15,shared-contiguous\n"
                                              "6,7,8,9,10,shared-strided\n");
  const IoObservations read = read_io_observations(folder_ / "w.csv");
  EXPECT_EQ(read.features, observations.features);
  EXPECT_EQ(read.patterns, observations.patterns);
}

TEST_F(IoObservationsTest, NamesOffsetLineAndFault) {
  EXPECT_EQ(error_of("a,b\n"),
            "byte 0: header 'a,b', expected " + kHeader.substr(0, kHeader.size() - 1));
  EXPECT_EQ(error_of(kHeader), "byte 94: no observations follow");
  EXPECT_EQ(error_of(kHeader + kLine + "1,2,3\n"), "byte 131: line 3: 3 fields, expected 6");
  EXPECT_EQ(error_of(kHeader + kLine + "\n" + kLine), "byte 131: line 3: 1 fields, expected 6");
  EXPECT_EQ(error_of(kHeader + "1,x,3,4,5,shared-strided\n"),
            "byte 96: line 2: mean_request_size 'x', expected a number from 0 to 2^64");
  for (const char* wrong : {"-1", "nan", "inf", "1e20", "1 ", " 1", "0x10", "", "1e999"}) {
    const std::string error = error_of(kHeader + "1,2,3," + wrong + ",5,shared-strided\n");
    EXPECT_EQ(error, std::string("byte 100: line 2: file_handles '") + wrong +
                         "', expected a number from 0 to 2^64");
  }
  EXPECT_EQ(error_of(kHeader + "1,2,3,4,5,strided\n"),
            "byte 104: line 2: pattern 'strided', expected file-per-process, shared-contiguous or "
            "shared-strided");
  // The file is cut: the last line has no end.
  EXPECT_EQ(error_of(kHeader + kLine.substr(0, 20)), "byte 94: line 2: 5 fields, expected 6");
}

TEST_F(IoObservationsTest, ReadsAFolderOfTwoFilesOrOne) {
  write_text("observations.csv", kHeader + kLine + kLine + kLine + kLine);
  EXPECT_EQ(read_io_parts(folder_).test.count(), 2);
  write_text("training.csv", kHeader + kLine);
  EXPECT_THROW(read_io_parts(folder_), FileError);  // no test.csv
  write_text("test.csv", kHeader + kLine + kLine + kLine);
  EXPECT_EQ(read_io_parts(folder_).training.count(), 1);
  EXPECT_EQ(read_io_parts(folder_).test.count(), 3);
}

TEST(SplitObservations, SharesEveryRowOutOnce) {
  IoObservations all;
  for (int i = 0; i < 38912; ++i) {
    all.features.insert(all.features.end(), {double(i), 0, 0, 0, 0});
    all.patterns.push_back(static_cast<uint8_t>(i % 3));
  }
  const IoParts parts = split_observations(all);
  EXPECT_EQ(parts.training.count(), 27238);
  EXPECT_EQ(parts.test.count(), 11674);
  Numbers rows = parts.training.column(0);
  const Numbers test = parts.test.column(0);
  for (size_t i = 0; i < test.size(); ++i) {
    EXPECT_EQ(parts.test.patterns[i], static_cast<int>(test[i]) % 3);
  }
  rows.insert(rows.end(), test.begin(), test.end());
  EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, all.column(0));
}

TEST(IoObservations, KeepsTheFirst) {
  IoObservations observations = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2}};
  observations.keep_first(3);
  EXPECT_EQ(observations.count(), 2);
  observations.keep_first(1);
  EXPECT_EQ(observations.features, (Numbers{1, 2, 3, 4, 5}));
}

/// Checks that cut and changed files are either read or refused in one line.
TEST_F(IoObservationsTest, SurvivesCutAndChangedFiles) {
  const std::string seed = kHeader + kLine + "1,2,3,4,5,file-per-process\n";
  Random random(42);
  for (int round = 0; round < 300; ++round) {
    std::string text = seed;
    for (uint32_t changes = random.below(4); changes > 0; --changes) {
      text[random.below(static_cast<uint32_t>(text.size()))] = static_cast<char>(random.bits());
    }
    if (random.chance(0.5f)) text.resize(random.below(static_cast<uint32_t>(text.size())));
    EXPECT_EQ(error_of(text).find_first_of("\n\r\x1b"), std::string::npos);
  }
}

}  // namespace
}  // namespace lapcast::workloads
