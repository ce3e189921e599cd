#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Which files of a program's folder are not sent, as in a .gitignore: one pattern per line, "#"
/// begins a comment, the last that fits counts, "!" takes a file in again, "/" at the end is for
/// folders only, "/" elsewhere ties a pattern to the top, "**" stands for any number of folders.
/// What lies in a folder that is not sent cannot be taken in again.
class IgnoreRules {
 public:
  /// The rules that hold without a .lapcastignore: version control, secrets and keys, caches of
  /// Python, editors' leftovers.
  static IgnoreRules defaults();
  void add(std::string_view text);  // a whole file
  /// path: relative to the top, without "./".
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string pattern;  // without "!" and slashes at its ends
    bool takes_in = false;
    bool folders_only = false;
    bool from_top = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace lapcast
