#include "run/program_folder.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lapcast {
namespace {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool starts_scripts(std::string_view word) {
  constexpr std::string_view kOthers[] = {"dash",     "zsh",        "perl",
                                          "torchrun", "accelerate", "deepspeed"};
  return is_interpreter(word) || std::ranges::find(kOthers, file_name(word)) != std::end(kOthers);
}

}  // namespace

bool is_interpreter(std::string_view word) {
  const std::string_view name = file_name(word);
  return name.starts_with("python") || name == "sh" || name == "bash";
}

std::optional<std::string> folder_of_program(const RunContext& context) {
  const std::vector<std::string>& words = context.program;
  if (words.empty() || context.working_dir.empty()) return std::nullopt;
  auto script = words.begin();
  if (starts_scripts(*script))
    script = std::find_if(words.begin() + 1, words.end(),
                          [](const std::string& word) { return !word.starts_with('-'); });
  if (script != words.end() && script->starts_with('/')) return std::nullopt;
  return context.working_dir;
}

bool is_same_program(const RunContext& a, const RunContext& b) {
  return a.program == b.program && folder_of_program(a) == folder_of_program(b);
}

}  // namespace lapcast
