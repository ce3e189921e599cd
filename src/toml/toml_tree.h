#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lapcast {

/// Names a place in a file, counted from 1.
struct FilePlace {
  unsigned line = 1;
  unsigned column = 1;
};

/// Throws Error (bad input): "FILE:LINE:COLUMN: what".
[[noreturn]] void fail_at(const std::string& file, FilePlace place, const std::string& what);

/// Refuses, with Error (bad input), input that the TOML library does not handle safely: control
/// characters, non-ASCII letters outside quotes and comments or in multi-line strings (its
/// character tables have gaps for these), quotes in the middle of a word or behind a dot (in a
/// broken value they do not quote), more than 200 dots outside quotes in a line (each makes a table
/// in a table), and more than 1 MiB. No file of lapcast needs any of these.
void check_toml_shape(std::string_view text, const std::string& file);

/// Holds a value of a TOML file with its place, for messages. Numbers keep their decimal text: a
/// float is the shortest decimal that reads back as the same double.
struct TomlNode {
  enum class Kind { text, number, boolean, date, list, table };
  Kind kind = Kind::table;
  FilePlace place;
  std::string text;             // of text, number, boolean and date
  std::vector<TomlNode> items;  // of a list
  struct Key;
  std::vector<Key> keys;  // of a table, sorted by name

  /// Returns the key of that name in a table; nullptr when there is none.
  const Key* find(std::string_view name) const;
};

struct TomlNode::Key {
  std::string name;
  FilePlace place;
  TomlNode value;
};

/// Returns "a number", "a list" ... for messages.
std::string_view kind_name(TomlNode::Kind kind);

/// Returns the root table. Throws Error (bad input) with file:line:column for text that is not TOML
/// 1.0, is nested deeper than any file of lapcast, or is larger than 1 MiB. `file` is for messages
/// only.
TomlNode parse_toml(std::string_view text, const std::string& file);

}  // namespace lapcast
