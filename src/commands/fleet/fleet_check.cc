#include "commands/fleet/fleet_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "core/error.h"
#include "query/input_files.h"
#include "remote/program_files.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReachedAtOnce = 32;

struct PlaceCheck {
  PlaceSetup place;
  MachineCheck result;
};

PlaceCheck* find_place(std::vector<PlaceCheck>& places, const PlaceSetup& wanted) {
  const auto found = std::ranges::find_if(places, [&](const PlaceCheck& known) {
    return known.place.place == wanted.place && known.place.folder == wanted.folder;
  });
  return found == places.end() ? nullptr : &*found;
}

/// Returns the fleet with an entry for each type of node. If a cluster does not answer, returns the
/// fleet as written: the cluster's row then says why.
Fleet with_nodes_that_answer(const Fleet& written) {
  try {
    return with_nodes(written);
  } catch (const Error&) {
    return written;
  }
}

void check_all(std::vector<PlaceCheck>& places, Seconds wait, const Interrupt& interrupt,
               const OnAnswered& on_answered, const CheckPlace& check) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < std::min(kReachedAtOnce, places.size()); ++i)
    workers.emplace_back([&] {
      for (std::size_t mine = next++; mine < places.size(); mine = next++, ++done)
        places[mine].result = check(places[mine].place, wait, interrupt);
    });
  while (done < places.size()) {
    on_answered(done, places.size());
    std::this_thread::sleep_for(20ms);
  }
  for (std::thread& worker : workers) worker.join();
}

/// Names for each machine the earlier one that is the same hardware under another host name.
void name_same_hardware(const std::vector<FleetMachine>& machines,
                        std::vector<CheckedMachine>& checked) {
  const auto is_reached = [&](std::size_t i) {
    return !checked[i].check.unreachable && !is_queued(machines[i].place_setup.place);
  };
  const auto are_same = [&](std::size_t i, std::size_t j) {
    return is_reached(i) && is_reached(j) && checked[i].place != checked[j].place &&
           same_hardware(machines[i].type, machines[j].type) &&
           is_same_machine(checked[i].check.facts.machine, checked[j].check.facts.machine);
  };
  for (std::size_t i = 0; i < checked.size(); ++i)
    for (std::size_t j = 0; j < i && checked[i].same_as.empty(); ++j)
      if (are_same(i, j)) checked[i].same_as = checked[j].name;
}

/// Returns a fleet with a machine of its own for each host of those that have several.
Fleet each_node(Fleet fleet) {
  std::vector<FleetMachine> machines;
  for (const FleetMachine& machine : fleet.machines) {
    const std::vector<Place> nodes = nodes_in(machine.place_setup.place);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      machines.push_back(machine);
      machines.back().place_setup.place = nodes[i];
      if (nodes.size() > 1) machines.back().type.name += fmt::format(", node {}", i);
    }
  }
  fleet.machines = std::move(machines);
  return fleet;
}

void add_rows(const FileList& list, const std::string& part, FilesToSend& files) {
  for (const ListedFile& file : list.files) {
    const char* type = file.kind == FileKind::file   ? "file"
                       : file.kind == FileKind::link ? "link"
                                                     : "empty folder";
    files.sent.push_back({file.path, type, part, file.bytes});
  }
  for (const UnsentFile& file : list.unsent)
    files.unsent.push_back({file.path,
                            file.why == Ignored::as_secret ? "secret" : "version control, cache",
                            bytes_below(list.folder / file.path)});
}

}  // namespace

std::vector<CheckedMachine> check_fleet(const Fleet& written, Seconds wait,
                                        const Interrupt& interrupt, const OnAnswered& on_answered,
                                        const CheckPlace& check) {
  const Fleet fleet = each_node(with_nodes_that_answer(written));
  std::vector<PlaceCheck> places;
  for (const FleetMachine& machine : fleet.machines)
    if (find_place(places, machine.place_setup) == nullptr)
      places.push_back({machine.place_setup, {}});
  check_all(places, wait, interrupt, on_answered, check);
  std::vector<CheckedMachine> checked;
  for (const FleetMachine& machine : fleet.machines) {
    MachineCheck result = find_place(places, machine.place_setup)->result;
    // The node that a queue gave to the check may differ from the one that a probe gets.
    if (!result.unreachable && !is_queued(machine.place_setup.place))
      if (const auto reason = why_cannot_run(machine, result.facts.machine))
        result.lacking.push_back("what it asks for: " + reason->text);
    checked.push_back({machine.type.name, describe(machine.place_setup.place), std::move(result)});
  }
  name_same_hardware(fleet.machines, checked);
  return checked;
}

FilesToSend files_to_send(const Fleet& fleet, const std::filesystem::path& folder,
                          const std::filesystem::path& store) {
  const auto remote = std::ranges::find_if(fleet.machines, [](const FleetMachine& machine) {
    return !is_this_machine(machine.place_setup.place);
  });
  FilesToSend files{.all_local = remote == fleet.machines.end()};
  // The data sets of a fleet file are the same for all its remote machines.
  const std::vector<DataSet> data =
      files.all_local ? std::vector<DataSet>{} : remote->place_setup.data;
  const auto listed = program_files(folder, data, store_files(store));
  if (!listed) throw Error(ExitCode::bad_input, listed.error().text);
  add_rows(listed->program, "program", files);
  for (const SentData& set : listed->data) add_rows(set.list, "data " + set.path, files);
  return files;
}

}  // namespace lapcast
