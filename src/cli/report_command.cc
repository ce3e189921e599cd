#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/forecast_run.h"
#include "app/report.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/run_options.h"
#include "cli/version.h"
#include "core/units.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "remote/ssh.h"
#include "report/notebook.h"
#include "report/page.h"
#include "report/table.h"
#include "run/secrets.h"

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
  std::string notebook;  // is written instead of the page
  std::string title;
  bool open = false;
  bool full = false;
  bool redact = false;
};

/// Returns the command line as it was typed, without secrets.
std::string typed(const Globals& globals) {
  std::string line = "lapcast";
  for (const std::string& word : masked_program(globals.words)) line += " " + shell_quote(word);
  return line;
}

/// Returns the request, checked as far as it can be without the store.
ReportRequest request_of(const Globals& globals, const PageArguments& options, const Store& store) {
  if (!options.compared.empty() && options.compared.size() != 2)
    throw Error(ExitCode::usage, "--compare takes two sets of runs");
  ReportRequest request{.ranking = options.ranking.checked(),
                        .compared = options.compared,
                        .metric = parse_run_metric(options.metric),
                        .title = options.title,
                        .command = typed(globals),
                        .version = build_version(),
                        .made_at = utc_now()};
  request.detail = options.full ? Detail::full : options.redact ? Detail::redacted : Detail::usual;
  if (!options.target.empty()) request.goal = parse_target(options.target, false);
  request.heartbeats = options.heartbeats;
  if (const char* home = std::getenv("HOME")) request.home = home;
  std::vector<std::string> parts = options.runs;
  RunSelection& selection = request.ranking.selection;
  // A filter by itself applies to the sweep that would be shown, or to all runs.
  if (parts.empty() && !options.select.empty())
    if (const std::string sweep = selected_sweep(store, selection); !sweep.empty())
      parts.push_back(sweep);
  parts.insert(parts.end(), options.select.begin(), options.select.end());
  selection.named = fmt::format("{}", fmt::join(parts, ","));
  return request;
}

[[noreturn]] void refuse_to_write(const std::filesystem::path& file, const std::string& why) {
  throw Error(ExitCode::system_failed,
              fmt::format("cannot write {}: {}", printable(file.string()), why));
}

/// Returns the absolute path of the file to write. A link is followed, so that the file is replaced
/// and not the link.
std::filesystem::path place_of(const std::string& file) {
  std::error_code error;
  auto place = std::filesystem::absolute(file, error);
  if (!error) place = std::filesystem::weakly_canonical(place, error);
  if (error) refuse_to_write(file, error.message());
  return place;
}

/// Throws Error when the file, an absolute path, cannot be written, before anything is computed.
void check_output(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path folder = file.parent_path();
  const auto refuse = [&](const std::string& why) { refuse_to_write(file, why); };
  if (std::filesystem::is_directory(file, ignored)) refuse("it is a folder; name a file in it");
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    refuse("it is no file");
  if (!std::filesystem::is_directory(folder, ignored)) refuse("there is no such folder");
  if (const auto why = why_not_writable(folder)) refuse(*why);
}

ExitCode write_report(const Globals& globals, const PageArguments& options) {
  const Store store = globals.open_existing_store();
  const ReportRequest request = request_of(globals, options, store);
  const bool is_page = options.notebook.empty();
  const auto file = place_of(is_page ? options.file : options.notebook);
  check_output(file);
  const Report made = make_report(store, request);
  warn(made.warnings);
  const std::string page = is_page ? report_page(made.document) : notebook_text(made.document);
  if (const auto written = write_private_file(file, page); !written)
    throw Error(ExitCode::system_failed, written.error().text);
  if (is_page && plotly_licence().empty() && !globals.quiet)
    say("this lapcast was built without Plotly: the charts of the page are plain SVG");
  const Bytes size{static_cast<std::int64_t>(page.size())};
  if (globals.format == "table")
    print(globals, {Table{.before = {fmt::format("report: {} ({})", printable(file.string(), 4000),
                                                 format_bytes(size.count))}}});
  else
    print(globals, {figure_table("report", "",
                                 {{"file", "file", file.string()},
                                  {"size_bytes", "size", size},
                                  {"runs", "runs", cell_of(made.runs)}})});
  if (!options.open) return ExitCode::ok;
  if (const auto opened = open_in_browser(file); !opened)
    say("warning: {} is not opened: {}", printable(file.string()), opened.error().text);
  return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "report", "write a page about runs that people can be sent", kPageFooter, write_report);
  add_options(
      command,
      {{"SELECTION", &options.runs, "ids of runs, sets or sweeps [the newest sweep]"},
       {"-o,--output FILE", &options.file, "file to write"},
       {"--open", &options.open, "show it in the browser"},
       {"--notebook FILE", &options.notebook,
        "write a Jupyter notebook with the same figures instead", excludes("--open")},
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
  options.ranking.add_to(command);
}

}  // namespace lapcast
