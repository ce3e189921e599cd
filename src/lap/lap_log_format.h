#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lapcast {

// The limits of docs/lap-log.md, version 1.
inline constexpr std::string_view kLapLogVersionLine = "lapcast-laps 1";
inline constexpr std::string_view kLapLogName = "lapcast-laps ";
inline constexpr std::size_t kMaxLineBytes = 4096;  // with its '\n'
inline constexpr std::size_t kMaxNameBytes = 64;
inline constexpr std::size_t kMaxNumberDigits = 18;  // times (31 years) and other large counts
inline constexpr std::int64_t kMaxSamples = 2147483647;
inline constexpr std::int64_t kMaxEpoch = 2147483647;
inline constexpr std::int64_t kMaxWorldSize = 32768;
inline constexpr double kMaxWallSeconds = 4102444800;  // the year 2100
inline constexpr std::size_t kMaxOpenStages = 64;
inline constexpr std::size_t kMaxPhases = 32767;
inline constexpr std::size_t kMaxNoteBytes = 400;
inline constexpr std::int64_t kMostGpus = 64;  // of a machine; GPU numbers are below it
inline constexpr std::size_t kMaxNotes = 64;   // different ones of one log

constexpr bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '/' || c == '-';
}

/// Returns whether a text is 1 to 64 characters of [A-Za-z0-9._/-].
constexpr bool is_name(std::string_view text) {
  for (const char c : text) {
    if (!is_name_character(c)) return false;
  }
  return !text.empty() && text.size() <= kMaxNameBytes;
}

constexpr bool is_note_character(char c) {
  return c >= ' ' && c <= '~';
}

/// Returns whether a text is 1 to 400 printable ASCII characters.
constexpr bool is_note(std::string_view text) {
  for (const char c : text) {
    if (!is_note_character(c)) return false;
  }
  return !text.empty() && text.size() <= kMaxNoteBytes;
}

/// Reads the words of a line, separated by single spaces.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) {}
  /// Returns the next word; empty at the end, and between two spaces.
  std::string_view next();
  /// Returns all that is left, with its spaces.
  std::string_view rest();
  bool done() const { return done_; }

 private:
  std::string_view rest_;
  bool done_ = false;
};

struct Field {
  std::string_view key;
  std::string_view value;
};

/// Splits "key=value" with a key that is not empty.
std::optional<Field> parse_field(std::string_view word);

/// Parses at most 18 decimal digits and nothing else, as a number of at most `most`.
std::optional<std::int64_t> parse_count(std::string_view word, std::int64_t most = INT64_MAX);

/// Parses a decimal number, "nan", "inf" or "-inf".
std::optional<double> parse_value(std::string_view word);

}  // namespace lapcast
