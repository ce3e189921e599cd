#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "core/units.h"
#include "query/input_files.h"
#include "suite/papers/measured_transfers.h"
#include "suite/papers/papers_report.h"
#include "suite/papers/study.h"

namespace lapcast {
namespace {

constexpr const char* kPapersFooter = R"(
Examples:
  lapcast papers                        how many figures follow, the slips, what the columns pick
  lapcast papers malta --table 5.12     every figure of a table: printed, recomputed, verdict
  lapcast papers kunas
  lapcast papers lawrence --table systems   minutes of 20 epochs on its six systems
  lapcast papers kunas --measured here.json there.json
                                        own transfers (transfer run --json) beside chapter 5
  lapcast papers --json

The printed tables of five studies (lapcast help papers.md), each figure computed again from the
paper's own raw figures by lapcast's forecasts, bills and rankings. A figure agrees when it follows
within the digits printed; a slip does not, and its reason stands beside it. Exit code 1: a figure
is off, and no listed slip explains it.)";

struct PapersArguments {
  std::string paper;
  std::string table;
  std::vector<std::string> measured;
};

std::vector<MeasuredTransfer> read_transfers(const std::vector<std::string>& files) {
  std::vector<MeasuredTransfer> transfers;
  for (const std::string& file : files) {
    auto transfer = parse_measured_transfer(read_file(file, "file of a transfer", kMostWritten));
    if (!transfer)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: not what lapcast transfer run or link --json prints: {}",
                              printable(file), transfer.error().text));
    transfer->name = file;
    transfers.push_back(std::move(*transfer));
  }
  return transfers;
}

ExitCode papers(const Globals& globals, const PapersArguments& options) {
  if (!options.measured.empty() && options.paper != "kunas")
    throw Error(ExitCode::usage, "--measured goes with kunas, whose chapter 5 is of transfers");
  std::vector<PaperStudy> studies;
  if (!options.paper.empty())
    studies.push_back(study_named(options.paper));
  else
    for (const std::string& name : paper_names()) studies.push_back(study_named(name));
  const bool off = std::ranges::any_of(studies, is_off);
  auto measured = kunas_transfers(read_transfers(options.measured));
  if (!measured) throw Error(ExitCode::bad_input, "--measured: " + measured.error().text);
  print(globals, papers_tables(studies, {.whole = !options.paper.empty(),
                                         .table = options.table,
                                         .measured = *std::move(measured)}));
  return off ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

static void add_papers(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "papers", "compute the printed tables of the papers again", kPapersFooter, papers);
  add_options(command,
              {{"PAPER", &options.paper, "one of them, with every figure [all]",
                one_of("carneiro|kunas|malta|review|lawrence")},
               {"--table N",
                &options.table,
                "only this table of it, such as 5.12 or A.1",
                {.needs = "PAPER"}},
               {"--measured FILE",
                &options.measured,
                "what transfer run or link --json printed, beside the paper's; several files",
                {.needs = "PAPER"}}});
}

extern const NamedCommand kPapersCommand{"papers", add_papers};

}  // namespace lapcast
