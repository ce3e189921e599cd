#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "cli/subjects.h"

namespace lapcast {
namespace {

constexpr std::size_t kNewest = 50;  // of the runs: a longer list would not help

/// Returns whether a shell takes the word literally: it expands completions.
bool is_plain(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                              "WXYZ0123456789._-/:@+") == word.npos;
}

std::vector<std::string> words_of(const CLI::App& app, const CommandLine& line,
                                  const std::string& list) {
  std::vector<std::string> words;
  if (list == "topics") {
    for (const CommandEntry& command : command_tree(app)) words.push_back(command.name);
    for (const Page& page : line.program.pages) words.emplace_back(page.name);
    for (const Subject& subject : subjects()) words.emplace_back(subject.name);
    return words;
  }
  if (list == "offers") {
    for (const Offer& offer : load_offers({}, line.globals.own_prices)) words.push_back(offer.name);
    return words;
  }
  const Store store = line.globals.open_existing_store();
  if (list == "jobs")
    for (const PendingRun& job : store.pending_runs()) words.push_back(job.id);
  if (list == "sweeps")
    for (const Sweep& sweep : store.sweeps()) {
      words.push_back(sweep.id);
      words.push_back(sweep.name);
    }
  if (list == "runs")
    for (const RunSummary& run : store.list({.newest = kNewest})) words.push_back(run.id);
  if (list != "sweeps") words.emplace_back("last");
  if (words.size() > kNewest && list == "runs")
    words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(kNewest));
  return words;
}

}  // namespace

static void add_complete(CLI::App& app, CommandLine& line) {
  auto list = std::make_shared<std::string>();
  CLI::App& command =
      line.add(app, "complete", "list what a shell completes", nullptr, [&app, &line, list] {
        std::string text;
        for (const std::string& word : words_of(app, line, *list))
          if (is_plain(word)) text += word + "\n";
        write_to_stdout(text);
        return ExitCode::ok;
      });
  add_options(command, {{"LIST",
                         list.get(),
                         "what is listed",
                         {.one_of = "runs|sweeps|jobs|offers|topics", .required = true}}});
}

extern const NamedCommand kCompleteCommand{"complete", add_complete, /*is_hidden=*/true};

}  // namespace lapcast
