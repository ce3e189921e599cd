#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lapcast {

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
