#include "data/clean_text.h"

#include <cstring>

namespace lapcast::workloads {
namespace {

/// Holds a character of a text. It has no bytes where the text is not UTF-8.
struct Character {
  uint32_t code = 0;
  size_t bytes = 0;
};

/// Returns the bytes of a character that begins with this byte, or 0 when none does.
size_t length_from(uint8_t first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;  // a later byte, or one of a form that is too long
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

Character character_at(std::string_view text, size_t at) {
  const auto first = static_cast<uint8_t>(text[at]);
  const size_t bytes = length_from(first);
  if (bytes <= 1) return {first, bytes};
  if (bytes > text.size() - at) return {};
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<uint8_t>(text[at + i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kSmallest[bytes] || is_surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

// What becomes of a byte: one of these, or the letter or digit itself in lower case.
constexpr uint8_t kEndsWord = 0, kApostrophe = 1, kWide = 2;

constexpr std::array<uint8_t, 256> folded_bytes() {
  std::array<uint8_t, 256> folded{};
  for (int c = '0'; c <= '9'; ++c) folded[static_cast<size_t>(c)] = static_cast<uint8_t>(c);
  for (int c = 'a'; c <= 'z'; ++c) {
    folded[static_cast<size_t>(c)] = static_cast<uint8_t>(c);
    folded[static_cast<size_t>(c - 'a' + 'A')] = static_cast<uint8_t>(c);
  }
  folded['\''] = kApostrophe;
  for (size_t c = 0x80; c < 0x100; ++c) folded[c] = kWide;
  return folded;
}

/// Returns whether a character beyond ASCII is a punctuation mark, a symbol or a space.
bool ends_word(uint32_t code) {
  const auto within = [code](uint32_t first, uint32_t last) {
    return code >= first && code <= last;
  };
  return code < 0xc0 || code == 0xd7 || code == 0xf7 || within(0x2000, 0x2bff) ||
         within(0x3000, 0x303f) || within(0xfe00, 0xffff);
}

/// The words stand in the order of their bytes.
constexpr std::string_view kStopWords[] = {
    "a",         "about",      "above",  "after",   "again",    "against",   "all",     "also",
    "although",  "am",         "an",     "and",     "any",      "are",       "as",      "at",
    "be",        "because",    "been",   "before",  "being",    "below",     "between", "both",
    "br",        "but",        "by",     "can",     "could",    "did",       "do",      "does",
    "doing",     "down",       "during", "each",    "even",     "few",       "for",     "from",
    "further",   "go",         "had",    "has",     "have",     "having",    "he",      "hello",
    "her",       "here",       "hers",   "herself", "him",      "himself",   "his",     "how",
    "i",         "if",         "in",     "into",    "is",       "it",        "its",     "itself",
    "just",      "look",       "may",    "me",      "might",    "mine",      "more",    "most",
    "must",      "my",         "myself", "no",      "nor",      "not",       "of",      "off",
    "on",        "once",       "only",   "onto",    "or",       "other",     "our",     "ours",
    "ourselves", "out",        "over",   "own",     "same",     "shall",     "she",     "should",
    "so",        "some",       "such",   "than",    "that",     "the",       "their",   "theirs",
    "them",      "themselves", "then",   "there",   "these",    "they",      "this",    "those",
    "though",    "through",    "to",     "too",     "under",    "until",     "up",      "upon",
    "us",        "very",       "was",    "we",      "were",     "what",      "when",    "where",
    "which",     "while",      "who",    "whom",    "whose",    "why",       "will",    "with",
    "would",     "you",        "your",   "yours",   "yourself", "yourselves"};

}  // namespace

std::span<const std::string_view> stop_words() {
  return kStopWords;
}

std::optional<size_t> first_fault_in_utf8(std::string_view text) {
  constexpr size_t kAtOnce = sizeof(uint64_t);
  constexpr uint64_t kHighBits = 0x8080808080808080;
  for (size_t at = 0; at < text.size();) {
    uint64_t bytes = kHighBits;
    if (text.size() - at >= kAtOnce) std::memcpy(&bytes, text.data() + at, kAtOnce);
    if ((bytes & kHighBits) == 0) {
      at += kAtOnce;
      continue;
    }
    const Character character = character_at(text, at);
    if (character.bytes == 0) return at;
    at += character.bytes;
  }
  return std::nullopt;
}

std::string_view WordReader::next() {
  static constexpr std::array<uint8_t, 256> kFolded = folded_bytes();
  size_ = 0;
  while (at_ < text_.size()) {
    const uint8_t folded = kFolded[static_cast<uint8_t>(text_[at_])];
    if (folded > kWide) {
      append(folded);
      ++at_;
    } else if (folded == kApostrophe) {
      ++at_;
    } else if (folded == kWide) {
      if (!take_wide_character() && size_ > 0) break;
    } else {
      ++at_;
      if (size_ > 0) break;
    }
  }
  return {word_.data(), size_};
}

bool WordReader::take_wide_character() {
  constexpr uint32_t kRightQuote = 0x2019;  // a typographer's apostrophe
  const Character character = character_at(text_, at_);
  const size_t first = at_;
  at_ += character.bytes > 0 ? character.bytes : 1;
  if (character.code == kRightQuote) return true;
  if (character.bytes == 0 || ends_word(character.code)) return false;
  if (size_ + character.bytes > kLongest) return true;
  const bool is_capital = character.code >= 0xc0 && character.code <= 0xde;  // of Latin-1
  for (size_t i = first; i < at_; ++i) append(static_cast<uint8_t>(text_[i]));
  // The second byte of a small letter of Latin-1 is 0x20 higher than its capital's.
  if (is_capital) word_[size_ - 1] = static_cast<char>(word_[size_ - 1] + 0x20);
  return true;
}

}  // namespace lapcast::workloads
