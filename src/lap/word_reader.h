#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lapcast {

/// The words of a line, separated by single spaces.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) {}
  /// Empty at the end, and between two spaces.
  std::string_view next();
  /// All that is left, with its spaces.
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

/// "key=value"; key is not empty.
std::optional<Field> parse_field(std::string_view word);

/// At most 18 decimal digits and nothing else; at most `most`.
std::optional<std::int64_t> parse_count(std::string_view word, std::int64_t most = INT64_MAX);

/// A decimal number, "nan", "inf" or "-inf".
std::optional<double> parse_value(std::string_view word);

}  // namespace lapcast
