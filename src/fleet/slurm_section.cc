#include "fleet/slurm_section.h"

#include <string>
#include <utility>
#include <vector>

#include "fleet/slurm_fleet.h"
#include "fleet/worker_gpus.h"

namespace lapcast {
namespace {

constexpr int kMostNodes = 100'000;

std::string optional_word(const FleetSection& section, std::string_view key) {
  return section.has(key) ? section.word(key) : std::string();
}

std::vector<std::string> read_flags(const FleetSection& slurm) {
  if (!slurm.has("flags")) return {};
  const TomlNode& list = slurm.value("flags");
  if (list.kind != TomlNode::Kind::list)
    slurm.fail("flags", R"(write a list, such as ["-c", "4"])");
  SlurmFlags flags;
  for (const TomlNode& item : list.items) {
    if (item.kind != TomlNode::Kind::text || item.text.empty() || has_control_characters(item.text))
      fail_at(slurm.file(), item.place, "flags: write each as text, such as \"--qos=low\"");
    if (const auto added = flags.add(item.text); !added)
      fail_at(slurm.file(), item.place, "flags: " + added.error().text);
  }
  auto arguments = flags.take();
  if (!arguments) slurm.fail("flags", arguments.error().text);
  return std::move(*arguments);
}

}  // namespace

SlurmPlace read_slurm_section(const FleetSection& slurm) {
  slurm.allow_only({"login", "partition", "constraint", "gres", "nodes", "gpus", "account",
                    "time_limit", "flags", "every_node_type"});
  SlurmPlace place;
  place.login = optional_word(slurm, "login");
  place.partition = optional_word(slurm, "partition");
  place.constraint = optional_word(slurm, "constraint");
  place.gres = optional_word(slurm, "gres");
  if (slurm.has("nodes")) place.nodes = slurm.count("nodes", kMostNodes);
  if (slurm.has("gpus")) place.gpus = slurm.count("gpus", kMostGpusOfNode);
  if (place.gpus > 0 && place.gres.starts_with("gpu"))
    slurm.fail("gpus", "gres asks for GPUs, too; keep one of them");
  place.account = optional_word(slurm, "account");
  if (slurm.has("time_limit")) place.time_limit_ns = slurm.duration_ns("time_limit");
  place.flags = read_flags(slurm);
  return place;
}

bool read_every_node_type(const FleetSection& machine) {
  if (!machine.has("slurm")) return false;
  const FleetSection slurm = machine.section("slurm");
  if (!slurm.flag("every_node_type")) return false;
  for (const char* key : {"constraint", "gres", "gpus"})
    if (slurm.has(key))
      slurm.fail(key, "every_node_type finds out what to ask for; leave one of them out");
  return true;
}

}  // namespace lapcast
