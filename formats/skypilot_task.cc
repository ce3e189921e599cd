#include "formats/skypilot_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "core/display_width.h"
#include "core/units.h"

namespace lapcast {
namespace {

/// Names, for a cloud with several services, the one from which SkyPilot rents machines.
struct Service {
  std::string_view provider, service, instance_prefix;
};
constexpr std::array<Service, 3> kServices{
    {{"aws", "ec2", ""}, {"azure", "vm", "Standard_"}, {"gcp", "compute", ""}}};
/// Lists the clouds of SkyPilot 0.14 that rent out only machines.
constexpr std::array<std::string_view, 16> kClouds{
    "cudo", "do",         "fluidstack", "hyperbolic", "ibm",    "lambda", "mithril",   "nebius",
    "oci",  "paperspace", "runpod",     "scp",        "seeweb", "vast",   "shadeform", "verda"};

/// Returns true for a machine type of Google, which has a family and a size ("a2-highgpu-1g"), and
/// false for the price of a part ("GPU-V100").
bool is_google_machine_type(const std::string& name) {
  return name.find('-') != std::string::npos &&
         std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// Returns "tpu-v3-8" for a "TPUv3" with 8 cores.
std::string tpu_name(const Offer& offer) {
  std::string version = offer.accelerator.substr(3);
  if (version.starts_with('-')) version.erase(0, 1);
  return fmt::format("tpu-{}-{}", version, offer.accelerator_count);
}

bool is_tpu(const Offer& offer) {
  return offer.accelerator.starts_with("TPU");
}

void set_accelerator(SkyPilotResources& resources, const Offer& offer) {
  if (offer.accelerator.empty()) return;
  resources.accelerator = is_tpu(offer) ? tpu_name(offer) : offer.accelerator;
  resources.accelerator_count = is_tpu(offer) ? 1 : std::max(1, offer.accelerator_count);
}

/// Sets the cloud and the instance type if SkyPilot knows the offer's service. Returns whether it
/// does.
bool set_cloud(SkyPilotResources& resources, const Offer& offer) {
  if (std::ranges::find(kClouds, offer.provider) != kClouds.end()) {
    resources.cloud = offer.provider;
    resources.instance_type = offer.machine_type;
    return true;
  }
  for (const Service& known : kServices) {
    if (offer.provider != known.provider || offer.service != known.service) continue;
    resources.cloud = offer.provider;
    if (offer.provider == "gcp" && !is_google_machine_type(offer.machine_type)) return true;
    const bool whole = offer.machine_type.starts_with(known.instance_prefix);
    // "n1-standard-8+1xT4" is SkyPilot's "n1-standard-8" with an accelerator.
    resources.instance_type = std::string(whole ? "" : known.instance_prefix) +
                              offer.machine_type.substr(0, offer.machine_type.find('+'));
    return true;
  }
  if (offer.provider == "gcp" && offer.service == "tpu") resources.cloud = "gcp";
  return !resources.cloud.empty();
}

std::string line(std::string_view key, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {}: {}\n", key, yaml_scalar(value));
}

std::string resources_yaml(const SkyPilotResources& resources) {
  std::string yaml = "resources:\n";
  yaml += line("cloud", resources.cloud);
  yaml += line("region", resources.region);
  yaml += line("instance_type", resources.instance_type);
  if (!resources.accelerator.empty())
    yaml += line("accelerators",
                 fmt::format("{}:{}", resources.accelerator, resources.accelerator_count));
  return yaml + fmt::format("  use_spot: {}\n", resources.use_spot);
}

constexpr std::size_t kCommentWidth = 98;

/// Returns a character as it is written in a double-quoted scalar.
std::string escaped(char32_t c) {
  if (c == '"' || c == '\\') return {'\\', static_cast<char>(c)};
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c >= ' ' && c <= '~') return {static_cast<char>(c)};
  const auto code = static_cast<unsigned>(c);
  if (code < 0x100) return fmt::format("\\x{:02X}", code);
  return code < 0x10000 ? fmt::format("\\u{:04X}", code) : fmt::format("\\U{:08X}", code);
}

bool fits_a_block(std::string_view line) {
  return !line.empty() && line[0] != ' ' &&
         std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Replaces U+FFFE and U+FFFF, which YAML does not allow at all.
void remove_noncharacters(std::string& text) {
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = 0; (at = text.find(none, at)) != std::string::npos;)
      text.replace(at, none.size(), "?");
}

}  // namespace

Result<SkyPilotResources> skypilot_resources(const Offer& offer) {
  if (std::holds_alternative<Owned>(offer.terms))
    return because(
        fmt::format("'{}' is owned hardware, which SkyPilot cannot rent", printable(offer.name)));
  SkyPilotResources resources;
  resources.use_spot = std::holds_alternative<Spot>(offer.terms);
  const bool known = set_cloud(resources, offer);
  if (!known && (!offer.provider.empty() || offer.accelerator.empty() || is_tpu(offer)))
    return because(fmt::format(
        "the offer '{}' is of no cloud that SkyPilot knows (provider '{}', service "
        "'{}'); a machine "
        "of a fleet file takes them from a catalog with `offer`, see lapcast help catalog.md",
        printable(offer.name), printable(offer.provider), printable(offer.service)));
  set_accelerator(resources, offer);
  if (is_tpu(offer) && offer.service != "tpu")
    return because(
        fmt::format("the offer '{}' does not say how large its TPU is", printable(offer.name)));
  if (resources.instance_type.empty() && resources.accelerator.empty())
    return because(fmt::format("the offer '{}' names neither an instance type nor an accelerator",
                               printable(offer.name)));
  resources.region = known ? offer.region : "";
  if (!known) resources.unknown.push_back("the cloud: any that has such an accelerator is taken");
  if (resources.region.empty())
    resources.unknown.push_back("the region: the cheapest is taken, prices differ between them");
  if (resources.instance_type.empty())
    resources.unknown.push_back(
        "the instance type: CPUs and memory beside the accelerator are "
        "SkyPilot's choice, and may be others than were measured");
  return resources;
}

std::string skypilot_yaml(const SkyPilotTask& task) {
  std::string yaml;
  for (const std::string& comment : task.comments) yaml += yaml_comment(comment);
  for (const std::string& unknown : task.resources.unknown)
    yaml += yaml_comment("Not known: " + unknown + ".");
  yaml += fmt::format("name: {}\n\n{}", yaml_scalar(task.name), resources_yaml(task.resources));
  if (!task.workdir.empty()) yaml += fmt::format("\nworkdir: {}\n", yaml_scalar(task.workdir));
  if (!task.environment.empty()) yaml += "\nenvs:\n";
  for (const auto& [name, value] : task.environment)
    yaml += fmt::format("  {}: {}\n", yaml_scalar(name), yaml_scalar(value));
  if (!task.setup.empty()) yaml += "\nsetup: " + yaml_block(task.setup);
  return yaml + "\nrun: " + yaml_block(task.run);
}

std::string yaml_scalar(std::string_view text) {
  std::string scalar = "\"";
  while (!text.empty()) {
    const auto [c, length] = decode_utf8(text);
    scalar += escaped(c);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return scalar + '"';
}

std::string yaml_block(std::string_view text) {
  std::string block = "|\n";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (!fits_a_block(line) || end == text.size()) return yaml_scalar(text) + "\n";
    block += fmt::format("  {}\n", line);
    begin = end + 1;
  }
  return block;
}

std::string yaml_comment(std::string_view text) {
  std::string rest = printable(text, 4000);
  remove_noncharacters(rest);
  std::string comment;
  while (rest.size() > kCommentWidth) {
    const std::size_t space = rest.rfind(' ', kCommentWidth);
    const std::size_t end = space == std::string::npos || space == 0 ? rest.find(' ', 1) : space;
    if (end == std::string::npos) break;
    comment += fmt::format("# {}\n", rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return comment + fmt::format("# {}\n", rest);
}

}  // namespace lapcast
