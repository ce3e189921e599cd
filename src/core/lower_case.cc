#include "core/lower_case.h"

namespace lapcast {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string letters_and_digits(std::string_view text) {
  std::string result = lower_case(text);
  std::erase_if(result, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  return result;
}

}  // namespace lapcast
