#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "price/offer.h"

namespace lapcast {

/// What SkyPilot is to rent: `resources` of its task files. Empty or 0 = left to SkyPilot.
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

/// What an offer tells SkyPilot. The reason when it is no machine that SkyPilot can rent, or when
/// nothing of it would be certain to be the machine that was measured.
Result<SkyPilotResources> skypilot_resources(const Offer& offer);

/// A task file. All texts are valid UTF-8; `setup` and `run` are shell commands, lines that end in
/// a line break; empty = none.
struct SkyPilotTask {
  std::vector<std::string> comments;  // paragraphs at the top
  std::string name;
  SkyPilotResources resources;
  std::string workdir;
  std::map<std::string, std::string> environment;
  std::string setup;
  std::string run;
};

/// The task as YAML. Only `comments` and `resources.unknown` may hold any bytes.
std::string skypilot_yaml(const SkyPilotTask& task);

}  // namespace lapcast
