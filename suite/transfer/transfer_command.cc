#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/page_file.h"
#include "cli/progress_line.h"
#include "cli/run_options.h"
#include "core/units.h"
#include "query/forecast_run.h"
#include "remote/ssh.h"
#include "report/run_document.h"
#include "run/secrets.h"
#include "suite/transfer/transfer.h"
#include "suite/transfer/transfer_link.h"
#include "suite/transfer/transfer_plan.h"
#include "suite/transfer/transfer_results.h"

namespace lapcast {
namespace {

constexpr const char* kTransferFooter = R"(
Examples:
  lapcast transfer plan eyes --to gpu-box:data/eyes -- ./prepare --in {in} --out {out}
                                                     which way is the fastest, from 200 files
  lapcast transfer run eyes --to gpu-box:data/eyes -- ./prepare --in {in} --out {out}
  lapcast transfer run eyes --to /mnt/nas/eyes        only send

Prepares the files of a folder and brings them to another machine, by ssh and rsync, or to a folder:
prepared on this machine or on the target, before they are sent or at the same time. The program prepares
the files of the folder {in} into the folder {out}, a piece of the data set at a time; {piece} is its
number, for programs that name their files themselves: --out {out}/{piece}. After an interruption the
same command goes on. lapcast help transfer.md has the details.)";

constexpr const char* kTransferRunFooter = R"(
Examples:
  lapcast transfer run eyes --to gpu-box:data/eyes --way here-overlapped -- ./prepare --in {in} --out {out}
  lapcast transfer run eyes --to a100:eyes --fleet fleet.toml --way there -- ./prepare --in {in} --out {out}
  lapcast transfer run eyes --to gpu-box:shards --with trainLabels.csv \
    -- retina-prepare --in {in} --out {out}/{piece} --workers 1
  lapcast transfer run eyes --to /mnt/nas/eyes --csv seconds.csv

Goes one way; `lapcast transfer plan` says which one is the fastest. Without a program the files are only
sent. Links, and what looks like a secret, are not sent. With "there" the --workers are those of the
target. A piece whose program fails is named, and the rest goes on. After an interruption the same command
goes on: contents are then compared by checksum, and what has arrived is not sent again.)";

constexpr const char* kTransferPlanFooter = R"(
Examples:
  lapcast transfer plan eyes --to gpu-box:data/eyes -- ./prepare --in {in} --out {out}
  lapcast transfer plan eyes --to a100:eyes --fleet fleet.toml --training last --price-here 0.10 \
    -- ./prepare --in {in} --out {out}

Prepares a random sample of the files on both machines, sends it prepared and as it is, removes it again,
and forecasts each way for all files: time, cost of both machines, and how sure it is that a way is the
fastest. With --training the training that follows on the other machine counts too, as `lapcast forecast`
has it.)";

constexpr const char* kTransferLinkFooter = R"(
Examples:
  lapcast transfer link gpu-box                    10 seconds
  lapcast transfer link gpu-box --seconds 60 --json > link.json
  lapcast papers kunas --measured link.json        beside what iperf measured in table 5.1

Sends random bytes over ssh, as transfers do, and counts what arrives; nothing is written there. Files,
their preparation and rsync have no part in it: it is the most that a transfer can reach.)";

/// Holds the options of both commands.
struct TransferArguments {
  std::string folder, to, fleet, work;
  std::int64_t workers = 0;  // 0 = one for each CPU
  std::int64_t piece = 0;
  std::vector<std::string> with;

  void add_to(CLI::App& command);
  TransferRequest request(const Globals& globals) const;
};

struct TransferRunArguments {
  TransferArguments common;
  std::string way = "here-overlapped";
  std::string csv;
};

struct TransferLinkArguments {
  std::string host, fleet;
  std::int64_t seconds = 10;
};

struct TransferPlanArguments {
  TransferArguments common;
  std::int64_t sample = 200;
  std::int64_t seed = 1;
  std::int64_t workers_there = 0;  // 0 = as many as here
  std::optional<Money> price, price_here;
  std::string training;
};

void TransferArguments::add_to(CLI::App& command) {
  add_options(
      command,
      {{"FOLDER", &folder, "with the files", kRequired},
       {"--to TARGET", &to, "HOST:FOLDER of the ssh config, or a folder of this machine",
        kRequired},
       {"--fleet FLEET.toml", &fleet, "fleet file that knows HOST"},
       {"--workers N", &workers, "pieces that are prepared at the same time [one for each CPU]",
        up_to(1024)},
       {"--piece N", &piece,
        "files that one call of the program prepares [a tenth of them, at most 20]", kCount},
       {"--with FILE", &with, "file of FOLDER that every call needs, such as labels.csv"},
       {"--work FOLDER", &work, "for what is prepared, until it is sent [beside the store]"}});
}

TransferRequest TransferArguments::request(const Globals& globals) const {
  TransferRequest request{.folder = folder,
                          .target = transfer_target(to, fleet, globals.own_prices)};
  if (globals.program_given) request.program = program_of(globals, "transfer");
  request.workers = static_cast<int>(
      workers > 0 ? workers : std::max<std::int64_t>(1, std::thread::hardware_concurrency()));
  request.piece_files = static_cast<std::size_t>(piece);
  request.with = with;
  request.work =
      std::filesystem::absolute(work.empty() ? globals.store_path().parent_path() / "transfers"
                                             : std::filesystem::path(work));
  return request;
}

/// Keeps a result next to the store, for `report --papers`.
void keep(const Globals& globals, std::vector<Table> tables, const char* command) {
  keep_transfer_result(globals.store_path().parent_path() / kTransferResults,
                       json_of(std::move(tables), command).dump());
}

ExitCode run_transfer(const Globals& globals, const TransferRunArguments& options) {
  TransferRequest request = options.common.request(globals);
  request.way = *transfer_way_named(options.way);
  std::filesystem::path csv;
  if (!options.csv.empty()) csv = checked_output(options.csv);
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const TransferResult result =
      transfer(request, interrupt, [&](const std::string& what) { line.show(what); });
  line.clear();
  if (!csv.empty()) write_output(csv, transfer_csv(result.seconds));
  keep(globals, transfer_tables(result), "transfer run");
  print(globals, transfer_tables(result));
  if (result.failed.empty()) return ExitCode::ok;
  return result.prepared_files > 0 ? ExitCode::some_failed : ExitCode::program_failed;
}

ExitCode run_link(const Globals& globals, const TransferLinkArguments& options) {
  const TransferTarget target =
      transfer_target(options.host + ":.", options.fleet, globals.own_prices);
  if (!target.is_remote)
    throw Error(ExitCode::usage, printable(options.host) + " is this machine: it has no link");
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const LinkResult result =
      measure_link(*target.host, Seconds{static_cast<double>(options.seconds)}, interrupt,
                   [&](const std::string& what) { line.show(what); });
  line.clear();
  keep(globals, link_tables(result), "transfer link");
  print(globals, link_tables(result));
  return ExitCode::ok;
}

/// Uses the forecast of a stored run as the training that follows.
void take_training(const Globals& globals, const std::string& id, TransferPlanRequest& request) {
  const Store store = globals.open_existing_store();
  const Run run = store.get(id);
  const Assessment assessment = RunForecaster(store).forecast(run);
  if (!assessment.forecast)
    throw Error(ExitCode::some_failed,
                "run " + run.context.id + " has no forecast: " + assessment.forecast.error().text);
  request.prices.training = assessment.forecast->total;
  request.has_training = true;
}

/// Returns the command that performs a way as forecast.
std::string command_of(TransferWay way, const TransferPlanArguments& plan,
                       const std::vector<std::string>& program) {
  const TransferArguments& options = plan.common;
  std::string text =
      "lapcast transfer run " + shell_quote(options.folder) + " --to " + shell_quote(options.to);
  if (!options.fleet.empty()) text += " --fleet " + shell_quote(options.fleet);
  const bool other = !prepares_here(way) && plan.workers_there > 0;
  if (const std::int64_t workers = other ? plan.workers_there : options.workers; workers > 0)
    text += fmt::format(" --workers {}", workers);
  if (options.piece > 0) text += fmt::format(" --piece {}", options.piece);
  for (const std::string& file : options.with) text += " --with " + shell_quote(file);
  if (!options.work.empty()) text += " --work " + shell_quote(options.work);
  return fmt::format("{} --way {} -- {}", printable(text, 400), to_string(way),
                     printable(masked_line(program), 400));
}

ExitCode plan_transfers(const Globals& globals, const TransferPlanArguments& options) {
  program_of(globals, "transfer plan FOLDER --to HOST:FOLDER");
  TransferPlanRequest request{.transfer = options.common.request(globals)};
  request.workers_there = options.workers_there > 0 ? static_cast<int>(options.workers_there)
                                                    : request.transfer.workers;
  request.sample = static_cast<std::size_t>(options.sample);
  request.seed = static_cast<std::uint64_t>(options.seed);
  request.prices.there = request.transfer.target.price;
  if (options.price)
    request.prices.there = offer_of_price(*options.price, request.transfer.target.host->name());
  if (options.price_here) request.prices.here = offer_of_price(*options.price_here, "this machine");
  if (!options.training.empty()) take_training(globals, options.training, request);
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const TransferForecast forecast =
      plan_transfer(request, interrupt, [&](const std::string& what) { line.show(what); });
  line.clear();
  print(globals, transfer_plan_tables(forecast, [&](TransferWay way) {
          return command_of(way, options, globals.program);
        }));
  return ExitCode::ok;
}

}  // namespace

static void add_transfer(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      line.add(app, "transfer", "prepare a data set and bring it to another machine",
               kTransferFooter, std::function<ExitCode()>());
  const auto [planned, plan_options] =
      line.add(command, "plan", "which way is the fastest and the cheapest, from a sample",
               kTransferPlanFooter, plan_transfers, Takes::program);
  plan_options.common.add_to(planned);
  add_options(
      planned,
      {{"--sample N", &plan_options.sample, "files of the sample", kCount},
       {"--seed N", &plan_options.seed, "another seed chooses other files", kCount},
       {"--workers-there N", &plan_options.workers_there,
        "pieces that are prepared at the same time on the target [as many as here]", up_to(1024)},
       {"--price USD", parsed(plan_options.price, parse_price),
        "per hour of the target [that of the fleet file]"},
       {"--price-here USD", parsed(plan_options.price_here, parse_price),
        "per hour of this machine"},
       {"--training RUN", &plan_options.training,
        "the training of this stored run follows on the target; \"last\" is the newest"}});
  const auto [ran, run_options] =
      line.add(command, "run", "prepare the files and send them, one way", kTransferRunFooter,
               run_transfer, Takes::program);
  run_options.common.add_to(ran);
  add_options(ran, {{"--way WAY", &run_options.way, "where files are prepared, and when",
                     one_of("here|here-overlapped|there|there-overlapped")},
                    {"--csv FILE", &run_options.csv, "what was sent in each second"}});
  const auto [linked, link_options] = line.add(
      command, "link", "measure the link to another machine alone", kTransferLinkFooter, run_link);
  add_options(linked,
              {{"HOST", &link_options.host, "of the ssh config or of the fleet file", kRequired},
               {"--fleet FLEET.toml", &link_options.fleet, "fleet file that knows HOST"},
               {"--seconds N", &link_options.seconds, "how long", up_to(3600)}});
}

extern const NamedCommand kTransferCommand{"transfer", add_transfer};

}  // namespace lapcast
