#include "choose/same_program.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {
namespace {

bool is_batch_option(std::string_view argument) {
  return argument.starts_with('-') && argument.find("batch") != argument.npos;
}

/// "--batch-size=" of "--batch-size=128"; empty for other arguments.
std::string_view batch_option_of(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == argument.npos || !is_batch_option(argument.substr(0, equals))) return {};
  return argument.substr(0, equals + 1);
}

bool are_same_arguments(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const bool value_of_batch =
        i > 0 && is_batch_option(a[i - 1]) && batch_option_of(a[i - 1]).empty();
    const std::string_view option = batch_option_of(a[i]);
    if (!value_of_batch && (option.empty() || option != batch_option_of(b[i]))) return false;
  }
  return true;
}

std::map<std::string, std::string> without_batch(std::map<std::string, std::string> settings) {
  settings.erase("batch");
  return settings;
}

}  // namespace

bool are_same_program(const RunContext& a, const RunContext& b) {
  return are_same_arguments(a.program, b.program) &&
         without_batch(a.settings) == without_batch(b.settings);
}

}  // namespace lapcast
