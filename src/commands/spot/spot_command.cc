#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/page_file.h"
#include "cli/run_options.h"
#include "cli/spot_options.h"
#include "cli/version.h"
#include "commands/spot/spot_page.h"
#include "commands/spot/spot_tables.h"
#include "core/units.h"
#include "forecast/time_cases.h"
#include "price/offer.h"
#include "probe/ids_and_time.h"
#include "query/forecast_run.h"
#include "query/spot_plan.h"
#include "rank/candidate.h"
#include "report/page.h"

namespace lapcast {
namespace {

constexpr const char* kSpotFooter = R"(
Examples:
  lapcast spot trace.json --work 24h --checkpoint 1m --restart 5m
  lapcast spot heartbeats.txt --run last --checkpoint 30s    the forecast of a run, on a machine that
                                                      lapcast soak held
  lapcast spot --interruptions 5h --spot-wait 10m --work 24h --checkpoint 1m --restart 5m
  lapcast spot trace.json --work 24h --spot-price 0.92 --price 3.06
  lapcast spot trace.json --work 24h --spot-price 0.92 --price 3.06 --deadline 30h
                                                      spot, on demand, or change between them?
  lapcast spot trace.json --work 24h --checkpoint 1m --restart 5m --html spot.html
                                                      a page: what the training does on the trace

How often to save on machines that may be taken away, how long the training takes there, what it costs,
and what it loses to interruptions. A trace is JSON of the skypilot spot-traces
({"metadata": {"gap_seconds": 300}, "data": [1, 1, 0]}), a table of events (TIME,add|remove,MACHINE), or the
heartbeats of `lapcast soak`. lapcast help spot.md says what is simulated.)";

struct SpotArguments {
  SpotPlanRequest request;  // options write into it directly
  SpotOptions spot;
  std::optional<Seconds> work;
  std::string run, price_history, html;
  std::int64_t machines = 1;
};

HourlyPrice price_per_hour_of(const std::string& text) {
  return {parse_price(text)};
}

/// Takes the work, and what a checkpoint and a start took, from a stored run.
void take_run(const Globals& globals, const std::string& id, SpotPlanRequest& request) {
  const Store store = globals.open_existing_store();
  const Run run = store.get(id);
  const Candidate candidate = candidate_of(run, RunForecaster(store).forecast(run));
  if (!candidate.time)
    throw Error(ExitCode::some_failed,
                "run " + run.context.id + " has no forecast: " + candidate.time.error().text);
  request.work = candidate.time->mid;
  request.works = time_cases(*candidate.time);
  request.costs.checkpoint = Seconds{candidate.checkpoint_s.value_or(0)};
  request.costs.restart = Seconds{candidate.start_s};
}

/// Adds what the options say of machines, interruptions and checkpoints.
void take_assumptions(SpotOptions options, SpotPlanRequest& request) {
  if (!request.trace_file.empty()) options.trace = request.trace_file;
  const SpotAssumptions& assumed = options.assumed;
  if (options.trace.empty() == !assumed.between_interruptions)
    throw Error(ExitCode::usage,
                "when machines are there is not known: give a TRACE, or --interruptions TIME, and "
                "not both");
  options.check();
  request.trace_file = options.trace;
  request.between_interruptions = assumed.between_interruptions;
  request.wait = assumed.wait.value_or(Seconds{0});
  if (request.trace_file.empty() && request.machines > 1)
    throw Error(ExitCode::usage, "--machines counts machines of a trace: give one");
  request.saves = assumed.saves;
  request.interval = assumed.interval;
  request.costs.notice = assumed.notice.value_or(Seconds{0});
  if (assumed.checkpoint) request.costs.checkpoint = *assumed.checkpoint;
  if (!request.saves) request.costs.checkpoint = Seconds{1};  // is never made
  if (assumed.restart) request.costs.restart = *assumed.restart;
}

void write_spot_page(const Globals& globals, const SpotPlan& plan, const SpotPlanRequest& request,
                     const std::filesystem::path& file) {
  const char* home = std::getenv("HOME");
  const PageOrigin origin{typed_line(globals), build_version(), utc_now(),
                          home == nullptr ? "" : home};
  write_output(file, report_page(spot_document(plan, request, origin)));
  say_if_plain(globals);
}

/// Returns the request for the options, with the forecast of a stored run.
SpotPlanRequest spot_request(const Globals& globals, const SpotArguments& options) {
  SpotPlanRequest request = options.request;
  request.machines = static_cast<int>(options.machines);
  if (!options.price_history.empty()) {
    request.prices = read_price_history(options.price_history);
    request.spot_price = {mean_price_over(*request.prices, request.prices->length()).mid};
  }
  if (!options.work && options.run.empty())
    throw Error(ExitCode::usage,
                "how long the training works is not known: give --work TIME or --run ID");
  if (options.run.empty())
    request.work = *options.work;
  else
    take_run(globals, options.run, request);
  take_assumptions(options.spot, request);
  if (!(request.costs.checkpoint.count() > 0))
    throw Error(
        ExitCode::usage,
        options.run.empty() || options.spot.assumed.checkpoint
            ? "how long a checkpoint takes is not known: give --checkpoint TIME, above 0"
            : "the run saved nothing: give --checkpoint TIME, what one save takes, or none");
  if (options.run.empty() && !options.spot.assumed.restart)
    throw Error(ExitCode::usage,
                "how long it takes on a new machine until work goes on is not known: give "
                "--restart TIME or --run ID");
  return request;
}

ExitCode plan_spot(const Globals& globals, const SpotArguments& options) {
  const SpotPlanRequest request = spot_request(globals, options);
  std::optional<std::filesystem::path> page;
  if (!options.html.empty()) {
    if (request.trace_file.empty())
      throw Error(ExitCode::usage, "--html shows a training on a trace: give one");
    page = checked_output(options.html);
  }
  const SpotPlan plan = plan_on_spot(request);
  print(globals, spot_tables(plan, request));
  if (page) write_spot_page(globals, plan, request, *page);
  return plan.forecast ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

static void add_spot(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "spot", "plan a training on spot machines: checkpoints, time, cost, deadline",
               kSpotFooter, plan_spot);
  SpotPlanRequest& request = options.request;
  add_options(
      command,
      {{"TRACE", &request.trace_file,
        "availability trace, or heartbeats of lapcast soak: as --spot-trace"},
       {"--work TIME", parsed(options.work, above_zero(parse_duration, "24h")),
        "time of the training on a machine that stays"},
       {"--run ID", &options.run,
        "take the forecast of this run as the work, and what a save and a start took",
        excludes("--work")},
       {"--machines N", &options.machines, "machines that the training needs at once",
        up_to(1'000'000)},
       {"--spot-price USD", parsed(request.spot_price, price_per_hour_of),
        "USD per hour of a spot machine"},
       {"--price-history FILE", &options.price_history,
        "its prices over time: JSON of aws ec2 describe-spot-price-history, or lines TIME,PRICE",
        excludes("--spot-price")},
       {"--price USD", parsed(request.on_demand_price, price_per_hour_of),
        "USD per hour on demand, to compare with"},
       {"--deadline TIME", parsed(request.deadline, parse_duration),
        "compare policies that may change between spot and on demand"},
       {"--html FILE", &options.html,
        "write a page that shows what the training does on the trace"}});
  options.spot.add_to(command);
}

extern const NamedCommand kSpotCommand{"spot", add_spot};

}  // namespace lapcast
