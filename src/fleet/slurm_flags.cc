#include "fleet/slurm_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

enum class Value { none, optional, needed };

struct Option {
  std::string_view name;
  char letter;  // '\0' = it has no short form
  Value value;
};

/// As in sbatch(1) and srun(1), which agree on these. Left out on purpose: whatever names a command
/// or a file (--wrap, --task-prolog, --output ...), what lapcast sets itself (--job-name,
/// --dependency, --chdir, --requeue), jobs that it could not follow (--array, --clusters), mail,
/// signals, reboots.
constexpr std::array kOptions = std::to_array<Option>({
    {"account", 'A', Value::needed},
    {"comment", '\0', Value::needed},
    {"constraint", 'C', Value::needed},
    {"contiguous", '\0', Value::none},
    {"cores-per-socket", '\0', Value::needed},
    {"cpus-per-gpu", '\0', Value::needed},
    {"cpus-per-task", 'c', Value::needed},
    {"distribution", 'm', Value::needed},
    {"exclude", 'x', Value::needed},
    {"exclusive", '\0', Value::optional},
    {"gpu-bind", '\0', Value::needed},
    {"gpu-freq", '\0', Value::needed},
    {"gpus", 'G', Value::needed},
    {"gpus-per-node", '\0', Value::needed},
    {"gpus-per-socket", '\0', Value::needed},
    {"gpus-per-task", '\0', Value::needed},
    {"gres", '\0', Value::needed},
    {"gres-flags", '\0', Value::needed},
    {"hint", '\0', Value::needed},
    {"hold", 'H', Value::none},
    {"licenses", 'L', Value::needed},
    {"mem", '\0', Value::needed},
    {"mem-bind", '\0', Value::needed},
    {"mem-per-cpu", '\0', Value::needed},
    {"mem-per-gpu", '\0', Value::needed},
    {"mincpus", '\0', Value::needed},
    {"nice", '\0', Value::optional},
    {"nodelist", 'w', Value::needed},
    {"nodes", 'N', Value::needed},
    {"ntasks", 'n', Value::needed},
    {"ntasks-per-core", '\0', Value::needed},
    {"ntasks-per-gpu", '\0', Value::needed},
    {"ntasks-per-node", '\0', Value::needed},
    {"ntasks-per-socket", '\0', Value::needed},
    {"oversubscribe", 's', Value::none},
    {"partition", 'p', Value::needed},
    {"priority", '\0', Value::needed},
    {"qos", 'q', Value::needed},
    {"reservation", '\0', Value::needed},
    {"sockets-per-node", '\0', Value::needed},
    {"spread-job", '\0', Value::none},
    {"switches", '\0', Value::needed},
    {"threads-per-core", '\0', Value::needed},
    {"time", 't', Value::needed},
    {"time-min", '\0', Value::needed},
    {"tmp", '\0', Value::needed},
    {"wckey", '\0', Value::needed},
});

template <class Matches>
const Option* find_option(Matches matches) {
  const auto found = std::find_if(kOptions.begin(), kOptions.end(), matches);
  return found == kOptions.end() ? nullptr : &*found;
}

const Option* option_named(std::string_view name) {
  return find_option([&](const Option& option) { return option.name == name; });
}

}  // namespace

std::vector<std::string_view> allowed_slurm_flags() {
  std::vector<std::string_view> names;
  for (const Option& option : kOptions) names.push_back(option.name);
  return names;
}

Result<void> SlurmFlags::add(const std::string& entry) {
  const bool is_option = entry.starts_with('-');
  if (!pending_.empty() && is_option)
    return because(
        fmt::format("--{0} lacks its value; one that begins with '-' is written as "
                    "--{0}=VALUE",
                    pending_));
  if (!pending_.empty()) return add_value(entry);
  if (!is_option)
    return because(fmt::format("'{}' is no option and no option's value", printable(entry, 60)));
  if (entry.starts_with("--")) {
    const std::size_t equals = entry.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string_view shown = std::string_view(entry).substr(0, equals);
    return add_option(shown, shown.substr(2), has_value,
                      has_value ? std::string_view(entry).substr(equals + 1) : "");
  }
  const std::string_view shown = std::string_view(entry).substr(0, 2);
  const char letter = entry.size() > 1 ? entry[1] : '\0';
  const Option* option =
      find_option([&](const Option& known) { return letter != '\0' && known.letter == letter; });
  return add_option(shown, option == nullptr ? "" : option->name, entry.size() > 2,
                    std::string_view(entry).substr(shown.size()));
}

Result<void> SlurmFlags::add_option(std::string_view shown, std::string_view name, bool has_value,
                                    std::string_view value) {
  const Option* option = option_named(name);
  if (option == nullptr)
    return because(
        fmt::format("{} is not passed on to Slurm; docs/fleet-file.md lists what is: "
                    "options that ask for resources, a place in the queue or "
                    "accounting, by their full names",
                    printable(shown, 60)));
  if (has_value && option->value == Value::none)
    return because(fmt::format("{} takes no value", printable(shown, 60)));
  if (!has_value && option->value == Value::needed) {
    pending_ = option->name;
    return {};
  }
  if (has_value) {
    pending_ = option->name;
    return add_value(value);
  }
  arguments_.push_back(fmt::format("--{}", option->name));
  return {};
}

Result<void> SlurmFlags::add_value(std::string_view value) {
  if (value.empty()) return because(fmt::format("--{} has an empty value", pending_));
  // Slurm reads a list of nodes with a slash in it as the name of a file.
  if (value.find('/') != std::string_view::npos && pending_ != "comment")
    return because(fmt::format("--{}: the value '{}' has a slash, as a path has", pending_,
                               printable(value, 60)));
  arguments_.push_back(fmt::format("--{}={}", pending_, value));
  pending_.clear();
  return {};
}

Result<std::vector<std::string>> SlurmFlags::take() {
  if (!pending_.empty()) return because(fmt::format("--{} lacks its value", pending_));
  return std::move(arguments_);
}

}  // namespace lapcast
