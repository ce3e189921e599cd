#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Returns whether two names are equal apart from upper and lower case (of ASCII).
bool is_same_name(std::string_view a, std::string_view b);

/// Returns the name that differs from `wrong` in the fewest letters, ignoring case; one whose first
/// words it is ("time" of "time-limit") counts as differing in one. Empty if every name differs in
/// more than about a third of the letters.
std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& names);

/// Returns "did you mean 'NAME'?" with the nearest name, or `otherwise` if there is none.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names,
                         std::string_view otherwise);

}  // namespace lapcast
