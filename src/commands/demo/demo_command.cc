#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/sweep.h"
#include "campaign/verify.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/displays.h"
#include "cli/run_options.h"
#include "commands/demo/demo_training.h"
#include "posix/spawn.h"
#include "probe/shell_log.h"
#include "query/rank_runs.h"
#include "report/ranking_report.h"
#include "report/verify_report.h"

namespace lapcast {
namespace {

constexpr const char* kDemoFooter = R"(
Examples:
  lapcast demo

Half a minute, and nothing is installed or stored: a small training program inside lapcast is probed
with two batch sizes and forecast. Then both run to the end, and show how far the forecasts were
off.)";

constexpr const char* kDemoPrice = "1.20";  // USD per hour, made up

/// Creates a folder for this command and removes it at the end of the scope.
class DemoFolder {
 public:
  DemoFolder() : path_((std::filesystem::temp_directory_path() / "lapcast-demo-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw Error(ExitCode::system_failed,
                  fmt::format("cannot make a folder for the demo: {}", std::strerror(errno)));
  }
  ~DemoFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  std::filesystem::path store() const { return std::filesystem::path(path_) / "demo.db"; }

 private:
  std::string path_;
};

SweepRequest demo_sweep() {
  ProbeOptions options;
  options.budget = Seconds{5};
  SweepRequest request;
  request.price = offer_of_price(Money::parse(kDemoPrice), kThisMachine);
  request.values = {{"batch", {"8", "64"}}};
  request.probe = options.request(
      common_context({own_binary().string(), "demo-training", "--batch", "{batch}"}, options.plan));
  return request;
}

ExitCode demo(const Globals& globals) {
  const DemoFolder folder;
  Store store = Store::open(folder.store());
  Interrupt interrupt;
  CampaignDisplay display(globals.quiet);
  WorkerExecutor executor(interrupt);
  const MeasuringTools tools{store, executor, interrupt, display};
  if (!globals.quiet) say("a few laps of a small training with two batch sizes, in turn");
  if (run_sweep(plan_sweep(demo_sweep()), tools).interrupted) return ExitCode::interrupted;
  const RankResult ranked = rank_runs(store, {.selection = {.own_prices = globals.own_prices}});
  std::vector<Table> tables =
      ranking_tables("Forecasts", ranked.rankings.front().ranking, std::nullopt);
  const bool in_two_parts = globals.format != "json";  // JSON is one object
  if (in_two_parts) print(globals, std::exchange(tables, {}));
  if (!globals.quiet) say("now both run to the end, to see whether that is true");
  VerifyRequest request;
  request.all = true;
  request.start = [](RunContext context) { return ProbeOptions().request(std::move(context)); };
  request.place = [](const Run&) { return PlaceSetup(); };
  const VerifyResult verified = verify(std::move(request), tools);
  if (in_two_parts) write_to_stdout("\n");
  for (Table& table : verify_tables(verified.rows, verified.bill))
    tables.push_back(std::move(table));
  print(globals, tables);
  if (verified.interrupted) return ExitCode::interrupted;
  if (!globals.quiet) say("your own program: lapcast probe -- python3 train.py");
  return verified.any_failed ? ExitCode::some_failed : ExitCode::ok;
}

struct DemoTrainingArguments {
  std::int64_t batch = 32;
  std::int64_t epochs = 6;
};

ExitCode train(const Globals&, const DemoTrainingArguments& options) {
  std::optional<ShellLog> log;
  if (const char* folder = std::getenv("LAPCAST_LOG_DIR")) log.emplace(folder);
  const double accuracy =
      run_demo_training({static_cast<std::size_t>(options.batch), options.epochs},
                        [&](const std::vector<std::string>& words) {
                          if (log) log->append(words);
                        });
  write_to_stdout(fmt::format("accuracy {:.3f}\n", accuracy));
  return ExitCode::ok;
}

}  // namespace

static void add_demo(CLI::App& app, CommandLine& line) {
  line.add(app, "demo", "try lapcast for half a minute, with a program of its own", kDemoFooter,
           demo);
}

extern const NamedCommand kDemoCommand{"demo", add_demo};

static void add_demo_training(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "demo-training", "the program that `lapcast demo` measures", nullptr, train);
  add_options(command, {{"--batch", &options.batch, "samples of a lap", up_to(1 << 20)},
                        {"--epochs", &options.epochs, "epochs", up_to(1 << 20)}});
}

extern const NamedCommand kDemoTrainingCommand{"demo-training", add_demo_training,
                                               /*is_hidden=*/true};

}  // namespace lapcast
