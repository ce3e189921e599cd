#include "cli/front_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/units.h"
#include "discover/discover.h"
#include "store/store.h"

namespace lapcast {
namespace {

/// Returns "; 12 runs stored"; empty if the store cannot be read.
std::string stored_runs() {
  try {
    const auto file = default_store_file();
    std::error_code why;
    if (!std::filesystem::exists(file, why)) return why ? "" : "; no runs stored yet";
    const std::size_t runs = Store::open_existing(file).count();
    return fmt::format("; {} stored", counted(runs, "run"));
  } catch (const Error&) {
    return "";  // the commands that need it say what is wrong with it
  }
}

}  // namespace

std::string front_page(const std::vector<CommandGroup>& groups) {
  std::string text =
      R"(How long will my training take, what will it cost, and where should I run it?

  Try it here   lapcast probe -- python3 train.py
  Batch sizes   lapcast sweep --batch 64,128 -- python3 train.py --batch {batch}
  Machines      lapcast fleet init gpu1 gpu2 > fleet.toml  your ssh hosts
                lapcast sweep fleet.toml -- python3 train.py
                lapcast rank
  No script?    lapcast demo               half a minute, nothing is installed

)";
  for (const CommandGroup& group : groups) {
    text += fmt::format("  {:<8} ", group.name);
    for (const NamedCommand& command : group.commands)
      if (!command.is_hidden) text += fmt::format(" {}", command.name);
    text += "\n";
  }
  return text + "\n  lapcast help COMMAND explains one; lapcast help lists all, and the pages.\n";
}

std::string this_computer() {
  const MachineDescription machine = describe_this_machine();
  std::string gpus;
  for (const Accelerator& accelerator : machine.accelerators)
    gpus += (gpus.empty() ? "" : ", ") + printable(accelerator.model, 60);
  const std::size_t cpus = machine.allowed_cpus.size();
  return fmt::format("This computer: {}{}, {}{}\n",
                     machine.cpu_model.empty() ? "" : printable(machine.cpu_model, 60) + ", ",
                     counted(cpus, "CPU"), gpus.empty() ? "no GPU found" : gpus, stored_runs());
}

}  // namespace lapcast
