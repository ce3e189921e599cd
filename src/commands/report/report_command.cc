#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/page_file.h"
#include "cli/rank_options.h"
#include "cli/version.h"
#include "core/units.h"
#include "formats/format_list.h"
#include "pages/page_kind.h"
#include "pages/report.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "query/forecast_run.h"
#include "query/run_set.h"
#include "report/page.h"
#include "table/table.h"

namespace lapcast {
namespace {

constexpr const char* kPageFooter = R"(
Examples:
  lapcast report                             the newest sweep of this folder, into report.html
  lapcast report last -o run.html --open     one run, shown at once
  lapcast report 3f0c 91d2 --select batch=64 two sweeps, of them what has this batch size
  lapcast report --compare program=a program=b --metric throughput
  lapcast report --redact                    without arguments and folders, to send around
  lapcast report --notebook sweep.ipynb      the same figures for Jupyter

SELECTION is ids of runs, sets or sweeps, as `lapcast compare` takes them. The page is one file that
needs no network: lapcast help report.md says what is in it. Secrets are never in it; --full adds the
environment, home folders and host names.)";

struct PageArguments {
  std::vector<std::string> runs;
  RankOptions ranking;
  std::vector<std::string> select;
  std::vector<std::string> compared;
  std::string metric = "time";
  std::string target;
  std::vector<std::string> heartbeats;
  std::string file = "report.html";
  std::string notebook;  // the file to write instead of the page
  std::string title;
  bool open = false;
  bool full = false;
  bool redact = false;
  std::vector<PageKind> kinds;  // pages that can be written instead of the report
  std::deque<bool> chosen;      // for each of the kinds
  std::vector<PagePart> parts;
};

Detail detail_of(const PageArguments& options) {
  return options.full ? Detail::full : options.redact ? Detail::redacted : Detail::usual;
}

/// Returns the request, checked as far as it can be without the store.
ReportRequest request_of(const Globals& globals, const PageArguments& options, const Store& store) {
  if (!options.compared.empty() && options.compared.size() != 2)
    throw Error(ExitCode::usage, "--compare takes two sets of runs");
  ReportRequest request{.ranking = options.ranking.checked(globals),
                        .compared = options.compared,
                        .metric = parse_run_metric(options.metric),
                        .title = options.title,
                        .command = typed_line(globals),
                        .version = build_version(),
                        .made_at = utc_now()};
  request.detail = detail_of(options);
  if (!options.target.empty()) request.goal = parse_target(options.target, false);
  request.parts = options.parts;
  request.heartbeats = options.heartbeats;
  if (const char* home = std::getenv("HOME")) request.home = home;
  std::vector<std::string> parts = options.runs;
  RunSelection& selection = request.ranking.selection;
  // Without a selection, a filter applies to the sweep that would be shown, or to all runs.
  if (parts.empty() && !options.select.empty())
    if (const std::string sweep = selected_sweep(store, selection); !sweep.empty())
      parts.push_back(sweep);
  parts.insert(parts.end(), options.select.begin(), options.select.end());
  selection.named = fmt::format("{}", fmt::join(parts, ","));
  return request;
}

/// Says which file was written, and opens it if that was asked for.
ExitCode announce(const Globals& globals, const PageArguments& options,
                  const std::filesystem::path& file, Bytes size, std::vector<Figure> figures) {
  if (globals.format == "table") {
    print(globals, {Table{.before = {fmt::format("report: {} ({})", printable(file.string(), 4000),
                                                 format_bytes(size.count))}}});
  } else {
    figures.insert(figures.begin(),
                   {{"file", "file", file.string()}, {"size_bytes", "size", size}});
    print(globals, {figure_table("report", "", std::move(figures))});
  }
  if (!options.open) return ExitCode::ok;
  if (const auto opened = open_in_browser(file); !opened)
    say("warning: {} is not opened: {}", printable(file.string()), opened.error().text);
  return ExitCode::ok;
}

/// Writes a page of another kind.
ExitCode write_page(const Globals& globals, const PageArguments& options, const PageKind& kind) {
  if (!options.compared.empty() || !options.target.empty() || !options.heartbeats.empty())
    throw Error(ExitCode::usage,
                fmt::format("{} makes a page of its own, without --compare, --target and "
                            "--heartbeats",
                            kind.option));
  std::vector<std::string> parts = options.runs;
  parts.insert(parts.end(), options.select.begin(), options.select.end());
  std::optional<Store> store;
  if (!parts.empty() || std::filesystem::exists(globals.store_path()))
    store.emplace(globals.open_existing_store());
  std::vector<Run> runs;
  if (!parts.empty())
    runs = runs_named(*store, fmt::format("{}", fmt::join(parts, ",")));
  else if (store)
    runs = store->runs();
  const auto file = checked_output(options.file);
  const char* home = std::getenv("HOME");
  MadePage made =
      kind.make({std::move(runs),
                 globals.store_path().parent_path(),
                 detail_of(options),
                 {typed_line(globals), build_version(), utc_now(), home == nullptr ? "" : home}});
  const std::string page = report_page(made.document);
  write_output(file, page);
  say_if_plain(globals);
  return announce(globals, options, file, Bytes{static_cast<std::int64_t>(page.size())},
                  std::move(made.figures));
}

const FileFormat& notebook_format() {
  return *find_format(FormatKind::report, "notebook");
}

ExitCode write_report(const Globals& globals, const PageArguments& options) {
  for (std::size_t i = 0; i < options.kinds.size(); ++i)
    if (options.chosen[i]) return write_page(globals, options, options.kinds[i]);
  const Store store = globals.open_existing_store();
  const ReportRequest request = request_of(globals, options, store);
  const bool is_page = options.notebook.empty();
  const auto file = checked_output(is_page ? options.file : options.notebook);
  const Report made = make_report(store, request);
  warn(made.warnings);
  const std::string page = is_page ? report_page(made.document)
                                   : std::get<WriteReport>(notebook_format().use)(made.document);
  write_output(file, page);
  if (is_page) say_if_plain(globals);
  return announce(globals, options, file, Bytes{static_cast<std::int64_t>(page.size())},
                  {{"runs", "runs", cell_of(made.runs)}});
}

}  // namespace

static void add_report(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "report", "write a page about runs that people can be sent", kPageFooter, write_report);
  const std::string help =
      fmt::format("write {} with the same figures instead", notebook_format().what);
  add_options(
      command,
      {{"SELECTION", &options.runs, "ids of runs, sets or sweeps [the newest sweep]"},
       {"-o,--output FILE", &options.file, "file to write"},
       {"--open", &options.open, "show it in the browser"},
       {"--notebook FILE", &options.notebook, help.c_str(), excludes("--open")},
       {"--title TEXT", &options.title, "heading of the page"},
       {"--select KEY=VALUE", &options.select,
        "only runs with this program, machine, kind or setting"},
       {"--compare A B", &options.compared, "two sets of runs: box plots and a test"},
       {"--metric NAME", &options.metric, "figure to compare by"},
       {"--target NAME=VALUE", &options.target,
        "forecast how many epochs each run needs until this metric is reached"},
       {"--heartbeats FILE", &options.heartbeats, "files of lapcast soak: how long machines last"},
       {"--full", &options.full, "with environment, home folders and host names"},
       {"--redact", &options.redact, "without arguments and folders", excludes("--full")}});
  options.parts = line.program.page_parts;
  options.kinds = line.program.page_kinds;
  for (const PageKind& kind : options.kinds)
    add_options(command,
                {{kind.option, &options.chosen.emplace_back(), kind.help, excludes("--notebook")}});
  options.ranking.add_to(command);
}

extern const NamedCommand kReportCommand{"report", add_report};

}  // namespace lapcast
