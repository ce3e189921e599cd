#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/seconds.h"
#include "fleet/fleet_file.h"
#include "probe/interrupt.h"
#include "remote/host_check.h"
#include "report/fleet_report.h"

namespace lapcast {

/// Connects to one machine and returns what it is and what it lacks; waits at most `wait` for a
/// free node of a queue.
using CheckPlace =
    std::function<MachineCheck(const PlaceSetup& place, Seconds wait, const Interrupt& interrupt)>;

/// Receives the number of machines that have answered, several times a second.
using OnAnswered = std::function<void(std::size_t answered, std::size_t all)>;

/// Checks every machine of a fleet, several at a time, machines with the same place once. Returns
/// the machines in the order of the file, with what each asks for and lacks. The result does not
/// say which machines an interrupt cut off: the caller has to check the interrupt.
std::vector<CheckedMachine> check_fleet(const Fleet& written, Seconds wait,
                                        const Interrupt& interrupt, const OnAnswered& on_answered,
                                        const CheckPlace& check = check_site);

struct FilesToSend {
  std::vector<SentFileRow> sent;
  std::vector<UnsentFileRow> unsent;
  bool all_local = false;  // all machines are this computer: nothing is sent
};

/// Returns the files of the folder and the data sets of the fleet that would be sent, and those
/// that the default rules hold back. The files of the store are never among them. Throws Error (bad
/// input) when they cannot be listed.
FilesToSend files_to_send(const Fleet& fleet, const std::filesystem::path& folder,
                          const std::filesystem::path& store);

}  // namespace lapcast
