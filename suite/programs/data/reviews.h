#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lapcast::workloads {

/// Reads film reviews in the folder layout of the IMDb set of Maas et al. (2011): one text file of
/// UTF-8 for each review, in train/pos, train/neg, test/pos and test/neg, or in pos and neg.

/// Names one review: label 1 is positive, 0 negative.
struct ReviewFile {
  std::filesystem::path path;
  uint8_t label = 0;
};

struct ReviewFiles {
  std::vector<ReviewFile> training;
  std::vector<ReviewFile> validation;
  std::vector<ReviewFile> test;  ///< may be empty
};

/// Lists the reviews of a folder, each part in a random order that is always the same.
///
/// Five of seven reviews of test/ are for validation and the rest for testing. With `pool`, or when
/// the folder has pos/ and neg/ only, all reviews are split anew into 72, 20 and 8 % for training,
/// validation and testing, as Künas 2023, section 6.2.2, does: 50,000 become 36,000, 10,000 and
/// 4,000. Files whose names do not end in ".txt" are ignored. Throws FileError when a folder is
/// missing or has no reviews.
ReviewFiles list_reviews(const std::filesystem::path& folder, bool pool);

/// Keeps `size` files, the first of each class, or all when there are fewer or `size` is 0. Returns
/// the others.
std::vector<ReviewFile> cut_after(std::vector<ReviewFile>& files, size_t size);

struct Reviews {
  std::vector<std::string> texts;
  std::vector<uint8_t> labels;

  int64_t count() const { return static_cast<int64_t>(texts.size()); }
};

/// Reads the reviews on `threads` threads. Throws FileError for the first file that cannot be read,
/// is larger than 1 MiB, is not UTF-8, or holds no word.
Reviews read_reviews(std::span<const ReviewFile> files, int64_t threads);

}  // namespace lapcast::workloads
