#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lapcast {

/// Says how much of a user's machines and programs a report tells.
enum class Detail {
  usual,     // home folders as ~, machines by the names that the user gave them
  full,      // all but secrets
  redacted,  // as usual, without arguments, and of each path its last part only
};

/// Returns the text with the folder `home`, and those that are homes on other machines (/root,
/// /home/NAME, /Users/NAME), written as ~.
std::string with_short_homes(std::string_view text, std::string_view home);

/// Returns the text with the folders of paths left out: "cannot open .../train.csv".
std::string without_folders(std::string_view text);

/// Takes out of JSON values what a report does not tell.
class Redaction {
 public:
  /// `home` is the user's home folder; `names` has the user's name of each host.
  Redaction(Detail detail, std::string home, std::map<std::string, std::string> names);

  /// Changes the texts in the value and below it. `key` is that of the value. Very long ones are
  /// cut.
  void apply(nlohmann::ordered_json& value, const std::string& key = "") const;

 private:
  std::string shown(std::string text, std::string_view key) const;
  std::string with_names(std::string text) const;

  Detail detail_;
  std::string home_;
  std::map<std::string, std::string> names_;
};

}  // namespace lapcast
