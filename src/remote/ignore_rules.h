#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Says why a file is not sent.
enum class Ignored {
  no,
  as_secret,   // by a default rule for keys, tokens and passwords
  by_default,  // by another default rule: version control, caches
  by_user,     // by the .lapcastignore
};

/// Decides which files of a folder are not sent, as a .gitignore does: one pattern per line, "#"
/// begins a comment, the last pattern that fits counts, "!" takes a file in again, "/" at the end
/// is for folders only, "/" at any other place ties a pattern to the top, "**" stands for any
/// number of folders. What lies in a folder that is not sent cannot be taken in again.
class IgnoreRules {
 public:
  /// Returns the rules for a program's folder without a .lapcastignore.
  static IgnoreRules defaults();
  /// Returns the rules that also hold inside data sets: keys, tokens, passwords, shell histories.
  static IgnoreRules secrets();

  /// Adds the lines of a .lapcastignore. Refuses one that is not UTF-8 text or has too many lines.
  Result<void> add(std::string_view text) { return add(text, Ignored::by_user); }
  /// Adds only its lines that take something in again.
  Result<void> add_exceptions(std::string_view text);
  /// Returns why a path is not sent. The path is relative to the top, without "./".
  Ignored why_ignored(std::string_view path, bool is_folder) const;
  bool ignores(std::string_view path, bool is_folder) const {
    return why_ignored(path, is_folder) != Ignored::no;
  }

 private:
  struct Rule {
    std::string pattern;  // without "!" and slashes at its ends
    Ignored why = Ignored::by_user;
    bool takes_in = false;
    bool folders_only = false;
    bool from_top = false;
  };
  Result<void> add(std::string_view text, Ignored why, bool only_exceptions = false);
  std::vector<Rule> rules_;
};

}  // namespace lapcast
