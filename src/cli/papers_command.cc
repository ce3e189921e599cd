#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "papers/study.h"
#include "report/papers_report.h"

namespace lapcast {
namespace {

constexpr const char* kPapersFooter = R"(
Examples:
  lapcast papers                        how many figures follow, the slips, what the columns pick
  lapcast papers malta --table 5.12     every figure of a table: printed, recomputed, verdict
  lapcast papers kunas
  lapcast papers lawrence --table systems   minutes of 20 epochs on its six systems
  lapcast papers --json

The printed tables of five studies (lapcast help papers.md), each figure computed again from the
paper's own raw figures by lapcast's forecasts, bills and rankings. A figure agrees when it follows
within the digits printed; a slip does not, and its reason stands beside it. Exit code 1: a figure
is off, and no listed slip explains it.)";

struct PapersArguments {
  std::string paper;
  std::string table;
};

ExitCode papers(const Globals& globals, const PapersArguments& options) {
  std::vector<PaperStudy> studies;
  if (!options.paper.empty())
    studies.push_back(study_named(options.paper));
  else
    for (const std::string& name : paper_names()) studies.push_back(study_named(name));
  print(globals, papers_tables(studies, {.whole = !options.paper.empty(), .table = options.table}));
  return std::ranges::any_of(studies, is_off) ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_papers(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "papers", "compute the printed tables of the papers again", kPapersFooter, papers);
  add_options(command, {{"PAPER", &options.paper, "one of them, with every figure [all]",
                         one_of("carneiro|kunas|malta|review|lawrence")},
                        {"--table N",
                         &options.table,
                         "only this table of it, such as 5.12 or A.1",
                         {.needs = "PAPER"}}});
}

}  // namespace lapcast
