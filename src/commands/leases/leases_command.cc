#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "commands/leases/end_leases.h"
#include "commands/leases/leases_table.h"
#include "core/units.h"
#include "lease/keeper.h"
#include "lease/lease_clock.h"
#include "lease/lease_cost.h"
#include "lease/ledger.h"
#include "probe/interrupt.h"

namespace lapcast {
namespace {

constexpr const char* kLeasesFooter = R"(
Examples:
  lapcast leases                        what is rented now, and what it costs
  lapcast leases --all                  those that were given back, too
  lapcast leases --end                  give back all that no living lapcast holds
  lapcast leases --end 5cb6             one of them, whoever holds it
  lapcast leases --strays               ask every provider for machines that this computer forgot

The first digits of a lease's id are enough. Exit code 1: something costs money, and nobody holds it.)";

struct LeasesArguments {
  bool all = false;
  bool end = false;
  bool strays = false;
  std::string forget;
  std::vector<std::string> ids;
};

/// Returns the only lease whose id begins so. Throws Error (usage) if there is not exactly one.
Lease lease_named(const Ledger& ledger, const std::string& beginning) {
  std::vector<Lease> found = ledger.find_all(beginning);
  if (found.size() == 1) return std::move(found.front());
  throw Error(ExitCode::usage,
              found.empty() ? fmt::format("there is no lease '{}'; lapcast leases --all lists them",
                                          printable(beginning, 40))
                            : fmt::format("{} leases begin with '{}'; give more digits",
                                          found.size(), printable(beginning, 40)));
}

std::vector<LeaseRow> rows_of(const Ledger& ledger, std::vector<Lease> leases) {
  std::vector<LeaseRow> rows;
  for (Lease& lease : leases) {
    const bool is_held = is_open(lease) && ledger.is_held(lease.id);
    rows.push_back({.lease = std::move(lease), .is_held = is_held, .now = lease_now_ns()});
  }
  return rows;
}

ExitCode list_leases(const Globals& globals, const Ledger& ledger, const LeasesArguments& options) {
  std::vector<Lease> leases;
  if (options.ids.empty()) {
    leases = options.all ? ledger.all_leases() : ledger.open_leases();
  } else {
    for (const std::string& id : options.ids) leases.push_back(lease_named(ledger, id));
  }
  Table table = leases_table(rows_of(ledger, std::move(leases)));
  const std::vector<Lease> unheld = unheld_leases(ledger);
  if (!unheld.empty()) {
    start_keeper();
    table.warnings.push_back(
        "no living lapcast holds some of them; the keeper gives them back, or: lapcast leases "
        "--end");
  }
  print(globals, {std::move(table)});
  return unheld.empty() ? ExitCode::ok : ExitCode::some_failed;
}

/// Returns the ids of the leases to end: those that were named, else all that nobody holds.
std::vector<std::string> ids_to_end(const Ledger& ledger, const LeasesArguments& options) {
  std::vector<std::string> ids;
  for (const std::string& beginning : options.ids) ids.push_back(lease_named(ledger, beginning).id);
  if (!options.ids.empty()) return ids;
  for (const Lease& lease : ledger.open_leases())
    if (!ledger.is_held(lease.id) || lease.state == LeaseState::ending) ids.push_back(lease.id);
  return ids;
}

ExitCode end_and_tell(const Globals& globals, Ledger& ledger, const std::vector<std::string>& ids) {
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  start_keeper();  // goes on if this is interrupted
  line.show(fmt::format("giving {} back", ids.size() == 1 ? "a machine" : "machines"));
  const bool all_gone =
      end_leases(ledger, ids, interrupt, [&](const std::string& text) { line.finished(text); });
  line.clear();
  std::vector<Lease> ended;
  for (const std::string& id : ids)
    if (auto lease = ledger.find(id)) ended.push_back(std::move(*lease));
  print(globals, {leases_table(rows_of(ledger, std::move(ended)))});
  return all_gone ? ExitCode::ok : ExitCode::interrupted;
}

ExitCode show_strays(const Globals& globals, Ledger& ledger, const LeasesArguments& options) {
  std::vector<std::string> problems;
  std::vector<Stray> strays = find_strays(ledger, problems);
  if (options.end) {
    const auto is_named = [&](const Stray& stray) {
      return std::ranges::any_of(options.ids, [&](const std::string& beginning) {
        return stray.entry.lease.starts_with(beginning);
      });
    };
    if (options.ids.empty())
      throw Error(ExitCode::usage,
                  "another computer may use its strays; name those to end: --strays --end LEASE");
    std::erase_if(strays, [&](const Stray& stray) { return !is_named(stray); });
    return end_and_tell(globals, ledger, adopt_strays(ledger, strays));
  }
  Table table = strays_table(strays);
  table.warnings = problems;
  print(globals, {std::move(table)});
  return strays.empty() && problems.empty() ? ExitCode::ok : ExitCode::some_failed;
}

ExitCode forget_lease(const Globals& globals, Ledger& ledger, const std::string& beginning) {
  const Lease lease = lease_named(ledger, beginning);
  if (ledger.is_held(lease.id))
    throw Error(ExitCode::usage, fmt::format("a living lapcast holds {}; lapcast leases --end {}",
                                             lease.id, lease.id));
  ledger.forget(lease.id);
  if (!globals.quiet) {
    say("{} is forgotten{}", lease.id,
        is_open(lease) ? "; if its machine is alive it goes on costing money until its deadline"
                       : "");
  }
  return ExitCode::ok;
}

ExitCode leases(const Globals& globals, const LeasesArguments& options) {
  Ledger ledger = Ledger::open();
  if (!options.forget.empty()) return forget_lease(globals, ledger, options.forget);
  if (options.strays) return show_strays(globals, ledger, options);
  if (options.end)
    if (const auto ids = ids_to_end(ledger, options); !ids.empty())
      return end_and_tell(globals, ledger, ids);
  return list_leases(globals, ledger, options);
}

ExitCode keep(const Globals&) {
  keep_leases();
  return ExitCode::ok;
}

}  // namespace

static void add_leases(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "leases", "rented machines: what they cost, and giving them back",
               kLeasesFooter, leases);
  add_options(command,
              {{"LEASE", &options.ids, "only these"},
               {"--all", &options.all, "those that were given back, too"},
               {"--end", &options.end,
                "give back those that are named, else all that no living lapcast holds"},
               {"--strays", &options.strays,
                "ask all providers for machines of lapcast that this computer does not know"},
               {"--forget LEASE",
                &options.forget,
                "remove a lease from the list without giving its machine back",
                {.excludes = "--end"}}});
}

static void add_keeper(CLI::App& app, CommandLine& line) {
  line.add(app, "keeper", "gives back rented machines whose lapcast has died; lapcast starts it",
           nullptr, keep);
}

extern const NamedCommand kLeasesCommand{"leases", add_leases};
extern const NamedCommand kKeeperCommand{"keeper", add_keeper, /*is_hidden=*/true};

}  // namespace lapcast
