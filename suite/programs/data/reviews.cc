#include "data/reviews.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "common/parallel.h"
#include "common/random.h"
#include "data/byte_file.h"
#include "data/classes.h"
#include "data/clean_text.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostReviews = 10'000'000;

/// Adds the reviews of one class in the order of their names.
void add_class(const fs::path& folder, uint8_t label, std::vector<ReviewFile>& files) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  const size_t before = files.size();
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;  // a link to nothing
    if (entry->path().extension() != ".txt" || !entry->is_regular_file(unknown)) continue;
    if (files.size() == kMostReviews) {
      throw FileError(folder.string() + ": the set has more than 10,000,000 reviews");
    }
    files.push_back({entry->path(), label});
  }
  if (error) throw FileError(folder.string() + ": " + error.message());
  if (files.size() == before) throw FileError(folder.string() + ": holds no .txt files");
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(),
            [](const ReviewFile& a, const ReviewFile& b) { return a.path < b.path; });
}

/// Returns the reviews of both classes in a random order.
std::vector<ReviewFile> shuffled_reviews(const std::vector<fs::path>& folders) {
  constexpr uint64_t kOrderSeed = 300;
  std::vector<ReviewFile> files;
  for (const fs::path& folder : folders) {
    add_class(folder / "pos", 1, files);
    add_class(folder / "neg", 0, files);
  }
  shuffle(files, Random(kOrderSeed));
  return files;
}

std::string read_review(const fs::path& file) {
  constexpr uint64_t kMost = uint64_t{1} << 20;
  ByteReader reader(file);
  const std::vector<uint8_t> bytes = reader.at_most(kMost + 1);
  if (bytes.size() > kMost) reader.fail(kMost, "the review is larger than 1 MiB");
  std::string text(bytes.begin(), bytes.end());
  if (const std::optional<size_t> fault = first_fault_in_utf8(text)) {
    reader.fail(*fault, "the review is not UTF-8");
  }
  if (WordReader(text).next().empty()) reader.fail(bytes.size(), "the review holds no word");
  return text;
}

}  // namespace

std::vector<ReviewFile> cut_after(std::vector<ReviewFile>& files, size_t size) {
  std::vector<uint8_t> labels;
  for (const ReviewFile& file : files) labels.push_back(file.label);
  return cut_records(files, first_of_each_class(labels, static_cast<int64_t>(size)));
}

ReviewFiles list_reviews(const fs::path& folder, bool pool) {
  if (!fs::exists(folder)) throw FileError(folder.string() + ": No such file or directory");
  const bool has_parts = fs::exists(folder / "train") || fs::exists(folder / "test");
  if (!has_parts && !fs::exists(folder / "pos") && !fs::exists(folder / "neg")) {
    throw FileError(folder.string() + ": has neither train/ and test/ nor pos/ and neg/");
  }
  ReviewFiles files;
  if (has_parts && !pool) {
    files.training = shuffled_reviews({folder / "train"});
    files.validation = shuffled_reviews({folder / "test"});
    files.test = cut_after(files.validation, files.validation.size() * 5 / 7);
    return files;
  }
  files.training = has_parts ? shuffled_reviews({folder / "train", folder / "test"})
                             : shuffled_reviews({folder});
  const size_t all = files.training.size();  // at least one of each class
  files.validation = cut_after(files.training, std::max<size_t>(1, all * 18 / 25));
  files.test = cut_after(files.validation, std::max<size_t>(1, all / 5));
  return files;
}

Reviews read_reviews(std::span<const ReviewFile> files, int64_t threads) {
  Reviews reviews;
  reviews.texts.resize(files.size());
  for (const ReviewFile& file : files) reviews.labels.push_back(file.label);
  for_each_in_parallel(files.size(), static_cast<int>(threads), [&] {
    return [&](size_t i) { reviews.texts[i] = read_review(files[i].path); };
  });
  return reviews;
}

}  // namespace lapcast::workloads
