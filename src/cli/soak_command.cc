#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "app/input_files.h"
#include "app/soak.h"
#include "cli/commands.h"
#include "cli/view/heartbeat_display.h"
#include "core/units.h"
#include "probe/heartbeat_file.h"
#include "report/soak_report.h"

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
until it is back. docs/soak.md has the details.)";

constexpr const char* kReportFooter = R"(
Examples:
  lapcast soak report
  lapcast soak report a.heartbeats b.heartbeats --format csv

From heartbeats alone: sessions, their lengths (Kaplan-Meier, since those under way have not ended
yet), the waits for the next one, the share of the time in which the machine was there, by hour.)";

struct SoakArguments {
  std::string device = "cpu";
  std::string every = "60s";
  std::string load = "5%";
  std::string heartbeats;
  std::string most;
  std::string to;
  std::string fleet_file;
  bool emit = false;
  std::vector<std::string> reported;
};

Seconds positive_duration(const char* name, const std::string& text) {
  const Seconds time = of_option(name, [&] { return parse_duration(text); });
  if (time < Seconds{0.1})
    throw Error(ExitCode::usage, fmt::format("{} must be at least 100ms, such as 60s", name));
  return time;
}

SoakRequest request_of(const SoakArguments& options) {
  SoakRequest request;
  request.plan.device = options.device;
  request.plan.every = positive_duration("--every", options.every);
  if (!options.most.empty()) request.plan.most = positive_duration("--for", options.most);
  request.load = options.load;
  request.share = of_option("--load", [&] { return parse_share(options.load); });
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

ExitCode report(const Globals& globals, const SoakArguments& options) {
  std::vector<std::string> files = options.reported;
  if (files.empty()) files.push_back(default_heartbeat_file().string());
  const SoakLog log = read_heartbeats(files);
  print(globals, soak_tables(log.record, log.damaged_lines));
  return ExitCode::ok;
}

void add_report(CLI::App& soak, Globals& globals, Action& action,
                std::shared_ptr<SoakArguments> options) {
  CLI::App* command =
      soak.add_subcommand("report", "sessions, how long they last and new ones take");
  command->add_option("FILE", options->reported, "heartbeats [those of this machine]");
  command->footer(kReportFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return report(globals, *options); }, false};
  });
}

}  // namespace

void add_soak(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<SoakArguments>();
  CLI::App* command = app.add_subcommand(
      "soak", "hold a machine with a light load: how long does it stay, when is it back?");
  command->require_subcommand(0, 1);
  command->add_option("FLEET.toml", options->fleet_file,
                      "fleet file that knows the machine of --to");
  command->add_option("--to", options->to, "hold this machine of the fleet file, over ssh")
      ->type_name("NAME");
  command->add_option("--device", options->device, "what is loaded: cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("cpu|cuda")
      ->capture_default_str();
  command->add_option("--every", options->every, "time from one heartbeat to the next")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--load", options->load, "share of the time in which one CPU or the GPU is busy")
      ->type_name("SHARE")
      ->capture_default_str();
  command
      ->add_option("--heartbeats", options->heartbeats,
                   "append-only file [~/.local/share/lapcast/heartbeats]")
      ->type_name("FILE");
  command->add_option("--for", options->most, "end after this time [never]")->type_name("TIME");
  command->add_flag("--emit", options->emit)->group("");  // for lapcast itself, over a link
  command->footer(kSoakFooter);
  add_report(*command, globals, action, options);
  command->callback([&globals, &action, options, command] {
    if (!command->get_subcommands().empty()) return;
    action = {[&globals, options] { return hold(globals, *options); }, false};
  });
}

}  // namespace lapcast
