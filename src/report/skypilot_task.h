#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "price/offer.h"

namespace lapcast {

/// Says what SkyPilot is to rent: `resources` of its task files. What is empty or 0 is left to
/// SkyPilot.
struct SkyPilotResources {
  std::string cloud;  // "aws", "gcp" ...: SkyPilot's names
  std::string region;
  std::string instance_type;
  std::string accelerator;  // "V100", "tpu-v3-8"
  int accelerator_count = 0;
  bool use_spot = false;
  std::vector<std::string> unknown;  // what the offer does not tell, for people
  friend bool operator==(const SkyPilotResources&, const SkyPilotResources&) = default;
};

/// Returns what an offer tells SkyPilot; a reason when it is no machine that SkyPilot can rent, or
/// when it does not tell which machine was measured.
Result<SkyPilotResources> skypilot_resources(const Offer& offer);

/// Holds a task file. All texts are valid UTF-8; `setup` and `run` are shell commands, whose lines
/// all end in a line break; they are empty where there are none.
struct SkyPilotTask {
  std::vector<std::string> comments;  // paragraphs at the top
  std::string name;
  SkyPilotResources resources;
  std::string workdir;
  std::map<std::string, std::string> environment;
  std::string setup;
  std::string run;
};

/// Returns the task as YAML. Only `comments` and `resources.unknown` may hold any bytes.
std::string skypilot_yaml(const SkyPilotTask& task);

/// Returns the text as a double-quoted YAML scalar on one line (YAML 1.2, 7.3.1): pure ASCII, and
/// always text, never a number, a date or `yes`. Readers of YAML 1.1 and 1.2 give the same text
/// back. `text` is valid UTF-8.
std::string yaml_scalar(std::string_view text);

/// Returns the text as the value of a key at the left edge: a literal block (8.1.2) where all its
/// lines are printable ASCII, not empty and not indented, else a scalar. `text` ends with a line
/// break.
std::string yaml_block(std::string_view text);

/// Returns lines that begin with "# " for a text of any bytes. What is not printable or not valid
/// UTF-8 becomes '?'; lines are broken between words after 98 columns.
std::string yaml_comment(std::string_view text);

}  // namespace lapcast
