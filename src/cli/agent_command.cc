#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "app/agent.h"
#include "cli/commands.h"

namespace lapcast {

void add_agent(CLI::App& app, Globals&, Action& action) {
  struct AgentArguments {
    std::string task;
    AgentTask what;
  };
  auto options = std::make_shared<AgentArguments>();
  CLI::App* command = app.add_subcommand(
      "agent", "what lapcast does on a remote machine, asked by the lapcast that coordinates");
  command->group("");  // not in the list of commands: no user types it
  command->add_option("TASK", options->task, "what to do: docs/agent-protocol.md")
      ->required()
      ->check(CLI::IsMember(agent_task_words()));
  command->add_option("DIR", options->what.folder, "folder of the run or of the program")
      ->required();
  command->add_option("--from", options->what.from, "first byte of the record that is printed")
      ->check(CLI::NonNegativeNumber);
  command->callback([&action, options] {
    const auto& words = agent_task_words();
    options->what.kind = static_cast<AgentTask::Kind>(
        std::find(words.begin(), words.end(), options->task) - words.begin());
    action = {[options] { return run_agent(options->what); }, false};
  });
}

}  // namespace lapcast
