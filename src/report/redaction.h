#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lapcast {

/// Says how much a report reveals about a user's machines and programs.
enum class Detail {
  usual,     // home folders as ~, machines under the names given by the user
  full,      // everything except secrets
  redacted,  // as usual, without arguments, and only the last part of each path
};

/// Returns the text with the folder `home`, and home folders of other machines (/root, /home/NAME,
/// /Users/NAME), written as ~.
std::string with_short_homes(std::string_view text, std::string_view home);

/// Removes the folders of paths from the text: "cannot open .../train.csv".
std::string without_folders(std::string_view text);

/// Removes from JSON values what a report must not reveal.
class Redaction {
 public:
  /// `home` is the user's home folder; `names` has the user's name of each host.
  Redaction(Detail detail, std::string home, std::map<std::string, std::string> names);

  /// Changes the texts in the value and below it, and cuts very long ones. `key` is that of the
  /// value.
  void apply(nlohmann::ordered_json& value, const std::string& key = "") const;

 private:
  std::string shown(std::string text, std::string_view key) const;
  std::string with_names(std::string text) const;

  Detail detail_;
  std::string home_;
  std::map<std::string, std::string> names_;
};

}  // namespace lapcast
