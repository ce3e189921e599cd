#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/displays.h"
#include "core/units.h"
#include "query/heartbeat_files.h"
#include "query/input_files.h"
#include "report/soak_report.h"
#include "suite/soak/heartbeat_display.h"
#include "suite/soak/holder.h"
#include "suite/soak/soak.h"

namespace lapcast {
namespace {

constexpr const char* kSoakFooter = R"(
Examples:
  lapcast soak                                     hold this machine until Ctrl-C
  lapcast soak --device cuda --every 60s
  lapcast soak --heartbeats /content/drive/MyDrive/heartbeats
  lapcast soak --to gpu-box fleet.toml             another machine, again and again
  lapcast soak report                              how long sessions last, and new ones take
  lapcast soak report heartbeats-*.txt --json

The availability experiment: how long does a machine stay, and how long until one can be had again?
A light load holds it; a heartbeat is written every so often to an append-only file, which may lie on
a folder that survives the machine. Started again with the same file, the session before counts as cut
at its last heartbeat. With --to the heartbeats come over ssh, and a machine that is gone is asked for
until it is back. lapcast help soak.md has the details.)";

constexpr const char* kReportFooter = R"(
Examples:
  lapcast soak report
  lapcast soak report a.heartbeats b.heartbeats --format csv

From heartbeats alone: sessions, their lengths (Kaplan-Meier, since those under way have not ended
yet), the waits for the next one, the share of the time in which the machine was there, by hour.)";

struct SoakArguments {
  std::string device = "cpu";
  Seconds every{60};
  std::string load = "5%";
  double share = 0.05;  // the value of `load`
  std::string heartbeats;
  std::optional<Seconds> most;
  std::string to;
  std::string fleet_file;
  bool emit = false;
};

struct ReportArguments {
  std::vector<std::string> files;
};

Seconds time_of_heartbeats(const std::string& text) {
  const Seconds time = parse_duration(text);
  if (time >= Seconds{0.1}) return time;
  throw Error(ExitCode::usage, "must be at least 100ms, such as 60s");
}

SoakRequest request_of(const SoakArguments& options) {
  SoakRequest request;
  request.plan.device = options.device;
  request.plan.every = options.every;
  request.plan.most = options.most;
  request.load = options.load;
  request.share = options.share;
  request.heartbeats =
      options.heartbeats.empty() ? default_heartbeat_file().string() : options.heartbeats;
  return request;
}

ExitCode hold(const Globals& globals, const SoakArguments& options) {
  if (options.to.empty() != options.fleet_file.empty())
    throw Error(ExitCode::usage,
                "--to NAME and FLEET.toml belong together; see lapcast soak --help");
  SoakRequest request = request_of(options);
  if (options.emit) {
    emit_heartbeats(request);
    return ExitCode::ok;
  }
  request.plan.machine = options.to;
  if (!options.to.empty())
    request.remote = place_to_hold(with_nodes(read_fleet_file(options.fleet_file)), options.to,
                                   options.fleet_file);
  Interrupt interrupt;
  HeartbeatDisplay display(globals.quiet, request.heartbeats.string());
  const auto failed = hold_machine(request, interrupt,
                                   {[&](const Heartbeat& heartbeat, const Result<void>& written) {
                                      display.show(heartbeat, written);
                                    },
                                    [&](const std::string& text) { display.say(text); }});
  if (failed) throw Error(ExitCode::system_failed, failed->text);
  return interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::ok;
}

ExitCode report(const Globals& globals, const ReportArguments& options) {
  std::vector<std::string> files = options.files;
  if (files.empty()) files.push_back(default_heartbeat_file().string());
  const SoakLog log = read_heartbeats(files);
  print(globals, soak_tables(log.record, log.damaged_lines));
  return ExitCode::ok;
}

}  // namespace

static void add_soak(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "soak", "hold a machine with a light load: how long does it stay, when is it back?",
      kSoakFooter, hold);
  add_options(
      command,
      {{"FLEET.toml", &options.fleet_file, "fleet file that knows the machine of --to"},
       {"--to NAME", &options.to, "hold this machine of the fleet file, over ssh"},
       {"--device cpu|cuda", &options.device, "what is loaded: cpu or cuda", one_of("cpu|cuda")},
       {"--every TIME", parsed(options.every, time_of_heartbeats, "60s"),
        "time from one heartbeat to the next"},
       {"--load SHARE",
        parsed(
            options.share,
            [&load = options.load](const std::string& text) { return parse_share(load = text); },
            options.load),
        "share of the time in which one CPU or the GPU is busy"},
       {"--heartbeats FILE", &options.heartbeats,
        "append-only file [~/.local/share/lapcast/heartbeats]"},
       {"--for TIME", parsed(options.most, time_of_heartbeats), "end after this time [never]"}});
  // Only lapcast itself uses it, over a link; without a group it is hidden.
  add_options(command, {{"--emit", &options.emit, ""}}, "");
  const auto [below, reported] = line.add(
      command, "report", "sessions, how long they last and new ones take", kReportFooter, report);
  add_options(below, {{"FILE", &reported.files, "heartbeats [those of this machine]"}});
}

extern const NamedCommand kSoakCommand{"soak", add_soak};

}  // namespace lapcast
