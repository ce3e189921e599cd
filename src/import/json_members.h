#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lapcast {

/// Reads the members of one JSON object in order, without allocating or copying: for logs with a
/// million lines of which few members are wanted. It finds where keys and values end; what a value
/// holds is looked at only when asked for. (nlohmann-json reads a tenth as fast; Debian has
/// simdjson only as a shared library, and lapcast is static.)
class JsonMembers {
 public:
  /// Takes text that begins with the object; blanks may stand before it, anything after it.
  explicit JsonMembers(std::string_view text);

  /// Reads the next member. Returns false at the end of the object, or where it is damaged: see
  /// ok().
  bool next();
  std::string_view key() const { return key_; }      // as written between its quotes
  std::string_view value() const { return value_; }  // as written, quotes and brackets included

  /// Returns false once something was no JSON object.
  bool ok() const { return ok_; }
  /// Returns true once the closing bracket was read.
  bool is_over() const { return over_; }

 private:
  bool fail();
  void skip_blanks();
  bool take(char c);
  std::optional<std::string_view> take_string();
  std::optional<std::string_view> take_value();
  bool skip_nested();

  const char* at_;
  const char* end_;
  std::string_view key_;
  std::string_view value_;
  bool first_ = true;
  bool over_ = false;
  bool ok_ = true;
};

/// Returns a value as a number; nothing for any other value, such as "NaN" and "Infinity", which
/// Python writes.
std::optional<double> json_number(std::string_view value);
/// Returns the text between the quotes of a value, with escapes as they are; nothing for any other
/// value.
std::optional<std::string_view> json_text(std::string_view value);

}  // namespace lapcast
