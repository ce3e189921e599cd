#include "fleet/fleet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <set>

#include "core/units.h"
#include "fleet/fleet_machine.h"
#include "fleet/rent_section.h"
#include "fleet/slurm_section.h"
#include "fleet/worker_gpus.h"
#include "machine/hardware_text.h"
#include "toml/fleet_section.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

constexpr std::size_t kLongestName = 100;

bool is_identifier(std::string_view text) {
  const auto starts = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && starts(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return starts(c) || (c >= '0' && c <= '9');
  });
}

std::string read_name(const FleetSection& machine) {
  const std::string name = machine.text("name");
  if (name.size() > kLongestName) machine.fail("name", "longer than 100 bytes");
  if (name.front() == ' ' || name.back() == ' ') machine.fail("name", "blanks at its ends");
  return name;
}

std::vector<int> read_cpus(const FleetSection& machine) {
  if (!machine.has("cpus")) return {};
  if (machine.value("cpus").kind != Kind::text) {
    machine.fail("cpus", "write the numbers of CPUs as text, such as \"0\" or \"0-3,8\"");
  }
  return machine.at("cpus", [&] { return parse_cpu_list(machine.text("cpus")); });
}

std::optional<double> read_quota(const FleetSection& machine, std::size_t cpus) {
  if (!machine.has("cpu_quota")) return std::nullopt;
  const double quota =
      machine.at("cpu_quota", [&] { return parse_cpu_quota(machine.text("cpu_quota")); });
  if (cpus > 0 && quota > static_cast<double>(cpus)) {
    machine.fail("cpu_quota",
                 "more than the " + std::to_string(100 * cpus) + "% of its CPUs; 100% is one CPU");
  }
  return quota;
}

std::map<std::string, std::string> read_environment(const FleetSection& machine) {
  std::map<std::string, std::string> environment;
  if (!machine.has("environment")) return environment;
  const FleetSection section = machine.section("environment");
  for (const TomlNode::Key& key : section.table().keys) {
    const auto refuse = [&](const std::string& what) {
      fail_at(section.file(), key.place, "environment '" + printable(key.name, 60) + "': " + what);
    };
    if (!is_identifier(key.name)) refuse("names have letters, digits and _, no digit first");
    if (key.name.starts_with("LAPCAST_")) refuse("lapcast sets the LAPCAST_ variables itself");
    if (key.value.kind != Kind::text && key.value.kind != Kind::number) {
      refuse("write the value as text");
    }
    if (has_control_characters(key.value.text)) refuse("control characters in its value");
    environment[key.name] = key.value.text;
  }
  return environment;
}

std::string read_needs(const FleetSection& machine) {
  if (!machine.has("needs")) return {};
  const std::string needs = machine.text("needs");
  if (!is_known_isa(needs)) {
    machine.fail("needs",
                 "not a vector extension; write one of SSE2, SSE4.2, AVX, AVX2, AVX-512, "
                 "AMX, NEON, SVE, SVE2, SME, RVV");
  }
  return needs;
}

/// Reads how much has to be sent to a machine, and how fast that is.
void read_transfer(const FleetSection& section, const std::vector<DataSet>& data,
                   FleetMachine& machine) {
  for (const DataSet& set : data)
    if (set.source != DataSource::on_machine) machine.data_bytes += set.bytes;
  if (section.has("data")) machine.data_bytes = read_size(section, "data");
  if (!section.has("link")) return;
  machine.link_bytes_per_s = section.at("link", [&] { return parse_speed(section.text("link")); });
  if (machine.data_bytes == 0)
    section.fail("link",
                 "how much is sent is not known: add data = \"1.2 GB\" here, or a size to "
                 "a [[data]] that is sent");
}

FleetMachine read_machine(const FleetSection& section, const PriceDefaults& defaults,
                          const RentDefaults& rent, const std::vector<DataSet>& data) {
  std::vector<std::string_view> keys{
      "name",  "rent",         "known_hosts",     "host",      "slurm",
      "group", "folder",       "setup",           "cpus",      "cpu_quota",
      "here",  "needs",        "price",           "exclusive", "environment",
      "offer", "owned",        "as_of",           "data",      "link",
      "boot",  "billing_step", "billing_minimum", "source"};
  keys.insert(keys.end(),
              {"spot", "interruption_hours", "notice", "gpu", "gpus", "vcpus", "hosts"});
  keys.insert(keys.end(), std::begin(kOtherPriceNames), std::end(kOtherPriceNames));
  section.allow_only(keys);
  FleetMachine machine;
  machine.type.name = read_name(section);
  machine.type.cpus = read_cpus(section);
  machine.type.cpu_quota = read_quota(section, machine.type.cpus.size());
  machine.type.environment = read_environment(section);
  // A machine that is rented whole has no other users.
  machine.type.exclusive = section.flag("exclusive") || section.has("rent");
  machine.here = section.flag("here");
  machine.place_setup = read_place_setup(section, data);
  machine.place_setup.needs = read_needs(section);
  machine.every_node_type = read_every_node_type(section);
  machine.rent = read_rent_section(section, machine.type.name, rent);
  read_transfer(section, data, machine);
  if (section.has("gpus")) machine.gpus = section.count("gpus", kMostGpusOfNode);
  read_price(section, defaults, machine);
  return machine;
}

std::string read_value(const TomlNode& node, const std::string& file) {
  if (node.kind != Kind::text && node.kind != Kind::number) {
    fail_at(file, node.place, "a value is text or a number, such as 128");
  }
  if (node.text.empty() || has_control_characters(node.text)) {
    fail_at(file, node.place, "a value is empty or has control characters");
  }
  return node.text;
}

std::vector<std::string> read_values(const TomlNode& node, const std::string& file) {
  std::vector<std::string> values;
  if (node.kind != Kind::list) return {read_value(node, file)};
  for (const TomlNode& item : node.items) {
    const std::string value = read_value(item, file);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      fail_at(file, item.place, "the value '" + printable(value, 60) + "' stands twice");
    }
    values.push_back(value);
  }
  if (values.empty()) fail_at(file, node.place, "no values; write at least one, such as [128]");
  return values;
}

std::map<std::string, std::vector<std::string>> read_settings(const FleetSection& root) {
  std::map<std::string, std::vector<std::string>> settings;
  const TomlNode::Key* sweep = root.table().find("sweep");
  if (!sweep) return settings;
  const FleetSection section(sweep->value, "[sweep]", root.file());
  for (const TomlNode::Key& key : section.table().keys) {
    const bool has_capital =
        std::any_of(key.name.begin(), key.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!is_identifier(key.name) || has_capital || key.name == "run_dir") {
      fail_at(root.file(), key.place,
              "'" + printable(key.name, 60) +
                  "' cannot be a placeholder; names have small "
                  "letters, digits and _, and {run_dir} is lapcast's own");
    }
    settings[key.name] = read_values(key.value, root.file());
  }
  return settings;
}

const TomlNode& machine_list(const FleetSection& root) {
  const TomlNode::Key* machines = root.table().find("machine");
  if (!machines || (machines->value.kind == Kind::list && machines->value.items.empty())) {
    fail_at(root.file(), {}, "no machine types; add a [[machine]] with a name and a price");
  }
  if (machines->value.kind != Kind::list) {
    fail_at(root.file(), machines->place, "write [[machine]], with two brackets each");
  }
  return machines->value;
}

/// Collects what is wrong with the parts of a file, so that all problems are reported at once.
class Problems {
 public:
  template <class Read>
  void in(Read read) {
    try {
      read();
    } catch (const Error& error) {
      lines_.push_back(error.what());
    }
  }
  void refuse_any() const {
    constexpr std::size_t kMost = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(lines_.size(), kMost); ++i)
      text += (i > 0 ? "\n" : "") + lines_[i];
    if (lines_.size() > kMost)
      text += "\n... and " + std::to_string(lines_.size() - kMost) + " more";
    if (!text.empty()) throw Error(ExitCode::bad_input, text);
  }

 private:
  std::vector<std::string> lines_;
};

/// Returns whether a probe of either machine measures the same.
bool are_same(const FleetMachine& a, const FleetMachine& b) {
  return !a.every_node_type && !b.every_node_type && a.place_setup.place == b.place_setup.place &&
         same_hardware(a.type, b.type);
}

/// Refuses machines that are the same hardware under several names: they would be ranked as if they
/// were several machines.
void check_hardware(const std::vector<FleetMachine>& machines,
                    const std::vector<FleetSection>& sections) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    std::vector<std::string> names;
    bool all_here = true;
    for (const FleetMachine& other : machines) {
      if (!are_same(machines[i], other)) continue;
      names.push_back(printable(other.type.name));
      all_here = all_here && other.here;
    }
    if (names.size() < 2 || all_here) continue;
    const std::string where = describe(machines[i].place_setup.place);
    sections[i].fail(
        fmt::format("{} are all {}: give each a host, or here = true to compare their prices only",
                    fmt::join(names, ", "), where.empty() ? "this computer" : printable(where)));
  }
}

}  // namespace

Fleet parse_fleet(std::string_view toml, const std::string& file, const std::string& changed) {
  const TomlNode tree = parse_toml(toml, file);
  const FleetSection root(tree, "the file", file);
  Problems problems;
  PriceDefaults defaults;
  RentDefaults rent;
  std::vector<DataSet> data;
  Fleet fleet;
  problems.in([&] { root.allow_only({"machine", "prices", "rent", "sweep", "data"}); });
  problems.in([&] { defaults = read_price_defaults(root, changed); });
  problems.in([&] { rent = read_rent_defaults(root); });
  problems.in([&] { data = read_data_sets(root); });
  fleet.rented_at_once = rent.at_once;
  std::set<std::string> names;
  std::vector<FleetSection> sections;
  const auto add_machine = [&](const TomlNode& node) {
    const FleetSection section(node, "[[machine]]", file);
    fleet.machines.push_back(read_machine(section, defaults, rent, data));
    sections.push_back(section);
    const std::string& name = fleet.machines.back().type.name;
    if (!names.insert(name).second)
      section.fail("name", "a machine '" + printable(name) + "' stands above already; rename one");
  };
  problems.in([&] {
    for (const TomlNode& node : machine_list(root).items) problems.in([&] { add_machine(node); });
  });
  problems.in([&] { fleet.settings = read_settings(root); });
  problems.refuse_any();
  check_hardware(fleet.machines, sections);
  return fleet;
}

Fleet fleet_of_this_machine(const std::optional<Offer>& price) {
  FleetMachine machine;
  machine.type.name = price ? price->machine_type : kThisMachine;
  machine.offer = price;
  return {{machine}, {}};
}

std::string fleet_text(const std::vector<std::string>& hosts) {
  std::string text =
      "# The machines of a sweep: lapcast sweep THIS-FILE -- PROGRAM. All keys: lapcast help\n"
      "# fleet-file. Can they be reached? lapcast fleet check THIS-FILE\n";
  const auto add = [&](const std::string& name, const std::string& where) {
    text += "\n[[machine]]\nname = \"" + name + "\"\n" + where +
            "# price = \"1.20\"            # USD per hour; without prices lapcast ranks by time\n"
            "# exclusive = true           # nobody else uses it, as where it is rented whole\n";
  };
  if (hosts.empty()) add(kThisMachine, "");
  for (const std::string& host : hosts)
    add(host, "host = \"" + host + "\"" + "   # of your ssh config\n");
  return text;
}

const FleetMachine* machine_named(const Fleet& fleet, const std::string& name) {
  for (const FleetMachine& machine : fleet.machines)
    if (machine.type.name == name) return &machine;
  return nullptr;
}

double parse_cpu_quota(std::string_view text) {
  double percent = 0;
  const bool has_sign = text.ends_with('%');
  const char* last = text.data() + text.size() - (has_sign ? 1 : 0);
  const auto [end, error] = std::from_chars(text.data(), last, percent, std::chars_format::fixed);
  if (!has_sign || error != std::errc{} || end != last || !(percent >= 0.1 && percent <= 819200)) {
    throw Error(ExitCode::usage, "'" + printable(text, 40) +
                                     "' is not a CPU quota; write a percentage of one CPU, such "
                                     "as 50% or 150%, at least 0.1%");
  }
  return percent / 100;
}

std::optional<Reason> why_cannot_run(const MachineType& type, const MachineDescription& here) {
  const std::vector<int>& allowed = here.allowed_cpus;
  std::vector<int> lacking;
  for (const int cpu : type.cpus) {
    if (!std::binary_search(allowed.begin(), allowed.end(), cpu)) lacking.push_back(cpu);
  }
  if (!lacking.empty()) {
    return Reason{"CPU " + format_cpu_list(lacking) +
                  " cannot be used here: this process may use " + format_cpu_list(allowed)};
  }
  if (!type.cpu_quota) return std::nullopt;
  const std::size_t cpus = type.cpus.empty() ? allowed.size() : type.cpus.size();
  if (*type.cpu_quota > static_cast<double>(cpus)) {
    return Reason{"a CPU quota above " + std::to_string(100 * cpus) + "%, that of its CPUs here"};
  }
  if (here.quota_settable) return std::nullopt;
  for (const std::string& why : here.missing) {
    if (why.starts_with("no CPU quota")) return Reason{why};
  }
  return Reason{"no CPU quota can be set here"};
}

std::optional<Reason> lacks_extension(const std::string& needs, const MachineDescription& here) {
  if (needs.empty() || isa_includes(here.isa, needs)) return std::nullopt;
  return Reason{"it needs " + needs + ", and the widest vector extension here is " +
                (here.isa.empty() ? "not known" : here.isa)};
}

std::optional<Reason> why_cannot_run(const FleetMachine& machine, const MachineDescription& here) {
  if (auto reason = lacks_extension(machine.place_setup.needs, here)) return reason;
  return why_cannot_run(machine.type, here);
}

}  // namespace lapcast
