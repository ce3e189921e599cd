#include "cli/suite_options.h"
#include "cli/console.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "choose/assessment.h"
#include "cli/probe_options.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "fleet/workload_program.h"
#include "machine/discover.h"

namespace lapcast {

namespace fs = std::filesystem;

void SuiteOptions::add_program_options_to(CLI::App& app) {
  const auto number = [&](const char* name, std::int64_t& value, std::int64_t most,
                          const char* help) {
    app.add_option(name, value, help)->check(CLI::Range(std::int64_t{1}, most))->type_name("N");
  };
  app.add_option("--device", device, "cpu or cuda [cpu]")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("cpu|cuda");
  number("--threads", threads, 4096, "threads of each program [all CPUs]");
  number("--batch", batch, 1'000'000, "samples of an iteration [the paper's]");
  number("--epochs", epochs, std::int64_t{1} << 40, "epochs [the paper's]");
  number("--samples", samples, 100'000'000, "training samples [the paper's]");
  app.add_option("--setting", setting, "whose settings, where a workload has several")
      ->type_name("NAME");
  app.add_option("--dtype", dtype, "fp32, or bf16 where the device has it [fp32]")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->type_name("fp32|bf16");
  app.add_option("--data", data, "folder with real data [a synthetic set, made once and kept]")
      ->type_name("DIR");
}

const MachineDescription& this_machine() {
  static const MachineDescription machine = describe_this_machine();
  return machine;
}

bool has_nvidia_gpu() {
  const auto& accelerators = this_machine().accelerators;
  return std::any_of(accelerators.begin(), accelerators.end(),
                     [](const Accelerator& accelerator) { return accelerator.vendor == "nvidia"; });
}

fs::path workload_program(const std::string& name) {
  const auto found = find_workload_program(name);
  if (!found)
    throw Error(ExitCode::program_failed, found.error().text + "; " + how_to_build_workloads());
  return *found;
}

void check_options(const Workload& workload, const SuiteOptions& options) {
  const bool known =
      std::any_of(workload.settings.begin(), workload.settings.end(),
                  [&](const WorkloadSetting& setting) { return setting.name == options.setting; });
  if (!options.setting.empty() && !known)
    throw Error(ExitCode::usage, fmt::format("--setting: {} has no setting '{}'; `lapcast suite` "
                                             "lists them",
                                             workload.name, printable(options.setting, 60)));
  std::error_code error;
  if (!options.data.empty() && !fs::is_directory(options.data, error))
    throw Error(ExitCode::bad_input,
                fmt::format("--data: {} is no folder that can be read", printable(options.data)));
  const bool to_be_made = options.data.empty() && workload.maker &&
                          !is_cached(data_request(*workload.maker, options.samples));
  if (to_be_made) workload_program(workload.maker->program);
}

fs::path workload_data(const Workload& workload, const SuiteOptions& options,
                       const Interrupt& interrupt, const DataProgress& news) {
  if (options.data.empty())
    return cached_data(data_request(*workload.maker, options.samples), interrupt,
                       [&](const std::string& text) { news(workload.name + ": " + text); });
  return fs::canonical(options.data);
}

ProgramCall::ProgramCall(const fs::path& program) : program_{program.string()} {}

ProgramCall& ProgramCall::fixed(const std::string& option, const std::string& value) {
  program_.insert(program_.end(), {option, value});
  return *this;
}

ProgramCall& ProgramCall::flag(const std::string& option) {
  program_.push_back(option);
  return *this;
}

ProgramCall& ProgramCall::setting(const std::string& name, const std::string& value) {
  if (value.empty()) return *this;
  settings_[name] = value;
  return fixed("--" + name, "{" + name + "}");
}

ProgramCall& ProgramCall::setting(const std::string& name, std::int64_t value) {
  return setting(name, value > 0 ? std::to_string(value) : "");
}

ProgramCall& ProgramCall::more(const std::vector<std::string>& arguments) {
  program_.insert(program_.end(), arguments.begin(), arguments.end());
  return *this;
}

RunContext ProgramCall::context(const MachineOptions& machine) const {
  RunContext context = common_context(program_, {}, this_machine());
  context.kind = RunKind::full;
  context.settings = settings_;
  context.machine_type = machine.machine_type();
  context.price = machine.price_per_hour();
  if (const auto reason = cannot_run_here(context.machine_type, context.machine))
    throw Error(ExitCode::usage, reason->text);
  return context;
}

ProgramCall training_call(const Workload& workload, const fs::path& data,
                          const SuiteOptions& options) {
  ProgramCall call(workload_program(workload.name));
  call.fixed("--data", data.string())
      .setting("batch", options.batch)
      .setting("device", options.device)
      .setting("dtype", options.dtype)
      .setting("epochs", options.epochs)
      .setting("samples", options.samples)
      .setting("setting", options.setting)
      .setting("threads", options.threads)
      .fixed("--seed", "{seed}");
  return call;
}

std::string settings_of_set(const RunContext& context) {
  RunContext without_seed;
  without_seed.settings = context.settings;
  without_seed.settings.erase("seed");
  return settings_text(without_seed);
}

ExitCode tell_interrupted(bool again) {
  say("interrupted; the same command{} goes on where it was", again ? " without --again" : "");
  return ExitCode::interrupted;
}

}  // namespace lapcast
