#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_line.h"
#include "core/units.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/suite_report.h"
#include "suite/driver/workload_data.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteFooter = R"(
Examples:
  lapcast suite                              the workloads, and which programs are built
  lapcast suite build mnist-mlp nn-twins     build two of them (a minute and a half on two CPUs)
  lapcast suite run mnist-mlp nn-twins       run them, ten times or more, with means and intervals
  lapcast suite run mnist-cnn --setting malta --batch 1024 --repeats 3
  lapcast suite run nqueens --n 10..14
  lapcast suite split nqueens fleet.toml --n 19   one board, on all machines of the file
  lapcast suite data mnist-mlp --out digits  write the synthetic set in the real format
  lapcast suite prepare retina --in eyes --out shards
  lapcast suite memory embryo-cnn --samples 2000   the largest batch that fits

The experiments of the papers as programs (lapcast help suite.md). Each also runs by itself. They are
looked for in $LAPCAST_SUITE_DIR, else beside the lapcast binary, else in `workloads` beside it, else
where `lapcast suite build` puts them.)";

constexpr const char* kListFooter = R"(
Examples:
  lapcast suite list
  lapcast suite list --json                  with the file of each program)";

ExitCode list_suite(const Globals& globals) {
  std::vector<SuiteEntry> entries;
  for (const Workload& workload : suite()) {
    const auto program = find_workload_program(workload.name);
    entries.push_back({workload, program ? program->string() : ""});
  }
  print(globals, {suite_table(entries, how_to_build_workloads())});
  return ExitCode::ok;
}

constexpr const char* kSuiteDataFooter = R"(
Examples:
  lapcast suite data mnist-mlp                  into the cache, where `suite run` looks for it
  lapcast suite data mnist-mlp --out digits     the same files in a folder of your own
  lapcast suite data embryo-cnn --samples 200 --seed 7 --out small

The set is synthetic, in the real format: the real files can be put in its place. The same samples
and seed give the same files.)";

struct SuiteDataArguments {
  std::string name;
  std::string out;
  std::int64_t samples = 0;
  std::uint64_t seed = 1;
};

ExitCode make_data_set(const Globals& globals, const SuiteDataArguments& options) {
  const Workload& workload = workload_named(options.name);
  if (!workload.maker) throw Error(ExitCode::usage, fmt::format("{} needs no data", workload.name));
  DataRequest request = data_request(*workload.maker, options.samples);
  request.seed = options.seed;
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const DataProgress news = [&line](const std::string& text) { line.finished(text); };
  std::filesystem::path folder = options.out;
  if (options.out.empty())
    folder = cached_data(request, interrupt, news);
  else
    make_data(request, folder, interrupt, news);
  const auto absolute = [&](auto&) { return std::filesystem::absolute(folder).string(); };
  Table table =
      table_of<DataRequest>("data", "Data",
                            {{"workload", "workload", [&](auto&) { return workload.name; }},
                             {"format", "format", [&](auto&) { return workload.data; }},
                             {"training_samples", "training", &DataRequest::training_samples},
                             {"test_samples", "test", &DataRequest::test_samples},
                             {"seed", "seed", &DataRequest::seed},
                             {"folder", "folder", absolute}},
                            std::vector{request});
  table.shape = Shape::record;
  print(globals, {std::move(table)});
  return ExitCode::ok;
}

}  // namespace

static void add_suite(CLI::App& app, CommandLine& line) {
  CLI::App& suite =
      line.add(app, "suite", "the papers' workloads: list, build and run them, make their data",
               kSuiteFooter, list_suite);
  line.add(suite, "list", "list the workloads: what `lapcast suite` does", kListFooter, list_suite);
  add_suite_build(suite, line);
  add_suite_run(suite, line);
  add_suite_split(suite, line);
  const auto [command, options] =
      line.add(suite, "data", "write a workload's synthetic set in the real format",
               kSuiteDataFooter, make_data_set);
  add_options(
      command,
      {{"NAME", &options.name, "a workload; `lapcast suite` lists them", kRequired},
       {"--samples N", &options.samples, "training samples [the paper's]", up_to(100'000'000)},
       {"--seed N",
        &options.seed,
        "another seed, another set",
        {.most = std::int64_t{1} << 62, .least = 0}},
       {"--out DIR", &options.out, "folder to write into [the cache]"}});
  add_suite_prepare(suite, line);
  add_suite_memory(suite, line);
}

extern const NamedCommand kSuiteCommand{"suite", add_suite};

}  // namespace lapcast
