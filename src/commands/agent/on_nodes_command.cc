#include "cli/commands.h"
#include "remote/slurm_start.h"

namespace lapcast {
namespace {

struct OnNodesArguments {
  bool other = false;
};

ExitCode on_nodes(const Globals& globals, const OnNodesArguments& options) {
  const auto& program = program_of(globals, "on-nodes");
  return static_cast<ExitCode>(options.other ? run_on_other_node(program) : run_on_nodes(program));
}

}  // namespace

static void add_on_nodes(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "on-nodes", "run a program on all nodes of the Slurm job that lapcast is in",
               nullptr, on_nodes, Takes::program);
  add_options(command, {{"--other", &options.other, "run it as one of the nodes after the first"}});
}

extern const NamedCommand kOnNodesCommand{"on-nodes", add_on_nodes, /*is_hidden=*/true};

}  // namespace lapcast
