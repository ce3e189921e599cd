#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "core/units.h"
#include "suite/driver/suite_build.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/workload.h"
#include "suite/driver/workload_data.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteBuildFooter = R"(
Examples:
  lapcast suite build mnist-mlp nn-twins     two programs, with the makers of their data
  lapcast suite build                        all
  lapcast suite build nqueens                needs no PyTorch
  lapcast suite build mnist-cnn --source ~/lapcast --jobs 1

Builds with CMake and Ninja from a clone of lapcast or its unpacked source archive, which is this
folder, one above it, or --source. PyTorch 2.7 or newer is that of python3, or of $LAPCAST_TORCH (its
share/cmake). The programs lie in $LAPCAST_SUITE_DIR, else in lapcast/suite of the cache folder (0.6
GB), where `lapcast suite run` finds them. After Ctrl-C the same command goes on.)";

struct SuiteBuildArguments {
  std::vector<std::string> names;
  std::string source;
  std::size_t jobs = 0;
};

/// Holds one workload with what became of it.
struct BuiltWorkload {
  const Workload* workload;
  std::string file = {};    // of its program; empty = not built
  std::string reason = {};  // why it, its maker or a tool is not built
};

std::vector<BuiltWorkload> chosen(const std::vector<std::string>& names) {
  std::vector<BuiltWorkload> workloads;
  for (const std::string& name : names)
    if (const Workload& one = workload_named(name);
        std::ranges::find(workloads, &one, &BuiltWorkload::workload) == workloads.end())
      workloads.push_back({&one});
  if (names.empty())
    for (const Workload& workload : suite()) workloads.push_back({&workload});
  return workloads;
}

/// Returns the PyTorch for the workloads; empty if they need none and there is none.
std::filesystem::path torch_for(const std::vector<BuiltWorkload>& workloads,
                                const std::filesystem::path& sources) {
  const auto torch = find_torch(sources);
  if (torch) return *torch;
  if (std::ranges::all_of(workloads, [](auto& one) { return one.workload->counts_queens(); }))
    return {};
  throw Error(ExitCode::system_failed, torch.error().text);
}

/// Returns the programs that can be built, and writes into the workloads why others cannot.
std::vector<std::string> buildable(const SuiteBuild& build, std::vector<BuiltWorkload>& workloads) {
  std::set<std::string> programs;
  for (BuiltWorkload& one : workloads)
    for (const std::string& program : one.workload->programs()) {
      const std::string why = build.why_not(program);
      if (why.empty())
        programs.insert(program);
      else if (one.reason.empty())
        one.reason = why;
    }
  return {programs.begin(), programs.end()};
}

void announce(const std::vector<BuiltWorkload>& workloads, const BuildSteps& steps,
              std::size_t jobs, const std::filesystem::path& tree) {
  if (steps.count == 0) return say("all of it is built already, in {}", printable(tree.string()));
  std::vector<std::string> names;
  for (const BuiltWorkload& one : workloads) names.push_back(one.workload->name);
  say("building {} with {} in {}: {} steps, about {} where nothing else runs (measured on an "
      "AMD EPYC; a busy machine takes longer)",
      short_list(names), counted(jobs, "CPU"), printable(tree.string()), steps.count,
      format_duration(steps.time_with(jobs)));
}

Table built_table(const std::vector<BuiltWorkload>& workloads) {
  const auto built = [](auto& one) { return one.reason.empty(); };
  return table_of<BuiltWorkload>(
      "built", "Built",
      {{"workload", "workload", [](auto& one) { return one.workload->name; }},
       {"built", "built", built},
       {"program", "program", [](auto& one) { return text_cell(one.file); }, kOptional},
       {"reason", "why not", [](auto& one) { return text_cell(one.reason); }, kOptional}},
      workloads);
}

/// Builds the workloads, and writes into each where its program is, or why it is not built.
void build_all(SuiteBuild& build, std::vector<BuiltWorkload>& workloads, std::size_t jobs,
               const std::filesystem::path& tree, bool quiet) {
  const std::vector<std::string> programs = buildable(build, workloads);
  if (programs.empty()) return;
  if (!quiet) announce(workloads, build.steps_for(programs), jobs, tree);
  ProgressLine line(quiet);
  const auto failed =
      build.build(programs, jobs, [&](const std::string& text) { line.show(text); });
  line.clear();
  for (BuiltWorkload& one : workloads) {
    for (const std::string& program : one.workload->programs())
      if (const auto found = failed.find(program); found != failed.end() && one.reason.empty())
        one.reason = found->second;
    if (one.reason.empty()) one.file = (tree / one.workload->name).string();
  }
}

ExitCode build_suite(const Globals& globals, const SuiteBuildArguments& options) {
  std::vector<BuiltWorkload> workloads = chosen(options.names);
  const std::filesystem::path sources = suite_sources(options.source);
  check_build_tools();
  const std::filesystem::path torch = torch_for(workloads, sources);
  const std::filesystem::path tree = suite_build_folder();
  std::filesystem::create_directories(tree);
  Interrupt interrupt;
  FileLock lock(tree / "build.lock");
  if (!wait_for_lock(
          lock, interrupt, [](const std::string& text) { say("{}", text); },
          "programs of the suite"))
    return ExitCode::interrupted;
  SuiteBuild build(sources, tree, torch, interrupt);
  build_all(build, workloads, options.jobs > 0 ? options.jobs : build_jobs(), tree, globals.quiet);
  Table table = built_table(workloads);
  std::vector<std::string> built;
  for (const BuiltWorkload& one : workloads) {
    if (!one.reason.empty()) continue;
    built.push_back(one.workload->name);
    if (const auto found = find_workload_program(one.workload->name); found && *found != one.file)
      table.notes.push_back(fmt::format(
          "`lapcast suite run` takes {}, which it finds before; LAPCAST_SUITE_DIR={} names these",
          printable(found->string()), printable(tree.string())));
  }
  if (!built.empty() && globals.format == "table")
    table.notes.push_back(fmt::format("next: lapcast suite run {}", fmt::join(built, " ")));
  print(globals, {std::move(table)});
  if (built.empty()) return ExitCode::program_failed;
  return built.size() < workloads.size() ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_suite_build(CLI::App& suite, CommandLine& line) {
  const auto [command, options] =
      line.add(suite, "build", "build workloads' programs from the sources of lapcast",
               kSuiteBuildFooter, build_suite);
  add_options(command,
              {{"NAME", &options.names, "workloads; `lapcast suite` lists them [all]"},
               {"--source DIR", &options.source,
                "clone or unpacked source archive of lapcast [this folder, or one above it]"},
               {"--jobs N", &options.jobs,
                "compilers at once [one for each CPU and 1.6 GB of memory]", up_to(1024)}});
}

}  // namespace lapcast
