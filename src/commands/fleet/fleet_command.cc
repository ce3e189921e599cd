#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "commands/fleet/fleet_check_command.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "fleet/rent_fleet.h"
#include "fleet/slurm_fleet.h"
#include "lease/adapter.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"
#include "query/current_offers.h"
#include "remote/slurm_queue.h"

namespace lapcast {
namespace {

constexpr const char* kFleetFooter = R"(
Examples:
  lapcast fleet init gpu1 gpu2 > fleet.toml     a fleet file of hosts of your ssh config
  lapcast fleet check fleet.toml                can probes run on each machine, and if not, why?
  lapcast fleet from-slurm --out cluster.toml   a fleet file of this cluster

lapcast help fleet-file describes fleet files, lapcast help fleet.md walks through remote machines.)";

constexpr const char* kFleetInitFooter = R"(
Examples:
  lapcast fleet init gpu1 gpu2 > fleet.toml     hosts of your ssh config
  lapcast fleet init --out fleet.toml           this machine alone
  lapcast fleet init --rent --gpu A100,L4,"RTX 4090" > rent.toml
                                                the cheapest machine to rent with each GPU

Writes a [[machine]] for each host. With --rent it writes machines that sweep rents, chosen from the
catalog among the providers of the adapters that are installed, or with --by NAME from what that
adapter offers; nothing is rented. A file that exists is never overwritten.)";

struct FleetInitArguments {
  std::vector<std::string> hosts;
  std::string out;
  bool rent = false;
  std::string gpus;
  std::string by;
};

constexpr const char* kFleetFromSlurmFooter = R"(
Examples:
  lapcast fleet from-slurm                              on a login node: the file on stdout
  lapcast fleet from-slurm --partition gpu --out gpu.toml
  lapcast fleet from-slurm --login login1.cluster --out cluster.toml

Asks sinfo once, and writes a [[machine]] for each kind of node, with its partitions. Prices are to be
filled in: Slurm does not know them. A file that exists is never overwritten.)";

struct FleetFromSlurmArguments {
  std::string partition;
  std::string login;
  std::string out;
};

[[noreturn]] void cannot_write(const std::string& file) {
  if (errno == EEXIST)
    throw Error(
        ExitCode::usage,
        fmt::format("{} exists, and is not overwritten; name another with --out", printable(file)));
  throw Error(ExitCode::system_failed,
              fmt::format("cannot write {}: {}", printable(file), std::strerror(errno)));
}

void write_new_file(const std::string& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) cannot_write(file);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const bool whole = written == static_cast<ssize_t>(text.size());
  if (close(fd) == 0 && whole) return;
  unlink(file.c_str());
  if (!whole && written >= 0) errno = ENOSPC;
  cannot_write(file);
}

/// Writes a fleet file where --out says, or to stdout. `done` is printed for a file.
ExitCode write_fleet(const Globals& globals, const std::string& out, const std::string& text,
                     const std::string& done) {
  if (out.empty()) {
    write_to_stdout(text);
    return ExitCode::ok;
  }
  write_new_file(out, text);
  if (!globals.quiet)
    say("{}: {}, then: lapcast sweep {} -- PROGRAM", printable(out), done, printable(out));
  return ExitCode::ok;
}

std::vector<std::string> words_in_list(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : split(list, ','))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

/// Returns the machines to rent from one adapter: from the catalog where that has its provider,
/// else from the adapter's own offers.
std::vector<RentableMachine> machines_of_adapter(const std::string& by,
                                                 const std::vector<std::string>& gpus,
                                                 std::vector<std::string>& lacking) {
  const auto file = find_adapter(by);
  if (!file) throw Error(ExitCode::usage, file.error().text);
  if (!catalog_provider_of(by).empty() && !gpus.empty())
    return cheapest_machines(current_offers(), {by}, gpus, lacking);
  const auto offers = ask_adapter(*file, "offers", offers_request({}, {})).and_then(parse_offers);
  if (!offers)
    throw Error(ExitCode::system_failed,
                fmt::format("{} tells no offers: {}", printable(by), offers.error().text));
  return cheapest_machines(*offers, by, gpus, lacking);
}

ExitCode init_rented(const Globals& globals, const FleetInitArguments& options) {
  const std::vector<std::string> gpus = words_in_list(options.gpus);
  if (gpus.empty() && options.by.empty())
    throw Error(ExitCode::usage, "--rent needs --gpu, such as --gpu A100,L4, or --by NAME");
  std::vector<std::string> lacking;
  const std::vector<RentableMachine> machines =
      options.by.empty() ? cheapest_machines(current_offers(), adapter_names(), gpus, lacking)
                         : machines_of_adapter(options.by, gpus, lacking);
  if (machines.empty())
    throw Error(ExitCode::usage,
                fmt::format("none of the adapters rents a machine with one of these GPUs{}{}: see "
                            "lapcast catalog --accelerator, and docs/rent.md for adapters",
                            lacking.empty() ? "" : ": ",
                            printable(fmt::format("{}", fmt::join(lacking, ", ")))));
  for (const std::string& gpu : lacking)
    say("warning: no adapter rents a machine with one {}", printable(gpu));
  const std::string text = rent_fleet_text(machines);
  parse_fleet(text, "the file");
  return write_fleet(globals, options.out, text, fmt::format("{} machines", machines.size()));
}

ExitCode init(const Globals& globals, const FleetInitArguments& options) {
  if (options.rent) return init_rented(globals, options);
  const std::string text = fleet_text(options.hosts);
  parse_fleet(text, "the file");  // refuses an invalid host name
  return write_fleet(globals, options.out, text, "fill in the prices");
}

ExitCode from_slurm(const Globals& globals, const FleetFromSlurmArguments& options) {
  const auto types = node_types(cluster_at(options.login, options.partition));
  if (!types) throw Error(ExitCode::system_failed, types.error().text);
  const std::string text = slurm_fleet_text(*types, options.login, utc_now().substr(0, 10));
  return write_fleet(globals, options.out, text,
                     fmt::format("{} kinds of nodes; fill in the prices", types->size()));
}

}  // namespace

static void add_fleet(CLI::App& app, CommandLine& line) {
  CLI::App& fleet =
      line.add(app, "fleet", "fleet files: reach and check their machines, or write one",
               kFleetFooter, std::function<ExitCode()>());
  const auto [init_command, init_options] = line.add(
      fleet, "init", "write a fleet file for hosts of your ssh config", kFleetInitFooter, init);
  add_options(init_command,
              {{"HOST", &init_options.hosts, "ssh hosts [this machine]"},
               {"--rent", &init_options.rent, "write machines to rent"},
               {"--gpu NAME,NAME",
                &init_options.gpus,
                "the GPUs that they have: A100,L4",
                {.needs = "--rent"}},
               {"--by ADAPTER",
                &init_options.by,
                "rent only by this adapter [all that are installed]",
                {.needs = "--rent"}},
               {"-o,--out FILE.toml", &init_options.out, "the file to write [stdout]"}});
  add_fleet_check(fleet, line);
  const auto [command, options] =
      line.add(fleet, "from-slurm", "write a fleet file for the Slurm cluster at hand",
               kFleetFromSlurmFooter, from_slurm);
  add_options(
      command,
      {{"--partition NAME", &options.partition, "only the nodes of this partition"},
       {"--login HOST", &options.login, "ssh host of the cluster's login node [this machine]"},
       {"-o,--out FILE.toml", &options.out, "the file to write [stdout]"}});
}

extern const NamedCommand kFleetCommand{"fleet", add_fleet};

}  // namespace lapcast
