#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/commands.h"
#include "commands/agent/agent.h"

namespace lapcast {
namespace {

AgentTask::Kind kind_named(const std::string& word) {
  const auto& words = agent_task_words();
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    throw Error(ExitCode::usage, fmt::format("must be one of {}", fmt::join(words, ", ")));
  return static_cast<AgentTask::Kind>(found - words.begin());
}

ExitCode run_task(const Globals&, const AgentTask& task) {
  return run_agent(task);
}

}  // namespace

static void add_agent(CLI::App& app, CommandLine& line) {
  const auto [command, task] = line.add(
      app, "agent", "what lapcast does on a remote machine, asked by the lapcast that coordinates",
      nullptr, run_task);
  add_options(command, {{"TASK", parsed(task.kind, kind_named),
                         "what to do: lapcast help agent-protocol", kRequired},
                        {"DIR", &task.folder, "folder of the run or of the program", kRequired},
                        {"--from N",
                         &task.from,
                         "first byte of the record that is printed",
                         {.most = kCount.most, .least = 0}}});
}

extern const NamedCommand kAgentCommand{"agent", add_agent, /*is_hidden=*/true};

}  // namespace lapcast
