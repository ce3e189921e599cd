#include <malloc.h>

#include <span>
#include <vector>

#include "cli/pages.h"
#include "cli/program_part.h"
#ifdef LAPCAST_SUITE
#include "suite/suite_program.h"
#endif

namespace lapcast {

// The commands of the core; each is defined in its own folder.
extern const NamedCommand kProbeCommand, kSweepCommand, kWatchCommand, kRepeatCommand, kRankCommand,
    kShortlistCommand, kFindCommand, kVerifyCommand, kCompareCommand, kForecastCommand,
    kEpochsCommand, kSpotCommand, kOffloadCommand, kJobsCommand, kAttachCommand, kFetchCommand,
    kCancelCommand, kAgentCommand, kOnNodesCommand, kMachineCommand, kFleetCommand, kCatalogCommand,
    kRentCommand, kLeasesCommand, kKeeperCommand, kRunsCommand, kSweepsCommand, kShowCommand,
    kReportCommand, kServeCommand, kImportCommand, kExportCommand, kLapCommand, kDemoCommand,
    kDemoTrainingCommand, kHelpCommand, kCompleteCommand, kCompletionCommand, kManCommand;

static ProgramPart core_program() {
  const std::span<const Page> docs = pages();
  return {.commands = {{"Measure", {kProbeCommand, kSweepCommand, kWatchCommand, kRepeatCommand}},
                       {"Decide",
                        {kRankCommand, kShortlistCommand, kFindCommand, kVerifyCommand,
                         kCompareCommand, kForecastCommand, kEpochsCommand, kSpotCommand}},
                       {"Remote",
                        {kOffloadCommand, kJobsCommand, kAttachCommand, kFetchCommand,
                         kCancelCommand, kAgentCommand, kOnNodesCommand}},
                       {"Machines",
                        {kMachineCommand, kFleetCommand, kCatalogCommand, kRentCommand,
                         kLeasesCommand, kKeeperCommand}},
                       {"Data",
                        {kRunsCommand, kSweepsCommand, kShowCommand, kReportCommand, kServeCommand,
                         kImportCommand, kExportCommand}},
                       {"More",
                        {kLapCommand, kDemoCommand, kDemoTrainingCommand, kHelpCommand,
                         kCompleteCommand, kCompletionCommand, kManCommand}}},
          .pages = {docs.begin(), docs.end()}};
}

}  // namespace lapcast

int main(int argc, char** argv) {
  // The texts and laps of a long run go back to the system when they are freed; by default malloc
  // keeps blocks of up to 32 MiB for later.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  std::vector<lapcast::ProgramPart> parts{lapcast::core_program()};
#ifdef LAPCAST_SUITE
  parts.push_back(lapcast::suite_program());
#endif
  return lapcast::run_lapcast(argc, argv, parts);
}
