#include "cli/suite_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "choose/assessment.h"
#include "core/units.h"
#include "fleet/workload_data.h"
#include "machine/discover.h"

namespace lapcast {

namespace fs = std::filesystem;

namespace {

/// Says how the solver is run.
struct DeviceMode {
  QueensMode mode;
  std::string device;
  std::int64_t threads;  // 0 = left to the program
};

std::vector<DeviceMode> modes(const SuiteOptions& options) {
  const auto usable = static_cast<std::int64_t>(this_machine().allowed_cpus.size());
  const std::int64_t cpus = options.threads > 0 ? options.threads : usable;
  std::vector<DeviceMode> result{{QueensMode::serial, "cpu", 1}};
  if (cpus > 1) result.push_back({QueensMode::cores, "cpu", cpus});
  if (options.device == "cuda" || (options.device.empty() && has_nvidia_gpu()))
    result.push_back({QueensMode::gpu, "cuda", 0});
  return result;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string number_text(std::int64_t number) {
  return number > 0 ? std::to_string(number) : "";
}

/// Returns the run of a program to its end. The settings that are not empty become options with
/// placeholders, so that they are the settings of the run.
RunContext context_of(std::vector<std::string> program, const Settings& settings,
                      const std::vector<std::string>& more, const MachineOptions& machine) {
  RunContext context = common_context({}, {}, this_machine());
  for (const auto& [name, value] : settings) {
    if (value.empty()) continue;
    context.settings[name] = value;
    program.insert(program.end(), {"--" + name, "{" + name + "}"});
  }
  program.insert(program.end(), more.begin(), more.end());
  context.program = std::move(program);
  context.kind = RunKind::full;
  use_this_machine(context, machine);
  return context;
}

QueensRuns runs_of(int n, QueensMode mode, const RunSet& set) {
  QueensRuns result{.n = n, .mode = mode};
  result.reason = set.reason;
  for (const Run& run : set.runs) {
    const Result<QueensResult> one = queens_result(run);
    if (!one) continue;
    const bool changed = !result.seconds.empty() && result.solutions != one->solutions;
    if (changed) result.reason = "its runs found different numbers of solutions";
    result.solutions = one->solutions;
    result.nodes = one->nodes;
    result.seconds.push_back(one->seconds);
  }
  return result;
}

}  // namespace

void SuiteOptions::add_program_options_to(CLI::App& app) {
  add_options(
      app, {{"--device cpu|cuda", &device, "cpu or cuda [cpu]", one_of("cpu|cuda")},
            {"--threads N", &threads, "threads of each program [all CPUs]", up_to(4096)},
            {"--batch N", &batch, "samples of an iteration [the paper's]", up_to(1'000'000)},
            {"--epochs N", &epochs, "epochs [the paper's]", up_to(std::int64_t{1} << 40)},
            {"--samples N", &samples, "training samples [the paper's]", up_to(100'000'000)},
            {"--setting NAME", &setting, "whose settings, where a workload has several"},
            {"--dtype fp32|bf16", &dtype, "fp32, or bf16 where the device has it [fp32]",
             one_of("fp32|bf16")},
            {"--data DIR", &data, "folder with real data [a synthetic set, made once and kept]"}});
}

const MachineDescription& this_machine() {
  static const MachineDescription machine = describe_this_machine();
  return machine;
}

bool has_nvidia_gpu() {
  return std::ranges::any_of(this_machine().accelerators, [](const Accelerator& accelerator) {
    return accelerator.vendor == "nvidia";
  });
}

fs::path workload_program(const std::string& name) {
  const auto found = find_workload_program(name);
  if (!found)
    throw Error(ExitCode::program_failed, found.error().text + "; " + how_to_build_workloads());
  return *found;
}

void check_options(const Workload& workload, const SuiteOptions& options) {
  const bool known = std::ranges::any_of(workload.settings, [&](const WorkloadSetting& setting) {
    return setting.name == options.setting;
  });
  if (!options.setting.empty() && !known)
    throw Error(ExitCode::usage,
                fmt::format("--setting: {} has no setting '{}'; `lapcast suite` lists them",
                            workload.name, printable(options.setting, 60)));
  std::error_code error;
  if (!options.data.empty() && !fs::is_directory(options.data, error))
    throw Error(ExitCode::bad_input,
                fmt::format("--data: {} is no folder that can be read", printable(options.data)));
  const bool to_be_made = options.data.empty() && workload.maker &&
                          !is_cached(data_request(*workload.maker, options.samples));
  if (to_be_made) workload_program(workload.maker->program);
}

SuiteSession::SuiteSession(const Globals& globals, const RepeatOptions& options)
    : store_(globals.open_store()),
      executor_(interrupt_),
      display_(globals.quiet),
      runs_(options.request(), {store_, executor_, interrupt_, display_}) {}

fs::path SuiteSession::data_of(const Workload& workload, const SuiteOptions& options) {
  if (!options.data.empty()) return fs::canonical(options.data);
  return cached_data(data_request(*workload.maker, options.samples), interrupt_,
                     [&](const std::string& text) { display_.say(workload.name + ": " + text); });
}

RunContext training_context(const Workload& workload, const fs::path& data,
                            const SuiteOptions& options, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--seed", "{seed}"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return context_of({workload_program(workload.name), "--data", data.string()},
                    {{"batch", number_text(options.batch)},
                     {"device", options.device},
                     {"dtype", options.dtype},
                     {"epochs", number_text(options.epochs)},
                     {"samples", number_text(options.samples)},
                     {"setting", options.setting},
                     {"threads", number_text(options.threads)}},
                    arguments, options.machine);
}

void SuiteFleetOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"--fleet FLEET.toml", &fleet_file,
                "run it on the machine types of this file, in turn, and test every pair"}},
              "On several machines");
  repeat.add_rest_to(app);
}

FleetRepeatPlan plan_on_fleet(const Workload& workload, const fs::path& data,
                              const SuiteOptions& options, const SuiteFleetOptions& fleet,
                              const std::vector<std::string>& more) {
  if (options.machine.machine_type() != MachineOptions().machine_type() ||
      options.machine.price_per_hour())
    throw Error(ExitCode::usage,
                "--machine, --price, --offer, --cpus and --cpu-quota do not go with --fleet: its "
                "file says what each machine is");
  FleetRepeatRequest request{.sweep = {.fleet_file = fs::absolute(fleet.fleet_file).string()},
                             .rule = options.repeat.rule(),
                             .warm_ups = fleet.repeat.warm_ups,
                             .baseline = fleet.repeat.baseline};
  RunContext context = training_context(workload, data, options, more);
  const fs::path folder = workload_folder(workload.name);
  fs::current_path(folder);
  context.working_dir = folder.string();
  context.program.front() = "./" + workload.name;
  for (const auto& [name, value] : std::exchange(context.settings, {}))
    request.sweep.values[name] = {value};
  SweepRequest& sweep = request.sweep;
  sweep.again = options.repeat.again;
  sweep.keep = options.repeat.keep;
  sweep.probe = options.repeat.start.request(std::move(context));
  sweep.probe.hook = false;  // the suite's programs report by themselves
  if (!data.empty()) sweep.data = {{.path = data.string(), .bytes = 0, .source = DataSource::send}};
  return plan_repeats(std::move(request));
}

void QueensOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--n N..N", &boards, "nqueens: sizes of the board, such as 10..16 or 12,14 [10..16]"},
       {"--algorithm paper|fast", &algorithm,
        "nqueens: paper, to compare machines as [C] does, or fast [paper]", one_of("paper|fast")}});
}

std::vector<QueensRuns> run_queens(const Workload& workload, const SuiteOptions& options,
                                   const QueensOptions& queens,
                                   const std::vector<std::string>& more, RepeatedRuns& runs,
                                   bool& interrupted) {
  const auto seconds = [](const Run& run) -> Result<double> {
    const auto result = queens_result(run);
    if (!result) return tl::unexpected(result.error());
    return result->seconds;
  };
  const auto program = workload_program(workload.name);
  const std::vector<DeviceMode> all_modes = modes(options);
  std::vector<QueensRuns> all;
  std::set<QueensMode> failed;
  for (const int n :
       parse_board_sizes(queens.boards.empty() ? workload.board_sizes : queens.boards))
    for (const DeviceMode& mode : all_modes) {
      if (interrupted || failed.contains(mode.mode)) continue;
      const RunContext context =
          context_of({program.string()},
                     {{"n", number_text(n)},
                      {"algorithm", queens.algorithm.empty() ? "paper" : queens.algorithm},
                      {"device", mode.device},
                      {"threads", number_text(mode.threads)}},
                     more, options.machine);
      const RunSet set = runs.complete(
          context, fmt::format("{} {}, {}", workload.name, n, name_of(mode.mode)), seconds);
      interrupted = set.interrupted;
      all.push_back(runs_of(n, mode.mode, set));
      if (!set.reason.empty()) failed.insert(mode.mode);
    }
  return all;
}

}  // namespace lapcast
