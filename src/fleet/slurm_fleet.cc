#include "fleet/slurm_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
constexpr std::int64_t kProbeLimitNs = 15 * kMinuteNs;  // a probe's budget is a minute

/// Returns a basic string of TOML. The text is plain ASCII: the parser of Slurm's answers wrote '?'
/// for anything else.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Returns a text such as "8 nodes with 64 CPUs (2:32:1 sockets:cores:threads), 500 GiB of memory,
/// gpu:a100:4".
std::string description(const NodeType& type) {
  std::string text =
      fmt::format("{} with {}", counted(type.nodes, "node"), counted(type.cpus, "CPU"));
  if (!type.layout.empty()) text += fmt::format(" ({} sockets:cores:threads)", type.layout);
  text += fmt::format(", {} of memory", format_bytes(type.memory_mib << 20));
  if (!type.gres.empty()) text += ", " + type.gres;
  if (!type.features.empty()) text += fmt::format("; features: {}", fmt::join(type.features, ", "));
  return text;
}

std::string availability(const NodeType& type) {
  if (type.usable == type.nodes) return "";
  const std::string why = fmt::format("{}", fmt::join(type.states, " or "));
  if (type.usable == 0)
    return fmt::format(
        "# none of them can be used now: {}{}\n", why,
        is_only_reserved(type) ? "; flags = [\"--reservation=NAME\"] asks for yours" : "");
  return fmt::format("# {} of them can be used now{}\n", type.usable,
                     why.empty() ? "" : fmt::format("; the others are {}", why));
}

std::string left_out(const NodeType& type) {
  if (type.preempting.empty()) return "";
  return fmt::format(
      "# not in {}, whose jobs put running jobs of {} back into the queue; add to allow that\n",
      fmt::join(type.preempting, ", "), type.partition);
}

std::string time_limit(const NodeType& type) {
  const bool shorter = type.time_limit_ns > 0 && type.time_limit_ns < kProbeLimitNs;
  const std::int64_t limit = shorter ? type.time_limit_ns : kProbeLimitNs;
  return fmt::format("{}s", std::max<std::int64_t>(limit / 1'000'000'000, 1));
}

std::string machine(const NodeType& type, const std::string& login) {
  std::string text = fmt::format(
      "\n# {}\n{}{}[[machine]]\nname = {}\n"
      "price = \"0\"  # FILL IN: USD per hour of one such node\n[machine.slurm]\n",
      description(type), availability(type), left_out(type), toml_string(type.name));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_string(value));
  };
  add("login", login);
  add("partition", type.place.partition);
  add("constraint", type.place.constraint);
  add("gres", type.place.gres);
  add("time_limit", time_limit(type));
  std::string flags = toml_string("--exclusive");
  for (const std::string& flag : type.place.flags) flags += ", " + toml_string(flag);
  return text + fmt::format("flags = [{}]\n", flags);
}

enum class Value { none, optional, needed };

struct Option {
  std::string_view name;
  char letter = '\0';  // '\0' = it has no short form
  Value value = Value::needed;
};

/// Lists the options as in sbatch(1) and srun(1), which agree on these. The table leaves out
/// whatever names a command or a file (--wrap, --task-prolog, --output ...), what lapcast sets
/// itself (--job-name, --dependency, --chdir, --requeue), jobs that it could not follow (--array,
/// --clusters), mail, signals and reboots.
constexpr std::array kOptions = std::to_array<Option>({
    {"account", 'A'},
    {"comment"},
    {"constraint", 'C'},
    {"contiguous", '\0', Value::none},
    {"cores-per-socket"},
    {"cpus-per-gpu"},
    {"cpus-per-task", 'c'},
    {"distribution", 'm'},
    {"exclude", 'x'},
    {"exclusive", '\0', Value::optional},
    {"gpu-bind"},
    {"gpu-freq"},
    {"gpus", 'G'},
    {"gpus-per-node"},
    {"gpus-per-socket"},
    {"gpus-per-task"},
    {"gres"},
    {"gres-flags"},
    {"hint"},
    {"hold", 'H', Value::none},
    {"licenses", 'L'},
    {"mem"},
    {"mem-bind"},
    {"mem-per-cpu"},
    {"mem-per-gpu"},
    {"mincpus"},
    {"nice", '\0', Value::optional},
    {"nodelist", 'w'},
    {"nodes", 'N'},
    {"ntasks", 'n'},
    {"ntasks-per-core"},
    {"ntasks-per-gpu"},
    {"ntasks-per-node"},
    {"ntasks-per-socket"},
    {"oversubscribe", 's', Value::none},
    {"partition", 'p'},
    {"priority"},
    {"qos", 'q'},
    {"reservation"},
    {"sockets-per-node"},
    {"spread-job", '\0', Value::none},
    {"switches"},
    {"threads-per-core"},
    {"time", 't'},
    {"time-min"},
    {"tmp"},
    {"wckey"},
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

std::string slurm_fleet_text(const std::vector<NodeType>& types, const std::string& login,
                             const std::string& today) {
  std::string text = fmt::format(
      "# The types of nodes that sinfo showed on {0}. Before a sweep: fill in the prices, which\n"
      "# Slurm does not know; delete the machines that you do not want. Jobs ask for whole nodes\n"
      "# (--exclusive), so that nobody disturbs the laps; for a part of one write instead, such "
      "as\n"
      "# flags = [\"--cpus-per-task=8\", \"--mem=32G\"]. lapcast help fleet-file explains the "
      "keys.\n"
      "\n"
      "[prices]\n"
      "as_of = {1}\n"
      "source = \"FILL IN: where the prices come from\"\n",
      today, toml_string(today));
  for (const NodeType& type : types) text += machine(type, login);
  return text;
}

std::vector<FleetMachine> machines_of(const FleetMachine& entry,
                                      const std::vector<NodeType>& types) {
  std::vector<FleetMachine> machines;
  for (const NodeType& type : types) {
    if (!can_have(entry.place_setup.place, type)) continue;
    FleetMachine machine = entry;
    machine.every_node_type = false;
    machine.type.name += "/" + type.name;
    machine.place_setup.place = narrowed_to(entry.place_setup.place, type);
    if (machine.offer) machine.offer->name = machine.offer->machine_type = machine.type.name;
    machines.push_back(std::move(machine));
  }
  std::sort(machines.begin(), machines.end(),
            [](const FleetMachine& a, const FleetMachine& b) { return a.type.name < b.type.name; });
  return machines;
}

Fleet with_node_types(const Fleet& fleet,
                      const std::function<Result<std::vector<NodeType>>(const Place&)>& ask) {
  Fleet result{{}, fleet.settings, fleet.rented_at_once};
  std::set<std::string> names;
  for (const FleetMachine& entry : fleet.machines) {
    std::vector<FleetMachine> machines{entry};
    if (entry.every_node_type) {
      const auto types = ask(entry.place_setup.place);
      if (!types) throw Error(ExitCode::system_failed, types.error().text);
      machines = machines_of(entry, *types);
    }
    if (machines.empty())
      throw Error(ExitCode::system_failed,
                  fmt::format("no node that machine '{}' could get is up; see sinfo",
                              printable(entry.type.name)));
    for (FleetMachine& machine : machines) {
      if (!names.insert(machine.type.name).second)
        throw Error(
            ExitCode::bad_input,
            fmt::format("two machines are named '{}', one of them as a node type; rename one",
                        printable(machine.type.name)));
      result.machines.push_back(std::move(machine));
    }
  }
  return result;
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
    return because(
        fmt::format("'{}' is neither an option nor the value of one", printable(entry, 60)));
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
        fmt::format("{} is not passed on to Slurm; lapcast help fleet-file lists what is: "
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
