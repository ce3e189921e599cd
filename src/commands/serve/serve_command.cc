#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/rank_options.h"
#include "cli/version.h"
#include "pages/report.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "probe/interrupt.h"
#include "query/forecast_run.h"
#include "serve/live_runs.h"
#include "serve/page_files.h"
#include "serve/page_link.h"
#include "serve/server.h"
#include "serve/store_page.h"
#include "store/store.h"

namespace lapcast {
namespace {

// The longest wait of a page for a search of the run folders: others may have made very many.
constexpr std::chrono::milliseconds kSearchPatience{5};

constexpr const char* kServeFooter = R"(
Examples:
  lapcast serve --open                     the page in your browser, until Ctrl-C
  lapcast serve --port 0                   on any free port
  lapcast serve --allow-changes            runs and sweeps can be deleted and named
  ssh -t -L 8642:127.0.0.1:8642 gpu1 lapcast serve   the page of gpu1 in your browser

Shows the store and the runs that go on on this machine, live, to whoever opens the printed address
with its token, from this machine only: lapcast help serve.md.)";

struct ServeArguments {
  std::int64_t port = 8642;
  bool allow_changes = false;
  bool open = false;
  std::string run_parent;
  std::vector<PagePart> parts;
};

/// Returns the request for a page as `lapcast report` without options makes it.
ReportRequest request_of_page(const Globals& globals, const ServeArguments& options) {
  ReportRequest request{.ranking = RankOptions().checked(globals),
                        .command = "lapcast serve",
                        .version = build_version(),
                        .parts = options.parts,
                        .threads = 1};
  if (const char* home = std::getenv("HOME")) request.home = home;
  return request;
}

ExitCode serve(const Globals& globals, const ServeArguments& options) {
  StorePage page(globals.store_path(), request_of_page(globals, options));
  const Store store = Store::open_existing(globals.store_path());
  LiveRuns live(options.run_parent, kSearchPatience, [&](const RunContext& context) {
    return RunForecaster(store).past_errors_of(context);
  });
  const std::string token = new_token();
  Server server({static_cast<std::uint16_t>(options.port), token, options.allow_changes},
                page_files(), page, live);
  const Interrupt interrupt;
  const std::string address = fmt::format("http://127.0.0.1:{}/#token={}", server.port(), token);
  std::optional<PageLink> link;
  if (options.open) link.emplace(address);
  write_to_stdout(address + "\n");
  if (!globals.quiet)
    say("{}; Ctrl-C ends it",
        options.allow_changes ? "the page can change the store" : "the page is read-only");
  if (link)
    if (const auto opened = open_in_browser(link->file()); !opened)
      say("{}; open the printed address yourself", opened.error().text);
  server.run(interrupt);
  return ExitCode::ok;
}

}  // namespace

static void add_serve(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "serve", "show the store and the runs under way in a browser, live",
               kServeFooter, serve);
  options.parts = line.program.page_parts;
  add_options(command, {{"--port N",
                         &options.port,
                         "on 127.0.0.1 and ::1; 0 = any free one",
                         {.most = 65535, .least = 0}},
                        {"--open", &options.open, "open it in your browser, with xdg-open"},
                        {"--allow-changes", &options.allow_changes,
                         "let the page delete and tag runs, and name sweeps"},
                        {"--run-parent DIR", &options.run_parent,
                         "where the run folders of runs under way are [$TMPDIR or /tmp]"}});
}

extern const NamedCommand kServeCommand{"serve", add_serve};

}  // namespace lapcast
