#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "core/units.h"
#include "report/memory_report.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/suite_options.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteMemoryFooter = R"(
Examples:
  lapcast suite memory embryo-cnn
  lapcast suite memory mnist-cnn --batch 64,128,256 --at 1024,4096
  lapcast suite memory cifar10-resnet50 --memory 8GB --json

Runs three laps with each of two batch sizes or more, and draws a line through the peaks of memory: of
the process or, with --device cuda, of the device. The largest batch is the one whose 95 % interval
still fits. The runs are stored; after Ctrl-C the same command goes on.)";

constexpr const char* kSteps = "3";  // later laps do not use more (docs/benchmarks.md)

struct SuiteMemoryArguments {
  std::string name;
  std::vector<std::int64_t> batches;
  std::vector<std::int64_t> at;
  std::int64_t memory = 0;  // 0 = not given
  SuiteOptions suite;

  SuiteMemoryArguments() { suite.repeat.repeats = 1; }
};

/// Returns the batch sizes to measure, ascending: by default a quarter, a half and all of the
/// paper's.
std::vector<std::int64_t> batches_of(const Workload& workload,
                                     const SuiteMemoryArguments& options) {
  std::vector<std::int64_t> batches = options.batches;
  if (batches.empty()) batches = {workload.batch / 4, workload.batch / 2, workload.batch};
  std::ranges::sort(batches);
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  if (batches.size() < 2)
    throw Error(ExitCode::usage, "--batch: a line needs two batch sizes, such as 32,64");
  return batches;
}

/// Measures one batch, unless its run is in the store. Sets `interrupted`.
MemoryUse measure(const Workload& workload, SuiteOptions suite, std::int64_t batch,
                  const std::filesystem::path& data, SuiteSession& session, bool& interrupted) {
  suite.batch = batch;
  const bool on_device = suite.device == "cuda";
  RunContext context = training_context(workload, data, suite, {"--steps", kSteps});
  context.kind = RunKind::probe;
  const RunSet set =
      session.runs().complete(std::move(context), fmt::format("{} batch={}", workload.name, batch),
                              [&](const Run& run) -> Result<double> {
                                const auto use = memory_use_of(run, batch, on_device);
                                if (!use) return tl::unexpected(use.error());
                                return static_cast<double>(*use->peak_rss_bytes);
                              });
  interrupted = set.interrupted;
  if (set.runs.empty()) return {.batch = batch, .reason = set.reason};
  return *memory_use_of(set.runs.front(), batch, on_device);
}

ExitCode memory(const Globals& globals, const SuiteMemoryArguments& options) {
  const Workload& workload = workload_named(options.name);
  if (!workload.trains())
    throw Error(ExitCode::usage, fmt::format("{} trains no network", workload.name));
  check_options(workload, options.suite);
  missing_of({&workload}, options.suite);
  const std::vector<std::int64_t> batches = batches_of(workload, options);
  SuiteSession session(globals, options.suite.repeat);
  const std::filesystem::path data = session.data_of(workload, options.suite);
  const bool on_device = options.suite.device == "cuda";
  MemoryByBatch measured{workload.name};
  bool interrupted = false;
  for (const std::int64_t batch : batches)
    if (!interrupted)
      measured.uses.push_back(measure(workload, options.suite, batch, data, session, interrupted));
  std::vector<UsableMemory> memories = usable_memories(this_machine());
  if (options.memory > 0) memories = {{"--memory", options.memory, "as given", on_device}};
  print(globals, memory_tables(measured, on_device, options.at, memories));
  if (interrupted) return tell_interrupted(options.suite.repeat.again);
  const bool failed =
      std::ranges::any_of(measured.uses, [](const MemoryUse& use) { return !use.reason.empty(); });
  return failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_suite_memory(CLI::App& suite, CommandLine& line) {
  const auto [command, options] =
      line.add(suite, "memory",
               "measure the memory of a workload's training, and find the largest batch that fits",
               kSuiteMemoryFooter, memory);
  add_options(
      command,
      {{"NAME", &options.name, "a workload; `lapcast suite` lists them", kRequired},
       {"--batch N,N",
        &options.batches,
        "batch sizes to measure, two or more [a quarter, a half and all of the paper's]",
        {.most = 1'000'000, .comma_separated = true}},
       {"--at N,N",
        &options.at,
        "batch sizes to forecast from them",
        {.most = kMostBatch, .comma_separated = true}},
       {"--memory SIZE", parsed(options.memory, above_zero(parse_bytes, "8GB")),
        "memory that the batch has to fit into, such as 8GB [this machine's, or its GPUs']"},
       {"--threads N", &options.suite.threads, "threads of the program [all CPUs; nn-twins 1]",
        up_to(4096)},
       {"--setting NAME", &options.suite.setting, "whose settings, where a workload has several"},
       {"--device cpu|cuda", &options.suite.device, "cpu or cuda [cpu]", one_of("cpu|cuda")},
       {"--data DIR", &options.suite.data,
        "folder with real data [a synthetic set, made once and kept]"},
       {"--samples N", &options.suite.samples, "training samples [the paper's]",
        up_to(100'000'000)},
       {"--again", &options.suite.repeat.again, "measure anew what is in the store"}});
}

}  // namespace lapcast
