#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/suite_commands.h"
#include "cli/view/progress_line.h"
#include "core/units.h"
#include "fleet/workload_data.h"

namespace lapcast {
namespace {

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

ExitCode make(const Globals& globals, const SuiteDataArguments& options) {
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
  print(globals,
        {table_of<DataRequest>("Data",
                               {{"workload", "workload", [&](auto&) { return workload.name; }},
                                {"format", "format", [&](auto&) { return workload.data; }},
                                {"training_samples", "training", &DataRequest::training_samples},
                                {"test_samples", "test", &DataRequest::test_samples},
                                {"seed", "seed", &DataRequest::seed},
                                {"folder", "folder", absolute}},
                               std::vector{request})});
  return ExitCode::ok;
}

}  // namespace

void add_suite_data(CLI::App& suite, Globals& globals, Action& action) {
  auto options = std::make_shared<SuiteDataArguments>();
  CLI::App* command =
      suite.add_subcommand("data", "write a workload's synthetic set in the real format");
  command->add_option("NAME", options->name, "a workload; `lapcast suite` lists them")->required();
  command->add_option("--samples", options->samples, "training samples [the paper's]")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->type_name("N");
  command->add_option("--seed", options->seed, "another seed, another set")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--out", options->out, "folder to write into [the cache]")->type_name("DIR");
  command->footer(kSuiteDataFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return make(globals, *options); }, false};
  });
}

}  // namespace lapcast
