#include "data/reviews.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "data/byte_file.h"
#include "data/files_test.h"
#include "data/review_texts.h"
#include "data/word_rows.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

class ReviewsTest : public FilesTest {
 protected:
  /// Writes one review to each of these class folders.
  void write_one_each(std::initializer_list<const char*> folders) {
    for (const char* name : folders) {
      fs::create_directories(folder_ / name);
      write_text(std::string(name) + "/0_9.txt", "fine");
    }
  }

  /// Returns the message of the error that reading the folder ends with, without the folder.
  std::string error_of(bool pool = false) {
    try {
      const ReviewFiles files = list_reviews(folder_, pool);
      read_reviews(files.training, 2);
      read_reviews(files.validation, 2);
    } catch (const FileError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(folder_.string())) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
      return message.substr(folder_.string().size());
    }
    return "";
  }
};

int64_t positives(const std::vector<ReviewFile>& files) {
  return std::count_if(files.begin(), files.end(), [](const auto& file) { return file.label; });
}

TEST_F(ReviewsTest, SplitsTheFoldersOfTheImdbSet) {
  write_reviews(folder_, ReviewPart::kTraining, 36, 1, 2);
  write_reviews(folder_, ReviewPart::kTest, 14, 1, 2);
  write_text("train/pos/notes.md", "no review");
  const ReviewFiles files = list_reviews(folder_, false);
  EXPECT_EQ(files.training.size(), 36u);
  EXPECT_EQ(positives(files.training), 18);
  EXPECT_EQ(files.validation.size(), 10u);
  EXPECT_EQ(files.test.size(), 4u);
  EXPECT_EQ(positives(files.validation) + positives(files.test), 7);
  // The order is random and always the same.
  EXPECT_EQ(files.training[0].path, list_reviews(folder_, false).training[0].path);
  EXPECT_NE(positives({files.training.begin(), files.training.begin() + 18}), 18);
  std::set<fs::path> all;
  for (const auto* part : {&files.training, &files.validation, &files.test}) {
    for (const ReviewFile& file : *part) all.insert(file.path);
  }
  EXPECT_EQ(all.size(), 50u);
}

// 64 reviews go with 25 to test with, 17 of them for validation; each part has both classes.
TEST_F(ReviewsTest, EveryPartOfASmallSetHasBothClasses) {
  write_reviews(folder_, ReviewPart::kTraining, 64, 1, 1);
  write_reviews(folder_, ReviewPart::kTest, 25, 1, 1);
  ReviewFiles files = list_reviews(folder_, false);
  EXPECT_EQ(positives(files.validation), 9);  // 13 of 25, so 8.84 of 17
  EXPECT_EQ(positives(files.test), 4);
  EXPECT_EQ(cut_after(files.training, 10).size(), 54u);
  EXPECT_EQ(files.training.size(), 10u);
  EXPECT_EQ(positives(files.training), 5);
}

/// Checks 72, 20 and 8 % of 50, in both layouts.
TEST_F(ReviewsTest, PoolsAsTheThesisDoes) {
  write_reviews(folder_, ReviewPart::kTraining, 30, 1, 1);
  write_reviews(folder_, ReviewPart::kTest, 20, 1, 1);
  const ReviewFiles pooled = list_reviews(folder_, true);
  EXPECT_EQ(pooled.training.size(), 36u);
  EXPECT_EQ(pooled.validation.size(), 10u);
  EXPECT_EQ(pooled.test.size(), 4u);
  const ReviewFiles flat = list_reviews(folder_ / "train", false);
  EXPECT_EQ(flat.training.size(), 21u);  // of 30
  EXPECT_EQ(flat.validation.size(), 6u);
  EXPECT_EQ(flat.test.size(), 3u);
}

TEST_F(ReviewsTest, TwoReviewsAreEnough) {
  write_one_each({"pos", "neg"});
  const ReviewFiles files = list_reviews(folder_, false);
  EXPECT_EQ(files.training.size(), 1u);
  EXPECT_EQ(files.validation.size(), 1u);
  EXPECT_TRUE(files.test.empty());
}

TEST_F(ReviewsTest, NamesTheFolderThatIsMissing) {
  EXPECT_EQ(error_of(), ": has neither train/ and test/ nor pos/ and neg/");
  write_one_each({"train/pos", "train/neg"});
  EXPECT_EQ(error_of(), "/test/pos: No such file or directory");
  write_one_each({"test/pos"});
  fs::create_directories(folder_ / "test/neg");
  EXPECT_EQ(error_of(), "/test/neg: holds no .txt files");
  EXPECT_EQ(error_of(true), "/test/neg: holds no .txt files");
  EXPECT_THROW(list_reviews(folder_ / "absent", false), FileError);
}

TEST_F(ReviewsTest, NamesTheReviewThatCannotBeRead) {
  write_one_each({"train/pos", "train/neg", "test/pos", "test/neg"});
  EXPECT_EQ(error_of(), "");
  write_text("train/neg/1_1.txt", "");
  EXPECT_EQ(error_of(), "/train/neg/1_1.txt: byte 0: the review holds no word");
  write_text("train/neg/1_1.txt", " ...! ");
  EXPECT_EQ(error_of(), "/train/neg/1_1.txt: byte 6: the review holds no word");
  write_text("train/neg/1_1.txt", "caf\xe9 noir");
  EXPECT_EQ(error_of(), "/train/neg/1_1.txt: byte 3: the review is not UTF-8");
  write_text("train/neg/1_1.txt", std::string((1 << 20) + 1, 'a'));
  EXPECT_EQ(error_of(), "/train/neg/1_1.txt: byte 1048576: the review is larger than 1 MiB");
  write_text("train/neg/1_1.txt", "It is what it is.");  // stop words only
  EXPECT_EQ(error_of(), "");
}

TEST_F(ReviewsTest, AreTheSameForAnyNumberOfThreads) {
  write_reviews(folder_ / "a", ReviewPart::kTest, 9, 5, 1);
  write_reviews(folder_ / "b", ReviewPart::kTest, 9, 5, 3);
  EXPECT_EQ(read_text(folder_ / "a/test/pos/4_7.txt"), read_text(folder_ / "b/test/pos/4_7.txt"));
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "a")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const fs::path other = folder_ / "b" / entry.path().lexically_relative(folder_ / "a");
    EXPECT_EQ(read_text(entry.path()), read_text(other));
  }
  EXPECT_EQ(files, 9);
  try {
    write_reviews(folder_ / "a", ReviewPart::kTest, 9, 5, 1);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_TRUE(std::string(error.what()).ends_with("has files already; name another folder"));
  }
}

Reviews three_reviews() {
  return {{"The plot, the PLOT: never dull!", "Dull plot. Dull cast.", "It is."}, {1, 0, 1}};
}

/// Counts by hand: dull 3, plot 3, cast 1, never 1; equal counts by their bytes.
TEST(WordRows, NumberWordsByFrequency) {
  for (const int64_t threads : {1, 2, 3}) {
    const std::vector<CleanReviews> cleaned = clean(three_reviews(), threads);
    const WordNumbers vocabulary = most_frequent_words(cleaned);
    EXPECT_EQ(vocabulary, (WordNumbers{{"dull", 1}, {"plot", 2}, {"cast", 3}, {"never", 4}}));
    const WordRows rows = rows_of(cleaned, vocabulary, {1, 0, 1});
    ASSERT_EQ(rows.numbers.size(), 3u * 300);
    const auto last = [&](int64_t row, int64_t n) {
      const auto end = rows.numbers.begin() + (row + 1) * 300;
      return std::vector<int32_t>(end - n, end);
    };
    EXPECT_EQ(last(0, 5), (std::vector<int32_t>{0, 2, 2, 4, 1}));
    EXPECT_EQ(last(1, 5), (std::vector<int32_t>{0, 1, 2, 1, 3}));
    EXPECT_EQ(last(2, 300), std::vector<int32_t>(300));
  }
}

TEST(WordRows, LeaveOutRareWordsAndKeepTheLast) {
  std::string text;
  for (int i = 0; i < 310; ++i) text += i < 9 ? "early " : "late rare" + std::to_string(i) + " ";
  const std::vector<CleanReviews> cleaned = clean({{text}, {1}}, 2);
  const WordNumbers vocabulary = most_frequent_words(cleaned, 2);
  EXPECT_EQ(vocabulary, (WordNumbers{{"late", 1}, {"early", 2}}));
  EXPECT_EQ(rows_of(cleaned, vocabulary, {1}).numbers, std::vector<int32_t>(300, 1));
}

TEST(WordRows, TakeTheVocabularyOfTheTrainingPart) {
  const WordParts parts = numbered(three_reviews(), {{"new cast, dull"}, {0}}, {}, 2);
  const std::vector<int32_t>& row = parts.validation.numbers;
  EXPECT_EQ(std::vector<int32_t>(row.end() - 3, row.end()), (std::vector<int32_t>{0, 3, 1}));
  EXPECT_EQ(parts.validation.labels, std::vector<uint8_t>{0});
  EXPECT_EQ(parts.test.count(), 0);
}

}  // namespace
}  // namespace lapcast::workloads
