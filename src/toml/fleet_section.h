#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "toml/toml_tree.h"

namespace lapcast {

/// Reads the keys of a table of a fleet file, or of another file of the user, by type. Every
/// function throws Error (bad input) that points at the value and says what it should be.
class FleetSection {
 public:
  /// Reads `table`; `name`, such as "[[machine]]", is for messages.
  FleetSection(const TomlNode& table, std::string name, const std::string& file);

  /// Refuses keys other than these, and names the nearest one.
  void allow_only(const std::vector<std::string_view>& names) const;
  bool has(std::string_view key) const { return table_->find(key) != nullptr; }

  /// Returns text without control characters that is not empty.
  std::string text(std::string_view key) const;
  /// Returns text that is passed to a program as one argument: not an option, and without blanks.
  std::string word(std::string_view key) const;
  /// Returns true or false; false if the key is missing.
  bool flag(std::string_view key) const;
  /// Returns an amount of dollars, exact and not negative: text, or a number of at most 15 digits.
  Money money(std::string_view key) const;
  /// Returns a number from low to high, written as number or text.
  double number(std::string_view key, double low, double high) const;
  /// Returns a whole number from 1 to `most`, written as number or text.
  int count(std::string_view key, int most) const;
  /// Returns the nanoseconds of "90s", "1.5m" or 90 (seconds), at most a year.
  std::int64_t duration_ns(std::string_view key) const;
  /// Returns a date such as "2026-11-20" or "2026-11", written as text or as TOML's own date.
  std::string date(std::string_view key) const;
  /// Returns a table in this one.
  FleetSection section(std::string_view key) const;

  const TomlNode& table() const { return *table_; }
  const std::string& file() const { return *file_; }
  const TomlNode& value(std::string_view key) const;
  [[noreturn]] void fail(const std::string& what) const;                        // at the table
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;  // at the value

  /// Runs read() and puts the place of the key in front of the message of an Error.
  template <class Read>
  auto at(std::string_view key, Read read) const {
    try {
      return read();
    } catch (const Error& error) {
      fail(key, error.what());
    }
  }

 private:
  const TomlNode* table_;
  std::string name_;
  const std::string* file_;
};

/// Returns whether a text holds control characters, which are unsafe to show on a terminal.
bool has_control_characters(std::string_view text);

}  // namespace lapcast
