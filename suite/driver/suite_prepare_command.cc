#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "core/units.h"
#include "posix/spawn.h"
#include "query/input_files.h"
#include "suite/driver/prepare_report.h"
#include "suite/driver/suite_commands.h"
#include "suite/driver/workload_data.h"

namespace lapcast {
namespace {

constexpr const char* kSuitePrepareFooter = R"(
Examples:
  lapcast suite prepare retina --in eyes --out shards --shard 500
  lapcast suite prepare retina --in eyes --out small --size 299 --format jpeg --workers 4

Finds the eye's circle in each photograph (JPEG, PNG), crops it, resizes it and writes TFRecord
shards, which are whole or absent; the same command goes on after an interruption. Images that cannot
be used are listed with their reason. ic-dr trains on the shards; it needs two or more, and labels.)";

struct SuitePrepareArguments {
  std::string what;
  std::string in;
  std::string out;
  std::string labels;
  std::int64_t workers = 0;
  std::int64_t size = 256;
  std::int64_t shard = 2000;
  std::string format = "tfrecord";
};

std::vector<std::string> program_arguments(const std::string& program,
                                           const SuitePrepareArguments& options) {
  std::vector<std::string> arguments{program,
                                     "--in",
                                     options.in,
                                     "--out",
                                     options.out,
                                     "--size",
                                     std::to_string(options.size),
                                     "--shard",
                                     std::to_string(options.shard),
                                     "--format",
                                     options.format};
  if (!options.labels.empty()) arguments.insert(arguments.end(), {"--labels", options.labels});
  if (options.workers > 0)
    arguments.insert(arguments.end(), {"--workers", std::to_string(options.workers)});
  return arguments;
}

/// Runs the program, which shows its own progress on stderr.
void run_preparation(std::vector<std::string> arguments, bool quiet) {
  SpawnSpec spec{.arguments = std::move(arguments)};
  spec.streams = {kNullStream, kNullStream, kInheritedStream};
  if (quiet) spec.arguments.push_back("--quiet");
  spec.signal_at_parent_death = SIGTERM;
  const auto child = spawn(spec);
  if (!child) throw Error(ExitCode::system_failed, child.error().text);
  const int status = wait_for(*child);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
    throw Error(ExitCode::interrupted, "interrupted; the same command goes on");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(ExitCode::program_failed,
                "retina-prepare failed; what it prepared is kept, and the same command goes on");
}

ExitCode prepare_images(const Globals& globals, const SuitePrepareArguments& options) {
  if (options.what != "retina")
    throw Error(ExitCode::usage,
                fmt::format("'{}' cannot be prepared; retina can", printable(options.what)));
  const auto program = find_workload_program("retina-prepare");
  if (!program)
    throw Error(ExitCode::program_failed,
                program.error().text + "; " + how_to_build_workloads("ic-dr"));
  run_preparation(program_arguments(program->string(), options), globals.quiet);
  const std::filesystem::path file = std::filesystem::path(options.out) / "report.json";
  const auto set = parse_prepared_set(read_file(file.string(), "the report", kMostWritten));
  if (!set)
    throw Error(ExitCode::program_failed,
                fmt::format("{} cannot be used: {}", printable(file.string()), set.error().text));
  print(globals, prepare_tables(*set, options.out));
  return set->prepared == 0 ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_suite_prepare(CLI::App& suite, CommandLine& line) {
  const auto [command, options] = line.add(
      suite, "prepare", "prepare photographs of the retina: TFRecord shards or small JPEGs",
      kSuitePrepareFooter, prepare_images);
  add_options(command,
              {{"WHAT", &options.what, "what is prepared: retina", kRequired},
               {"--in DIR", &options.in, "folder of JPEG and PNG files", kRequired},
               {"--out DIR", &options.out, "folder to write into", kRequired},
               {"--labels FILE", &options.labels,
                "CSV of name and level [trainLabels.csv or train.csv of the folder]"},
               {"--workers N", &options.workers, "threads [one for each CPU]", up_to(1024)},
               {"--size N",
                &options.size,
                "side of the prepared pictures in pixels [256]",
                {.most = 4096, .least = 16}},
               {"--shard N", &options.shard, "images of a shard [2000]", up_to(1'000'000)},
               {"--format NAME", &options.format, "tfrecord or jpeg [tfrecord]"}});
}

}  // namespace lapcast
