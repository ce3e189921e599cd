#include "commands/offload/rented_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/rent_check.h"
#include "campaign/rent_plan.h"
#include "campaign/rented_machines.h"
#include "campaign/worker_run.h"
#include "cli/console.h"
#include "cli/defaults_file.h"
#include "cli/page_file.h"
#include "cli/progress_line.h"
#include "cli/watch_view.h"
#include "commands/offload/offload.h"
#include "commands/offload/session_folder.h"
#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/lease_cost.h"
#include "lease/rental.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"
#include "query/queue_limit.h"
#include "remote/agent_session.h"
#include "remote/host.h"
#include "remote/patience.h"
#include "remote/record.h"
#include "remote/run_at_place.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kBringEvery{30};
constexpr Seconds kEndPatience{10};
constexpr int kMostMachines = 5;

/// Returns how long the machine is rented: --max-time, else 1.2 times the upper end of the
/// forecast, with the time before and after the training.
Seconds term_of(const OffloadArguments& options, const Store& store, const RunContext& context) {
  if (options.limits.max_time) return *options.limits.max_time + kBeforeAndAfterTraining;
  if (const auto forecast = forecast_of_training(store, context))
    return kRoomForTraining * forecast->high + kBeforeAndAfterTraining;
  throw Error(ExitCode::usage,
              "how long the machine is needed is not known: probe the program first (lapcast "
              "sweep), or add --max-time 6h");
}

RentalOrder order_of(const OffloadArguments& options, const Destination& destination,
                     const Store& store) {
  if (!options.limits.max_cost)
    throw Error(ExitCode::usage,
                fmt::format("'{}' has to be rented, which needs --max-cost, such as --max-cost 5",
                            printable(destination.machine.type.name)));
  FleetMachine machine = destination.machine;
  if (destination.context.price && !machine.offer) machine.offer = destination.context.price;
  MachineToRent wanted = rent_plan_of({{machine}, {}}, {}).machines.front();
  take_told_egress({&wanted});
  RentalOrder& order = wanted.order;
  order.lease.term = term_of(options, store, destination.context);
  const Money worst = worst_cost(order.lease);
  if (worst > *options.limits.max_cost)
    throw Error(ExitCode::usage,
                fmt::format("{} may cost {} until its deadline in {}, more than --max-cost; raise "
                            "it, or shorten the term with --max-time",
                            printable(machine.type.name), dollar_text(worst),
                            format_duration(order.lease.term)));
  return order;
}

/// Runs one training on rented machines.
class RentedTraining {
 public:
  RentedTraining(const Globals& globals, Store& store, const RentalOrder& order,
                 const WatchLimitOptions& limits, ProbeRequest request)
      : store_(store),
        typed_(typed_line(globals)),
        order_(order),
        may_last_longer_(!limits.max_time),
        request_(std::move(request)),
        folder_(std::filesystem::absolute("lapcast-" + request_.context.id),
                request_.resume ? request_.resume->checkpoints : ""),
        line_(globals.quiet),
        rentals_({request_.context.id, *limits.max_cost, rent_limit_a_month()},
                 [this](const std::string& line) { line_.finished(line); }) {}

  /// Returns the run once it has ended. Throws Error when the training is left alone or lost.
  Run run() {
    for (int machine = 1; !result_; ++machine) {
      rent();
      begin();
      follow();
      if (result_) break;
      if (!request_.resume || machine >= kMostMachines) give_up();
      line_.finished(fmt::format("{}; the training goes on on another machine", lost_));
    }
    bring_home();
    rentals_.give_back(number_, "the training has ended, and its results are here");
    store_.add(*result_, true);
    store_.remove_pending_run(request_.context.id);
    rentals_.end_all("the training has ended", kEndPatience);
    line_.clear();
    return *result_;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  Money spent() const { return rentals_.spent(); }

 private:
  void rent() {
    const auto number = rentals_.order(order_);
    if (!number) throw Error(ExitCode::usage, number.error().text);
    number_ = *number;
    while (rental().state == RentalState::booting && interrupt_.count() == 0) {
      rentals_.step(200ms);
      line_.show(
          fmt::format("renting {}: {} so far", order_.lease.name, dollar_text(rentals_.spent())));
    }
    if (rental().state == RentalState::ready) return;
    const std::string why = rental().reason;
    rentals_.end_all("it is not needed", kEndPatience);
    if (interrupt_.count() > 0) throw Error(ExitCode::interrupted, "interrupted; nothing runs");
    throw Error(ExitCode::system_failed,
                fmt::format("{} was not rented: {}", printable(order_.lease.name), why));
  }

  /// Sends what is needed, with what an earlier machine left, and starts the program.
  void begin() {
    const LeaseConnection connection = rentals_.connection(number_);
    request_.place_setup.place = place_by_config(connection.host, connection.config.string());
    send_inherited();
    remote_ = remote_run(request_, interrupt_);
    const auto begun =
        begin_training(store_, request_, typed_, *remote_, [&](const std::string& what) {
          line_.show(what);
          rentals_.step(0ms);
        });
    if (begun) return;
    rentals_.end_all(begun.error().text, kEndPatience);
    store_.remove_pending_run(request_.context.id);
    throw Error(ExitCode::system_failed, begun.error().text);
  }

  /// Gives the run folder of the earlier machine to this one, as after a reboot.
  void send_inherited() {
    if (!request_.resume) return;
    const auto tell = [this](const std::string& what) { line_.show(what); };
    if (!folder_.send_to(request_, nullptr, tell))
      line_.finished("the checkpoints could not be sent: the training begins anew");
  }

  void follow() {
    MonotonicNs brought = monotonic_ns();
    lost_.clear();
    while (!result_ && lost_.empty()) {
      if (interrupt_.count() > 0) leave_alone(ExitCode::interrupted, "the training goes on");
      rentals_.step(0ms);
      RemoteNews news = remote_->follow(500ms);
      heard_ += news.bytes;
      for (AgentMessage& said : news.messages) take(said);
      line_.show(fmt::format("{}, {} so far, at most {}", state_, dollar_text(rentals_.spent()),
                             dollar_text(rentals_.at_most())));
      if (!result_) look_at_machine(news);
      const bool ends = rental().preempted_at.has_value();
      if (result_ || !lost_.empty()) break;
      if (may_last_longer_) keep_machine();
      if (from_ns(monotonic_ns() - brought) < (ends ? Seconds{2} : kBringEvery)) continue;
      bring_so_far();
      brought = monotonic_ns();
    }
  }

  void take(AgentMessage& said) {
    if (const auto* progress = std::get_if<ProbeProgress>(&said)) state_ = progress->state;
    if (auto* so_far = std::get_if<RunSoFar>(&said))
      so_far_ = as_run_of(request_, std::move(so_far->run));
    if (auto* run = std::get_if<Run>(&said)) result_ = as_run_of(request_, std::move(*run));
    if (const auto* reason = std::get_if<Reason>(&said)) lost_ = reason->text;
  }

  /// Notes why the machine is lost, if it is: it has ended, or it is silent while its provider
  /// answers.
  void look_at_machine(const RemoteNews& news) {
    if (rental().state == RentalState::ended) lost_ = rental().reason;
    if (news.lost && lost_.empty()) lost_ = news.lost->text;
    if (news.silent < contact_patience()) return;
    rentals_.look_again(number_);
    if (lost_.empty() && is_dead(rental(), news.silent))
      lost_ = fmt::format("{} was silent for {}", order_.lease.name, format_duration(news.silent));
    if (!lost_.empty()) rentals_.give_back(number_, lost_);
  }

  /// Moves the deadline of a training that goes on in the minutes that are meant for what comes
  /// after it.
  void keep_machine() {
    const Seconds left = from_ns(rental().lease.deadline - lease_now_ns());
    if (left > kBeforeAndAfterTraining) return;
    const auto moved = rentals_.extend(number_, left + kBeforeAndAfterTraining);
    if (moved) return;
    may_last_longer_ = false;
    line_.finished(fmt::format("the machine is given back in {}: {}", format_duration(left),
                               printable(moved.error().text, 1000)));
  }

  /// Copies what the program has written so far, and counts what came.
  Result<void> bring() {
    const auto fetched = folder_.bring(*remote_);
    // The price of more was promised before.
    (void)rentals_.note_fetched(number_, std::exchange(heard_, 0) + (fetched ? fetched->bytes : 0));
    if (!fetched) return tl::unexpected(fetched.error());
    return {};
  }

  /// Promises the egress of all that the run has written, so many times. The Reason says that it is
  /// too dear.
  Result<void> promise_egress(int times) {
    if (!order_.lease.egress) return {};
    const auto host = host_of(request_.place_setup.place);
    const auto size = host->run(in_agent_folder(request_.place_setup, "du -sb -- \"$1\" | cut -f 1",
                                                {"runs/" + request_.context.id}));
    if (!size || size->status != 0) return {};  // then nothing can be fetched, either
    const std::string_view text = std::string_view(size->output).substr(0, size->output.find('\n'));
    return rentals_.allow_to_fetch(number_, times * parse_integer(text).value_or(0));
  }

  /// Brings what there is now, unless the price of doing it again at the end is not promised.
  void bring_so_far() {
    const auto promised = promise_egress(2);
    if (promised) {
      (void)bring();
    } else if (!std::exchange(told_of_egress_, true)) {
      line_.finished(fmt::format("what the program writes is fetched at its end only: {}",
                                 printable(promised.error().text, 1000)));
    }
  }

  void bring_home() {
    if (std::holds_alternative<outcome::NotStarted>(result_->outcome)) return;
    if (const auto promised = promise_egress(1); !promised)
      leave_alone(ExitCode::some_failed,
                  fmt::format("the training has ended; its results are not fetched: {}",
                              printable(promised.error().text, 1000)));
    if (const auto brought = bring(); !brought)
      say("warning: {}; {} has what came before", printable(brought.error().text, 1000),
          printable(folder().string()));
  }

  [[noreturn]] void leave_alone(ExitCode code, const std::string& why) {
    line_.clear();
    const Seconds left = from_ns(std::max<UtcNs>(0, rental().lease.deadline - lease_now_ns()));
    rentals_.keep(number_, left);
    throw Error(code,
                fmt::format("{}, and its machine costs money until it is given back in {}: lapcast "
                            "fetch {} brings its results, lapcast leases --end {} gives the "
                            "machine back",
                            why, format_duration(left), request_.context.id, rental().lease.id));
  }

  [[noreturn]] void give_up() {
    line_.clear();
    Run run = so_far_.value_or(run_not_started(request_.context, lost_));
    if (so_far_) run = ended_by_cut(std::move(run), lost_);
    store_.add(run, true);
    store_.remove_pending_run(request_.context.id);
    rentals_.end_all(lost_, kEndPatience);
    throw Error(ExitCode::program_failed,
                fmt::format("the training is lost: {}; what it had written is in {}{}", lost_,
                            printable(folder().string()),
                            request_.resume ? "" : "; with --resume-flag it would have gone on"));
  }

  const Rental& rental() const { return rentals_[number_]; }

  Store& store_;
  const std::string typed_;
  const RentalOrder order_;
  bool may_last_longer_;  // the deadline of the machine can be moved, as far as is known
  ProbeRequest request_;
  const SessionFolder folder_;
  Interrupt interrupt_;
  ProgressLine line_;
  Rentals rentals_;
  std::size_t number_ = 0;  // of the machine that is used
  std::unique_ptr<RemoteRun> remote_;
  std::string state_ = "starting";
  std::int64_t heard_ = 0;       // bytes of its record that are not counted yet
  bool told_of_egress_ = false;  // that nothing is fetched before the end
  std::string lost_;             // why the machine is lost; empty = it is not
  std::optional<Run> so_far_;
  std::optional<Run> result_;
};

}  // namespace

ExitCode train_on_rented(const Globals& globals, const OffloadArguments& options,
                         const Destination& destination, ProbeRequest request) {
  Store store = globals.open_store();
  request.store_file = store.file();
  const RentalOrder order = order_of(options, destination, store);
  warn_of_files_left(store, request.context);
  RentedTraining training(globals, store, order, options.limits, std::move(request));
  const Run run = training.run();
  say("{}; its files are in {}; the machine cost {}", printable(watch_summary(run), 1200),
      printable(training.folder().string()), dollar_text(training.spent()));
  return exit_code_of(run);
}

}  // namespace lapcast
