#include "query/own_programs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "extrapolate/accelerator.h"
#include "forecast/gpu_use.h"
#include "posix/on_all_cpus.h"
#include "query/forecast_run.h"
#include "query/home_measurement.h"
#include "query/worker_forecast.h"
#include "rank/transferred_cases.h"
#include "run/command_arguments.h"
#include "run/secrets.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Returns what tells programs apart: the folder, and the words of a command line that are
/// not options.
std::string program_key(const std::string& folder, const std::string& command) {
  std::istringstream words(command);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  std::string key = folder;
  for (const std::string& word : training_arguments(arguments)) {
    const bool is_module = word.starts_with("-m ");
    if (is_module || !(word.starts_with('-') || word.find('=') != word.npos)) key += '\n' + word;
  }
  return key;
}

/// Holds the newest run of one command line on each machine type.
struct OneCommand {
  std::string program;                            // program_key()
  std::map<std::string, std::string> by_machine;  // ids of runs
  std::size_t newest = 0;                         // place in the list of runs
};

/// Returns the command line of each other program that ran on the most machine types, if they are
/// two or more; the programs that ran last come first.
std::vector<OneCommand> best_commands(const Store& store, const std::set<std::string>& current) {
  std::map<std::pair<std::string, std::string>, OneCommand> commands;  // by folder and line
  std::size_t place = 0;
  for (const RunSummary& run : store.list({.newest = kMostOwnListed, .with_laps = true})) {
    OneCommand& command = commands[{run.folder, run.program}];
    command.by_machine[run.machine_type] = run.id;
    command.newest = ++place;
  }
  std::map<std::string, OneCommand> best;
  for (auto& [key, command] : commands) {
    if (command.by_machine.size() < 2) continue;
    command.program = program_key(key.first, key.second);
    if (current.contains(command.program)) continue;
    OneCommand& other = best[command.program];
    const auto rank = [](const OneCommand& c) { return std::pair(c.by_machine.size(), c.newest); };
    if (rank(command) > rank(other)) other = std::move(command);
  }
  std::vector<OneCommand> ordered;
  for (auto& [program, command] : best) ordered.push_back(std::move(command));
  std::ranges::sort(ordered, std::ranges::greater{}, &OneCommand::newest);
  return ordered;
}

/// Returns what a run says of its machine, or nothing if it does not count.
std::optional<OwnProgram::Lap> lap_of(const Run& run, const AcceleratorTable& table) {
  if (was_imported(run.context) || workers_of(run).all() != 1) return std::nullopt;
  RunForecaster of_own_laps;
  const Assessment assessment = of_own_laps.forecast(run);
  if (!assessment.profile) return std::nullopt;
  const auto& lap = assessment.profile->steady.mean;
  if (!(lap.mid.count() > 0 && lap.low.count() > 0)) return std::nullopt;
  const double sd = std::log(lap.high / lap.low) / (2 * kZ95);
  if (!std::holds_alternative<outcome::Ended>(run.outcome) && sd * kZ95 > kMostOwnError)
    return std::nullopt;
  const auto uses = use_in_training(*laps_of(run));
  const auto accelerator = trained_on(run, uses, "", table);
  if (!accelerator) return std::nullopt;
  if (const auto busy = busy_share(uses);
      *accelerator != nullptr && busy && *busy < kLeastBusyShare)
    return std::nullopt;
  OwnProgram::Lap own{
      *accelerator, {}, std::log(lap.mid.count()), sd, precision_named(laps_of(run)->numbers)};
  if (*accelerator == nullptr)
    own.cpu = cpu_machine_of(run.context.machine_type, run.context.machine);
  return own;
}

}  // namespace

std::vector<OwnProgram> own_programs(const Store& store, std::span<const Run> current) {
  std::set<std::string> asked;
  for (const Run& run : current)
    asked.insert(program_key(run.context.working_dir, shown_program(run.context)));
  std::vector<Run> runs;
  std::vector<std::size_t> program_of;
  const std::vector<OneCommand> commands = best_commands(store, asked);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (runs.size() + commands[i].by_machine.size() > kMostOwnRead) continue;
    for (const auto& [machine, id] : commands[i].by_machine) {
      runs.push_back(store.get(id));
      program_of.push_back(i);
    }
  }
  std::vector<std::optional<OwnProgram::Lap>> laps(runs.size());
  on_all_cpus(runs.size(),
              [&](std::size_t i) { laps[i] = lap_of(runs[i], AcceleratorTable::shipped()); });
  std::vector<OwnProgram> programs(commands.size());
  std::map<std::size_t, std::int64_t> samples;  // of a lap: those of one program must agree
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!laps[i]) continue;
    const std::int64_t batch = batch_size_of(runs[i]);
    if (samples.try_emplace(program_of[i], batch).first->second == batch)
      programs[program_of[i]].laps.push_back(*std::move(laps[i]));
  }
  std::erase_if(programs, [](const OwnProgram& program) { return program.laps.size() < 2; });
  return programs;
}

}  // namespace lapcast
