#include "core/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Counts the letters to insert, delete or replace (Wagner and Fischer 1974, by rows).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Returns whether `name` is "WORD-" and more: "--time" of "--time-limit".
bool is_first_word(std::string_view word, std::string_view name) {
  return name.size() > word.size() && name[word.size()] == '-' &&
         is_same_name(word, name.substr(0, word.size()));
}

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& names) {
  std::string_view nearest;
  std::size_t least = wrong.size() / 3 + 1;
  if (wrong.size() > 60) return nearest;
  for (const std::string_view name : names) {
    const std::size_t distance =
        is_first_word(wrong, name) ? std::size_t{1} : edit_distance(wrong, name);
    if (distance <= least && (nearest.empty() || distance < least)) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& names,
                         std::string_view otherwise) {
  const std::string_view nearest = nearest_name(wrong, names);
  return nearest.empty() ? std::string(otherwise) : "did you mean '" + printable(nearest) + "'?";
}

}  // namespace lapcast
