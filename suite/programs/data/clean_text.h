#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lapcast::workloads {

/// Cleans the text of reviews as Künas 2023, section 4.2, describes it: special characters and
/// punctuation marks are removed, words are written in lower case, and stop words are left out.

/// Returns the position of the first byte at which the text is not UTF-8, or nothing.
std::optional<size_t> first_fault_in_utf8(std::string_view text);

/// Returns the stop words, in lower case and sorted: words of English grammar (articles, pronouns,
/// auxiliary verbs, prepositions, conjunctions), the examples of table 4.2, and "br", which the
/// line breaks of HTML leave in reviews.
std::span<const std::string_view> stop_words();

/// Reads the words of a text one after the other, stop words too.
///
/// A word is a sequence of letters and digits. Apostrophes are removed from inside a word ("don't"
/// becomes "dont"); every other character of ASCII and Latin-1, and every punctuation mark and
/// symbol of Unicode, ends it. Letters of ASCII and Latin-1 become lower case; those of other
/// alphabets stay as they are.
class WordReader {
 public:
  /// The text must outlive the reader. Bytes that are not UTF-8 end a word.
  explicit WordReader(std::string_view text) : text_(text) {}

  /// Returns the next word, at most its first kLongest bytes, or an empty text at the end. The word
  /// is valid until the next call.
  std::string_view next();

  static constexpr size_t kLongest = 64;

 private:
  /// Adds the character of several bytes that begins here. Returns false when it ends a word.
  bool take_wide_character();
  void append(uint8_t byte) {
    if (size_ < kLongest) word_[size_++] = static_cast<char>(byte);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t size_ = 0;
  std::array<char, kLongest> word_;
};

}  // namespace lapcast::workloads
