#include "formats/slurm_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "formats/skypilot_task.h"
#include "toml/fleet_section.h"

namespace lapcast {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.,:=+@%/[]").find(c) != std::string_view::npos;
}

/// Returns the option as a word of a line that sbatch splits at blanks and quotes.
std::string option_word(const std::string& option) {
  if (has_control_characters(option))
    throw Error(ExitCode::some_failed,
                fmt::format("no job file can hold the option {}", printable(option)));
  if (std::ranges::all_of(option, is_plain)) return option;
  const std::size_t value = std::min(option.find('=') + 1, option.size());
  std::string word = option.substr(0, value) + '"';
  for (const char c : option.substr(value)) {
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return word + '"';
}

}  // namespace

std::string slurm_job_text(const SlurmJobFile& job) {
  std::string text = "#!/bin/bash\n";
  for (const std::string& option : job.options) text += "#SBATCH " + option_word(option) + '\n';
  for (const std::string& comment : job.comments) text += yaml_comment(comment);
  return text + "\nset -eu\n" + job.script;
}

}  // namespace lapcast
