#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/reviews.h"

namespace lapcast::workloads {

/// Turns reviews into rows of numbers, as Keras's Tokenizer and pad_sequences do with their
/// defaults: number 1 is the most frequent word, words beyond the vocabulary are left out, a row
/// holds a review's last words, and zeros stand before a short review.

/// Counts the numbers that stand for words: 0, which fills rows, and the most frequent words.
inline constexpr int64_t kVocabulary = 20000;

/// Counts the words of a row (Künas 2023, section 4.2).
inline constexpr int64_t kReviewWords = 300;

/// Maps a word's text to a number, and is searched without making a std::string.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using WordNumbers = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

/// Holds the words of some reviews that follow each other, without stop words. Each word is stored
/// as a number of this object's own.
struct CleanReviews {
  int64_t first = 0;            ///< the first of these reviews
  WordNumbers numbers;          ///< 0, 1, ... by first use, the stop words before all
  std::vector<uint32_t> words;  ///< of all reviews, one after the other
  std::vector<size_t> ends;     ///< the end of each review in `words`
};

/// Cleans the reviews on `threads` threads. Returns one object for each thread.
std::vector<CleanReviews> clean(const Reviews& reviews, int64_t threads);

/// Returns the `most` most frequent words with the numbers 1, 2, ... in this order. Of words that
/// are equally frequent the one with the smaller bytes comes first.
WordNumbers most_frequent_words(const std::vector<CleanReviews>& reviews,
                                int64_t most = kVocabulary - 1);

struct WordRows {
  std::vector<int32_t> numbers;  ///< count x kReviewWords
  std::vector<uint8_t> labels;   ///< count

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
};

/// Returns the rows of reviews that clean() has cleaned, with the numbers of the vocabulary.
WordRows rows_of(const std::vector<CleanReviews>& reviews, const WordNumbers& vocabulary,
                 std::vector<uint8_t> labels);

struct WordParts {
  WordRows training;
  WordRows validation;
  WordRows test;
};

/// Cleans all parts and turns them into rows, with the vocabulary of the training part.
WordParts numbered(const Reviews& training, const Reviews& validation, const Reviews& test,
                   int64_t threads);

}  // namespace lapcast::workloads
