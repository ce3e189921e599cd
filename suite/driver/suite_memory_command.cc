#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/displays.h"
#include "core/units.h"
#include "history/assessment.h"
#include "probe/child_process.h"
#include "suite/driver/memory_report.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/suite_options.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteMemoryFooter = R"(
Examples:
  lapcast suite memory embryo-cnn
  lapcast suite memory mnist-cnn --batch 1024 --measure
  lapcast suite memory cifar10-resnet50 --batch 256 --json

Plays a training step through, block by block: parameters, gradients, the optimiser's state, what is
kept of every sample, gradients of activations. What the framework takes for itself is measured with
two steps on 8 blank samples. Beside it stands what stored runs with this batch really used; --measure
makes such a run of 3 laps now.)";

constexpr Seconds kMostDescribing{600};  // two steps of ic-dr take two minutes on a busy machine
constexpr const char* kMemoryBefore = "memory_before_network";  // metric of the suite's programs
constexpr std::size_t kMostUses = 10;                           // only the newest runs are shown

struct SuiteMemoryArguments {
  std::string name;
  bool measure = false;
  SuiteOptions suite;
};

NetworkSize described(const Workload& workload, const SuiteOptions& suite) {
  const Interrupt interrupt;
  const auto program = workload_program(workload.name);
  std::vector<std::string> arguments{program.string(), "--describe", "--describe-steps"};
  if (!suite.setting.empty()) arguments.insert(arguments.end(), {"--setting", suite.setting});
  if (suite.threads > 0)
    arguments.insert(arguments.end(), {"--threads", std::to_string(suite.threads)});
  const auto output = output_of_helper(arguments, interrupt, kMostDescribing);
  if (interrupt.count() > 0) throw Error(ExitCode::interrupted, "interrupted");
  if (!output) throw Error(ExitCode::program_failed, output.error().text);
  const auto size = parse_network_size(*output);
  if (!size)
    throw Error(ExitCode::program_failed,
                fmt::format("what {} --describe prints cannot be used: {}", workload.name,
                            size.error().text));
  return *size;
}

bool is_of(const RunContext& context, const std::string& name) {
  return !context.program.empty() &&
         std::filesystem::path(context.program.front()).filename() == name;
}

std::vector<MemoryUse> uses(const Globals& globals, const std::string& name, std::int64_t batch) {
  std::vector<MemoryUse> result;
  if (!std::filesystem::exists(globals.store_path())) return result;
  const Store store = globals.open_existing_store();
  std::vector<RunSummary> runs = store.list();
  std::reverse(runs.begin(), runs.end());
  for (const RunSummary& summary : runs) {
    if (result.size() >= kMostUses) break;
    if (!summary.has_laps || summary.program.find(name) == std::string::npos) continue;
    const Run run = store.get(summary.id);
    if (!is_of(run.context, name) || batch_size_of(run) != batch) continue;
    if (run.usage.peak_rss_bytes <= 0) continue;
    MemoryUse use{run.context.id, batch, run.usage.peak_rss_bytes};
    const LapLog laps = laps_of(run);
    if (laps.device_memory_bytes > 0) use.device_bytes = laps.device_memory_bytes;
    const auto before = std::ranges::find(laps.metrics, kMemoryBefore, &MetricPoint::name);
    if (before != laps.metrics.end() && before->value >= 0 && before->value < 1e18)
      use.before_bytes = static_cast<std::int64_t>(before->value);
    result.push_back(std::move(use));
  }
  return result;
}

/// Runs three laps of the batch and stores them as a probe.
void measure(const Globals& globals, const Workload& workload, const SuiteMemoryArguments& options,
             std::int64_t batch) {
  SuiteSession session(globals, options.suite.repeat);
  SuiteOptions suite = options.suite;
  suite.batch = batch;
  RunContext context =
      training_context(workload, session.data_of(workload, suite), suite, {"--steps", "3"});
  context.kind = RunKind::probe;
  context.settings["seed"] = "1";
  const Run run = session.runs().once(std::move(context), workload.name);
  if (std::holds_alternative<outcome::Interrupted>(run.outcome))
    throw Error(ExitCode::interrupted, "interrupted");
  tell_trouble(run);
  if (!has_laps(run.outcome))
    throw Error(ExitCode::program_failed,
                fmt::format("{} {}", workload.name, printable(describe(run.outcome), 1000)));
}

ExitCode memory(const Globals& globals, const SuiteMemoryArguments& options) {
  const Workload& workload = workload_named(options.name);
  if (!workload.trains())
    throw Error(ExitCode::usage, fmt::format("{} trains no network", workload.name));
  check_options(workload, options.suite);
  const NetworkSize size = described(workload, options.suite);
  const std::int64_t batch = options.suite.batch > 0 ? options.suite.batch : size.batch;
  if (options.measure) measure(globals, workload, options, batch);
  std::vector<PaperMemoryLimit> limits;
  if (workload.name == "embryo-cnn") limits.push_back(lawrence_memory_limit());
  print(globals, memory_tables(size, estimate_memory(size, batch), usable_memories(this_machine()),
                               uses(globals, workload.name, batch), limits));
  return ExitCode::ok;
}

}  // namespace

void add_suite_memory(CLI::App& suite, CommandLine& line) {
  const auto [command, options] =
      line.add(suite, "memory",
               "estimate the memory of a workload's training, and the largest batch that fits",
               kSuiteMemoryFooter, memory);
  add_options(
      command,
      {{"NAME", &options.name, "a workload; `lapcast suite` lists them", kRequired},
       {"--batch N", &options.suite.batch, "samples of an iteration [the program's]",
        up_to(1'000'000)},
       {"--measure", &options.measure, "run 3 laps now, and show what they used"},
       {"--threads N", &options.suite.threads, "threads of the program [all CPUs; nn-twins 1]",
        up_to(4096)},
       {"--setting NAME", &options.suite.setting, "whose settings, where a workload has several"},
       {"--device cpu|cuda", &options.suite.device, "for --measure: cpu or cuda [cpu]",
        one_of("cpu|cuda")},
       {"--data DIR", &options.suite.data,
        "for --measure: folder with real data [a synthetic set, made once and kept]"},
       {"--samples N", &options.suite.samples, "for --measure: training samples",
        up_to(100'000'000)}});
}

}  // namespace lapcast
