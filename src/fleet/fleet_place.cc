#include "fleet/fleet_place.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "fleet/slurm_flags.h"
#include "remote/program_files.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

/// Reads a word that a program is given as an argument: never an option of it, no blanks.
std::string read_word(const FleetSection& section, std::string_view key) {
  const std::string word = section.text(key);
  if (word.front() == '-') section.fail(key, "it begins with '-', like an option");
  if (word.find(' ') != std::string::npos) section.fail(key, "it has a blank in it");
  return word;
}

std::string optional_word(const FleetSection& section, std::string_view key) {
  return section.has(key) ? read_word(section, key) : std::string();
}

std::vector<std::string> read_flags(const FleetSection& slurm) {
  if (!slurm.has("flags")) return {};
  const TomlNode& list = slurm.value("flags");
  if (list.kind != Kind::list) slurm.fail("flags", R"(write a list, such as ["-c", "4"])");
  SlurmFlags flags;
  for (const TomlNode& item : list.items) {
    if (item.kind != Kind::text || item.text.empty() || has_control_characters(item.text))
      fail_at(slurm.file(), item.place, "flags: write each as text, such as \"--qos=low\"");
    if (const auto added = flags.add(item.text); !added)
      fail_at(slurm.file(), item.place, "flags: " + added.error().text);
  }
  auto arguments = flags.take();
  if (!arguments) slurm.fail("flags", arguments.error().text);
  return std::move(*arguments);
}

SlurmPlace read_slurm(const FleetSection& slurm) {
  slurm.allow_only({"login", "partition", "constraint", "gres", "account", "time_limit", "flags",
                    "every_node_type"});
  SlurmPlace place;
  place.login = optional_word(slurm, "login");
  place.partition = optional_word(slurm, "partition");
  place.constraint = optional_word(slurm, "constraint");
  place.gres = optional_word(slurm, "gres");
  place.account = optional_word(slurm, "account");
  if (slurm.has("time_limit")) place.time_limit_ns = slurm.duration_ns("time_limit");
  place.flags = read_flags(slurm);
  return place;
}

Place read_place(const FleetSection& machine) {
  if (machine.has("host") && machine.has("slurm"))
    machine.fail("host",
                 "a machine has host or [machine.slurm], not both; the login node of a "
                 "cluster is `login` in [machine.slurm]");
  if (machine.has("host")) return SshPlace{read_word(machine, "host")};
  if (!machine.has("slurm")) return LocalPlace{};
  for (const char* key : {"cpus", "cpu_quota"})
    if (machine.has(key))
      machine.fail(key, R"(Slurm gives a job its CPUs; ask for them with flags = ["-c", "4"])");
  return read_slurm(machine.section("slurm"));
}

/// Reads a path that is absolute, or below the home folder of the machine.
std::string read_folder(const FleetSection& machine) {
  const std::string folder = machine.text("folder");
  if (folder.front() != '/' && !folder.starts_with("~/"))
    machine.fail("folder", "write a path that begins with / or ~/");
  return folder;
}

bool leaves_its_folder(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

std::int64_t read_size(const FleetSection& data) {
  const TomlNode& node = data.value("size");
  if (node.kind != Kind::text && node.kind != Kind::number)
    data.fail("size", "write such as \"1.2 GB\", or a number of bytes");
  return data.at("size", [&] { return parse_bytes(node.text); });
}

DataSource read_source(const FleetSection& data) {
  const std::string source = data.text("source");
  if (source == "there") return DataSource::there;
  if (source == "send") return DataSource::send;
  if (source == "setup") return DataSource::setup;
  data.fail("source",
            "write there (it is there already), send (lapcast sends it once) or setup "
            "(the set-up command fetches it)");
}

DataSet read_data_set(const FleetSection& section) {
  section.allow_only({"path", "size", "source"});
  DataSet data;
  data.path = section.text("path");
  if (leaves_its_folder(data.path)) section.fail("path", "write a path without ..");
  data.path = data_path(data);
  if (data.path == "." || data.path == "/")
    section.fail("path",
                 "name a folder or file of its own, not the whole folder of the program or /");
  if (section.has("size")) data.bytes = read_size(section);
  if (section.has("source")) data.source = read_source(section);
  return data;
}

}  // namespace

std::vector<DataSet> read_data_sets(const FleetSection& root) {
  std::vector<DataSet> sets;
  const TomlNode::Key* data = root.table().find("data");
  if (!data) return sets;
  if (data->value.kind != Kind::list)
    fail_at(root.file(), data->place, "write [[data]], with two brackets each");
  std::set<std::string> paths;
  for (const TomlNode& node : data->value.items) {
    const FleetSection section(node, "[[data]]", root.file());
    sets.push_back(read_data_set(section));
    if (!paths.insert(sets.back().path).second) section.fail("path", "it stands above already");
  }
  return sets;
}

PlaceSetup read_place_setup(const FleetSection& machine, const std::vector<DataSet>& data) {
  PlaceSetup site;
  site.place = read_place(machine);
  if (machine.has("group")) site.group = machine.text("group");
  if (is_here(site.place)) {
    for (const char* key : {"folder", "setup"})
      if (machine.has(key))
        machine.fail(key, "only for a remote machine, with host or [machine.slurm]");
    return site;
  }
  if (machine.has("folder")) site.folder = read_folder(machine);
  if (machine.has("setup")) site.setup = machine.text("setup");
  site.data = data;
  return site;
}

bool read_every_node_type(const FleetSection& machine) {
  if (!machine.has("slurm")) return false;
  const FleetSection slurm = machine.section("slurm");
  if (!slurm.has("every_node_type")) return false;
  const TomlNode& node = slurm.value("every_node_type");
  if (node.kind != Kind::boolean) slurm.fail("every_node_type", "write true or false");
  for (const char* key : {"constraint", "gres"})
    if (node.text == "true" && slurm.has(key))
      slurm.fail(key, "every_node_type finds out what to ask for; leave one of them out");
  return node.text == "true";
}

}  // namespace lapcast
