#include "suite/suite_program.h"

#include <utility>

#include "cli/commands.h"
#include "suite/driver/suite_page_part.h"
#include "suite/papers/papers_page.h"
#include "suite/transfer/transfer_results.h"

namespace lapcast {

extern const NamedCommand kTransferCommand, kSuiteCommand, kPapersCommand, kStopwatchCommand,
    kSoakCommand;

static MadePage page_of_papers(const PageRequest& request) {
  PapersPage page =
      papers_page(request.runs, kept_transfers(request.store_folder / kTransferResults),
                  request.detail, request.origin);
  return {std::move(page.document),
          {{"figures", "figures", cell_of(page.figures)},
           {"with_own_runs", "with own runs", cell_of(page.with_own)}}};
}

ProgramPart suite_program() {
  const std::span<const Page> docs = suite_pages();
  return {
      .commands = {{"Remote", {kTransferCommand}},
                   {"More", {kSuiteCommand, kPapersCommand, kStopwatchCommand, kSoakCommand}}},
      .pages = {docs.begin(), docs.end()},
      .page_parts = {{"suite", suite_part}},
      .page_kinds = {{"--papers",
                      "every figure of the papers that can be drawn, with your runs beside them",
                      page_of_papers}}};
}

}  // namespace lapcast
