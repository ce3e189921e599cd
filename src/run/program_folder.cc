#include "run/program_folder.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lapcast {
namespace {

bool starts_scripts(std::string_view word) {
  constexpr std::string_view kInterpreters[] = {"sh",   "bash",     "dash",       "zsh",
                                                "perl", "torchrun", "accelerate", "deepspeed"};
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return name.starts_with("python") ||
         std::ranges::find(kInterpreters, name) != std::end(kInterpreters);
}

}  // namespace

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
