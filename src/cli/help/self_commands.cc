#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/help/command_tree.h"

namespace lapcast {

void add_completion(CLI::App& app, Globals&, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "print the completions for bash, zsh or fish");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "\nExamples:\n  source <(lapcast completion bash)\n"
      "  lapcast completion fish > ~/.config/fish/completions/lapcast.fish");
  command->callback([&app, &action, shell] {
    action = {[&app, shell] {
                const auto tree = command_tree(app);
                write_to_stdout(*shell == "bash"  ? bash_completion(tree)
                                : *shell == "zsh" ? zsh_completion(tree)
                                                  : fish_completion(tree));
                return ExitCode::ok;
              },
              false};
  });
}

void add_man(CLI::App& app, Globals&, Action& action) {
  CLI::App* command = app.add_subcommand("man", "print the manual page: lapcast man | man -l -");
  command->callback([&app, &action] {
    action = {[&app] {
                write_to_stdout(man_page(command_tree(app)));
                return ExitCode::ok;
              },
              false};
  });
}

}  // namespace lapcast
