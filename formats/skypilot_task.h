#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/offer.h"

namespace lapcast {

/// Describes what SkyPilot should rent: the `resources` of its task files. SkyPilot chooses what is
/// empty or 0.
struct SkyPilotResources {
  std::string cloud;  // "aws", "gcp" ...: SkyPilot's names
  std::string region;
  std::string instance_type;
  std::string accelerator;  // "V100", "tpu-v3-8"
  int accelerator_count = 0;
  bool use_spot = false;
  std::vector<std::string> unknown;  // for people: what the offer does not say, and what follows
  friend bool operator==(const SkyPilotResources&, const SkyPilotResources&) = default;
};

/// Returns what SkyPilot can rent for an offer, or the reason: SkyPilot cannot rent it, or the
/// offer does not name a machine.
Result<SkyPilotResources> skypilot_resources(const Offer& offer);

/// Holds a task file. All texts are valid UTF-8; only `comments` and `resources.unknown` may hold
/// any bytes. `setup` and `run` are lines of shell commands, each with a line break; empty = none.
struct SkyPilotTask {
  std::vector<std::string> comments;  // paragraphs at the top of the file
  std::string name;
  SkyPilotResources resources;
  std::string workdir;
  std::map<std::string, std::string> environment;
  std::string setup;
  std::string run;
};

std::string skypilot_yaml(const SkyPilotTask& task);

/// Returns valid UTF-8 as a double-quoted YAML scalar on one line (YAML 1.2, 7.3.1), in ASCII.
/// Readers of YAML 1.1 and 1.2 give the same text back, never a number, a date or `yes`.
std::string yaml_scalar(std::string_view text);

/// Returns the value of a top-level key: a literal block (YAML 1.2, 8.1.2) if all lines of the text
/// are printable ASCII, not empty and not indented, else yaml_scalar(text). `text` ends with a line
/// break.
std::string yaml_block(std::string_view text);

/// Returns a text of any bytes as lines that begin with "# ". Replaces unprintable characters and
/// invalid UTF-8 with '?'; breaks lines between words after 98 columns.
std::string yaml_comment(std::string_view text);

}  // namespace lapcast
