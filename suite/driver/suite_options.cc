#include "suite/driver/suite_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/console.h"
#include "core/units.h"
#include "discover/discover.h"
#include "history/assessment.h"
#include "suite/driver/workload_data.h"

namespace lapcast {

namespace fs = std::filesystem;

void SuiteOptions::add_program_options_to(CLI::App& app) {
  add_options(
      app,
      {{"--device cpu|cuda", &device,
        "cpu, cuda, or both with --fleet; nqueens and mask-rcnn run on the cores in any case, "
        "and on a GPU of this machine or with cuda or both [cpu]",
        one_of("cpu|cuda|both")},
       {"--threads N", &threads, "threads of each program [all CPUs; nn-twins 1]", up_to(4096)},
       {"--batch N", &batch, "samples of an iteration [the paper's]", up_to(1'000'000)},
       {"--epochs N", &epochs, "epochs [the paper's]", up_to(std::int64_t{1} << 40)},
       {"--samples N", &samples, "training samples [the paper's]", up_to(100'000'000)},
       {"--setting NAME", &setting, "whose settings, where a workload has several"},
       {"--dtype fp32|bf16", &dtype, "fp32, or bf16 where the device has it [fp32]",
        one_of("fp32|bf16")},
       {"--data DIR", &data, "folder with real data [a synthetic set, made once and kept]"}});
}

bool has_nvidia_gpu() {
  return std::ranges::any_of(this_machine().accelerators, [](const Accelerator& accelerator) {
    return accelerator.vendor == "nvidia";
  });
}

bool wants_gpu(const std::string& device, bool on_fleet) {
  return device == "cuda" || device == kBothDevices ||
         (device.empty() && !on_fleet && has_nvidia_gpu());
}

fs::path workload_program(const std::string& name) {
  const auto found = find_workload_program(name);
  if (!found)
    throw Error(ExitCode::program_failed, found.error().text + "; " + how_to_build_workloads(name));
  return *found;
}

Result<void> is_built(const Workload& workload, const SuiteOptions& options) {
  const bool to_be_made = options.data.empty() && workload.maker &&
                          !is_cached(data_request(*workload.maker, options.samples));
  for (const std::string& name : {workload.name, to_be_made ? workload.maker->program : ""})
    if (const auto found = find_workload_program(name); !name.empty() && !found)
      return because(found.error().text + "; " + how_to_build_workloads(workload.name));
  return {};
}

std::map<std::string, std::string> missing_of(const std::vector<const Workload*>& workloads,
                                              const SuiteOptions& options) {
  std::map<std::string, std::string> missing;
  for (const Workload* workload : workloads)
    if (const auto built = is_built(*workload, options); !built)
      missing[workload->name] = built.error().text;
  if (missing.empty()) return missing;
  if (missing.size() == workloads.size())
    throw Error(ExitCode::program_failed, missing.begin()->second);
  for (const auto& [name, reason] : missing) say("{} is left out: {}", name, reason);
  return missing;
}

void check_options(const Workload& workload, const SuiteOptions& options) {
  const bool known = std::ranges::any_of(workload.settings, [&](const WorkloadSetting& setting) {
    return setting.name == options.setting;
  });
  if (!options.setting.empty() && !known)
    throw Error(ExitCode::usage,
                fmt::format("--setting: {} has no setting '{}'; `lapcast suite` lists them",
                            workload.name, printable(options.setting, 60)));
  if (!workload.trains() && (options.batch > 0 || options.epochs > 0 || options.samples > 0 ||
                             !options.dtype.empty() || !options.data.empty()))
    throw Error(ExitCode::usage,
                fmt::format("--batch, --epochs, --samples, --dtype and --data are for trainings; "
                            "{} is none",
                            workload.name));
  std::error_code error;
  if (!options.data.empty() && !fs::is_directory(options.data, error))
    throw Error(ExitCode::bad_input, fmt::format("--data: {} is not a folder that can be read",
                                                 printable(options.data)));
}

void RepeatOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"--repeats N", &repeats,
                "least number of runs; more follow, up to three times as many, until the mean time "
                "is known to 5 % (95 % interval); 1 = once, without an interval",
                up_to(10000)},
               {"--again", &again, "begin a new set instead of going on with the one in the store"},
               {"--keep", &keep, "go on with that set even though the program's files changed",
                excludes("--again")}});
  start.add_end_to(app);
  start.add_no_wait_to(app);
}

RepeatRequest RepeatOptions::request() const {
  return {.rule = rule(),
          .again = again,
          .keep = keep,
          .start = [this](RunContext context) { return start.request(std::move(context)); },
          .run_parent = start.run_parent};
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

std::string number_text(std::int64_t number) {
  return number > 0 ? std::to_string(number) : "";
}

RunContext suite_context(std::vector<std::string> program, const SuiteSettings& settings,
                         const std::vector<std::string>& more, const SuiteOptions& options) {
  RunContext context = common_context({}, {});
  for (const auto& [name, value] : settings) {
    if (value.empty()) continue;
    context.settings[name] = value;
    program.insert(program.end(), {"--" + name, "{" + name + "}"});
  }
  program.insert(program.end(), more.begin(), more.end());
  context.program = std::move(program);
  context.kind = RunKind::full;
  use_this_machine(context, options.machine, options.own_prices);
  return context;
}

RunContext training_context(const Workload& workload, const fs::path& data,
                            const SuiteOptions& options, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"--seed", "{seed}"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return suite_context({workload_program(workload.name), "--data", data.string()},
                       {{"batch", number_text(options.batch)},
                        {"device", options.device},
                        {"dtype", options.dtype},
                        {"epochs", number_text(options.epochs)},
                        {"samples", number_text(options.samples)},
                        {"setting", options.setting},
                        {"threads", number_text(options.threads)}},
                       arguments, options);
}

void SuiteFleetOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"--fleet FLEET.toml", &fleet_file,
                "run it on the machine types of this file, in turn, and test every pair"}},
              "On several machines");
  repeat.add_rest_to(app, "On several machines");
}

FleetRepeatRequest fleet_request(const Workload& workload, RunContext context,
                                 const SuiteOptions& options, const SuiteFleetOptions& fleet) {
  if (options.machine.any_given())
    throw Error(ExitCode::usage,
                "--machine, --price, --offer, --cpus and --cpu-quota do not go with --fleet: its "
                "file says what each machine is");
  FleetRepeatRequest request{.sweep = {.fleet_file = fs::absolute(fleet.fleet_file).string()},
                             .rule = options.repeat.rule()};
  fleet.repeat.fill_in(request);
  const fs::path folder = workload_folder(workload.name);
  context.working_dir = folder.string();
  context.program.front() = "./" + workload.name;
  SweepRequest& sweep = request.sweep;
  for (const auto& [name, value] : std::exchange(context.settings, {}))
    sweep.values[name] = {value};
  sweep.own_prices = options.own_prices;
  sweep.again = options.repeat.again;
  sweep.keep = options.repeat.keep;
  sweep.probe = options.repeat.start.request(std::move(context));
  sweep.probe.hook = false;  // the suite's programs report by themselves
  fs::current_path(folder);
  return request;
}

FleetRepeatPlan plan_on_fleet(const Workload& workload, const fs::path& data,
                              const SuiteOptions& options, const SuiteFleetOptions& fleet,
                              const std::vector<std::string>& more) {
  FleetRepeatRequest request =
      fleet_request(workload, training_context(workload, data, options, more), options, fleet);
  request.sweep.data = {{.path = data.string(), .bytes = 0, .source = DataSource::send}};
  if (options.device == kBothDevices) request.sweep.values["device"] = {"cpu", "cuda"};
  return plan_repeats(std::move(request));
}

}  // namespace lapcast
