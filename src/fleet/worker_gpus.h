#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "fleet/fleet.h"
#include "machine/place.h"
#include "run/run.h"

namespace lapcast {

/// Is the setting with the number of processes, or GPUs, that train together.
inline constexpr const char* kWorkersSetting = "workers";

/// Is the most workers that are believed.
inline constexpr std::int64_t kMostWorkers = 100'000;

/// Is the most GPUs of one node that are believed.
inline constexpr int kMostGpusOfNode = 1024;

/// Maps the names of settings of one candidate to their values.
using SettingValues = std::map<std::string, std::string>;

/// Returns the value of the setting `workers`; nothing where it is missing or no count above 0.
std::optional<int> stated_workers(const SettingValues& settings);

/// Returns the GPUs that a run on the machine can have, on all nodes that it asks for; 0 = not
/// known.
int gpus_of(const FleetMachine& machine);

/// Returns the numbers of workers that are tried where the user names none: 1, 2, 4 and so on, and
/// as many as the machine has GPUs. Empty where that is not known.
std::vector<std::string> default_workers(const FleetMachine& machine);

/// Returns why a candidate has more workers than its machine has GPUs; nothing where it has not.
std::optional<Reason> lacks_gpus(const FleetMachine& machine, const SettingValues& settings);

/// Returns the place of a candidate on the machine: where a job asks for GPUs by number, it asks
/// for no more than its workers need.
PlaceSetup place_setup_for(const FleetMachine& machine, const SettingValues& settings);

/// Says what a candidate pays for: `nodes` times the machine's price, or the share gpus / of_gpus
/// of that where gpus is above 0.
struct PaidPart {
  int nodes = 1;
  int gpus = 0;     // of each node
  int of_gpus = 0;  // that a node has

  double share() const { return nodes * (gpus > 0 ? double(gpus) / of_gpus : 1.0); }
  bool is_whole() const { return nodes == 1 && gpus == 0; }
  friend bool operator==(const PaidPart&, const PaidPart&) = default;
};

/// Returns the part of the machine that a candidate pays. A rented machine is paid whole, whatever
/// is used of it; an owned one by the GPUs that train, and a Slurm job by the nodes and the GPUs
/// that it asks for, where the machine says how many GPUs a node has.
PaidPart paid_part(const FleetMachine& machine, const SettingValues& settings);

/// Gives a candidate the price of the machine, or the offer that the machine names. The price for a
/// part of the machine is an offer of its own, "box (2 of 8 GPUs)", which the candidate names.
void take_price(const FleetMachine& machine, const SettingValues& settings, RunContext& context);

/// Returns whether take_price() made the offer for a part of a machine.
bool is_for_part(const Offer& offer);

}  // namespace lapcast
