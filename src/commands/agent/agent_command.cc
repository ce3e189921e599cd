#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "cli/commands.h"
#include "commands/agent/agent.h"

namespace lapcast {
namespace {

struct AgentArguments {
  std::string task;
  AgentTask what;
};

ExitCode run_task(const Globals&, const AgentArguments& options) {
  const auto& words = agent_task_words();
  AgentTask task = options.what;
  task.kind = static_cast<AgentTask::Kind>(std::ranges::find(words, options.task) - words.begin());
  return run_agent(task);
}

}  // namespace

static void add_agent(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "agent", "what lapcast does on a remote machine, asked by the lapcast that coordinates",
      nullptr, run_task);
  add_options(command,
              {{"TASK", &options.task, "what to do: lapcast help agent-protocol", kRequired},
               {"DIR", &options.what.folder, "folder of the run or of the program", kRequired},
               {"--from", &options.what.from, "first byte of the record that is printed"}});
  command.get_option("TASK")->check(CLI::IsMember(agent_task_words()));
  command.get_option("--from")->check(CLI::NonNegativeNumber);
}

extern const NamedCommand kAgentCommand{"agent", add_agent, /*is_hidden=*/true};

}  // namespace lapcast
