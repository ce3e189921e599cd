#include "data/reviews.h"

#include <string>

#include "bytes_as_file.h"
#include "data/byte_file.h"
#include "data/word_rows.h"

using namespace lapcast::workloads;

/// Checks that a review of any bytes is refused with a FileError of one line, or is read and
/// becomes a row of at most 300 words of its own vocabulary, in which zeros stand before the words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  const ReviewFile review{file.path(), 1};
  try {
    const Reviews reviews = read_reviews({&review, 1}, 1);
    const std::vector<CleanReviews> cleaned = clean(reviews, 1);
    const WordNumbers vocabulary = most_frequent_words(cleaned, 3);
    const WordRows rows = rows_of(cleaned, vocabulary, reviews.labels);
    if (vocabulary.size() > 3 || rows.numbers.size() != kReviewWords) std::abort();
    bool begun = false;
    for (const std::int32_t number : rows.numbers) {
      if (number < 0 || number > static_cast<std::int32_t>(vocabulary.size())) std::abort();
      if (begun && number == 0) std::abort();
      begun = number > 0;
    }
  } catch (const FileError& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
