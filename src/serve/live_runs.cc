#include "serve/live_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/units.h"
#include "history/assessment.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "run/run.h"
#include "run/secrets.h"
#include "run/settings.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr MonotonicNs kSearchEvery = 1'000'000'000;
constexpr MonotonicNs kLongestLook = 100'000'000;
constexpr std::size_t kSpeedLaps = 50;      // the newest ones, which give the speed
constexpr std::size_t kShownColumns = 300;  // of a text

std::string event_of(std::string_view name, const Json& data) {
  return server_event(name,
                      escaped_controls(data.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

LapPoint point_of(const Lap& lap, std::size_t index) {
  return {static_cast<std::int64_t>(index), from_ns(lap.end_ns), lap.seconds()};
}

/// Returns the laps per second of the last of these laps; 0 = not known.
double speed_of(std::span<const Lap> laps) {
  const std::span<const Lap> last = laps.last(std::min(laps.size(), kSpeedLaps));
  if (last.size() < 2) return 0;
  const double time = from_ns(last.back().end_ns - last.front().end_ns).count();
  return time > 0 ? static_cast<double>(last.size() - 1) / time : 0;
}

Json points_json(const auto& points) {
  Json list = Json::array();
  for (const LapPoint& point : points)
    list.push_back({point.index, point.end.count(), point.time.count()});
  return list;
}

/// Returns how long ago a run began, as far as this machine's clock tells it.
std::optional<Seconds> elapsed_of(const Run& run) {
  const Seconds elapsed = from_ns(monotonic_ns() - run.started_ns);
  return elapsed.count() >= 0 ? std::optional(elapsed) : std::nullopt;
}

std::string run_event(const std::string& id, const std::optional<Run>& about) {
  Json data{{"run", id}};
  if (about) {
    const RunContext& context = about->context;
    if (!context.sweep.empty()) data["sweep"] = context.sweep;
    data["kind"] = to_string(context.kind);
    data["machine_type"] = printable(context.machine_type.name, kShownColumns);
    data["settings"] = printable(settings_text(context), kShownColumns);
    data["program"] = printable(shown_program(context), kShownColumns);
    data["started_at"] = printable(context.started_at, kShownColumns);
    if (const auto elapsed = elapsed_of(*about)) data["elapsed_s"] = elapsed->count();
  }
  return event_of("run", data);
}

/// Adds a value under a key, and the bounds of its interval under keys of their own.
void add_interval(Json& data, const std::string& name, const std::string& unit, double mid,
                  double low, double high) {
  data[name + unit] = mid;
  data[name + unit + "_low"] = low;
  data[name + unit + "_high"] = high;
}

/// Adds what a forecast says of a run that began so long ago.
void add_rest(Json& data, const LiveForecast& forecast, Seconds elapsed,
              const std::optional<Offer>& price) {
  const auto& total = forecast.total();
  const RestOfRun rest = rest_of_run(elapsed, total ? std::optional(*total) : std::nullopt, price);
  if (rest.left)
    add_interval(data, "left", "_s", rest.left->mid.count(), rest.left->low.count(),
                 rest.left->high.count());
  else
    data["why_not_known"] = printable(total.error().text, kShownColumns);
  if (rest.cost_so_far) data["cost_so_far_usd"] = rest.cost_so_far->dollars();
  if (rest.cost)
    add_interval(data, "cost", "_usd", rest.cost->mid.dollars(), rest.cost->low.dollars(),
                 rest.cost->high.dollars());
}

}  // namespace

std::string server_event(std::string_view name, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

std::vector<LapPoint> drawn_laps(std::span<const Lap> laps, std::size_t most) {
  std::vector<LapPoint> points;
  if (laps.size() <= most) {
    for (std::size_t i = 0; i < laps.size(); ++i) points.push_back(point_of(laps[i], i));
    return points;
  }
  const std::size_t stretches = most / 2;
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t begin = laps.size() * i / stretches;
    const auto stretch = laps.subspan(begin, laps.size() * (i + 1) / stretches - begin);
    const auto [least, longest] = std::ranges::minmax_element(stretch, {}, &Lap::seconds);
    for (const auto& lap : {std::min(least, longest), std::max(least, longest)})
      points.push_back(point_of(*lap, begin + static_cast<std::size_t>(lap - stretch.begin())));
  }
  return points;
}

LiveRuns::LiveRun::LiveRun(const LiveRunFolder& folder)
    : root(folder.root), id(folder.run_id), laps(folder.root / "laps", kMostLogBytes) {}

std::string LiveRuns::LiveRun::describe(std::optional<Run> run,
                                        const PastErrorsOf& past_errors_of) {
  about = std::move(run);
  if (!about) return run_event(id, about);
  laps.set_start(about->started_ns, about->context.machine.host);
  // Probes are stopped long before the end of the training.
  if (about->context.kind != RunKind::probe && elapsed_of(*about))
    forecast.emplace(about->context,
                     past_errors_of ? past_errors_of(about->context) : PastErrorsFor(),
                     about->started_ns, monotonic_ns);
  return told == 0 ? run_event(id, about) : run_event(id, about) + laps_event(recent);
}

std::string LiveRuns::LiveRun::laps_event(const auto& points) const {
  const LapLog& log = laps.log();
  Json data{{"run", id}, {"laps", log.laps.size()}};
  if (const double speed = speed_of(log.laps); speed > 0) data["laps_per_second"] = speed;
  if (!log.epochs.empty()) data["epoch"] = log.epochs.back().epoch;
  if (log.plan && log.plan->epochs > 0) data["planned_epochs"] = log.plan->epochs;
  if (laps.over_limit()) data["cut_off"] = true;
  if (forecast) add_rest(data, forecast->made(), *elapsed_of(*about), about->context.price);
  data["points"] = points_json(points);
  return event_of("laps", data);
}

LiveRuns::FoundRuns LiveRuns::search(const fs::path& parent) {
  const MonotonicNs begin = monotonic_ns();
  FoundRuns found{live_run_folders(parent)};
  std::erase_if(found.folders, [](const LiveRunFolder& folder) {
    return !is_own_path(folder.root / "laps", S_IFDIR, Forbidden::nothing);
  });
  found.took_ns = monotonic_ns() - begin;
  return found;
}

bool LiveRuns::is_search_due() {
  const MonotonicNs now = monotonic_ns();
  if (now < resting_until_) return false;
  std::error_code error;
  const auto time = fs::last_write_time(run_parent_or_default(run_parent_), error);
  if (!error && parent_time_ == time && now < next_search_) return false;
  parent_time_ = time;
  next_search_ = now + kSearchEvery;
  return true;
}

/// Returns the events of the runs that were found, or are gone.
std::string LiveRuns::find_runs() {
  if (!search_.valid() && !is_search_due()) return "";
  if (!search_.valid()) search_ = std::async(std::launch::async, search, run_parent_);
  if (search_.wait_for(patience_) != std::future_status::ready) return "";
  const FoundRuns search = search_.get();
  constexpr MonotonicNs kRest = 10;  // times the length of a search: measurements go on meanwhile
  resting_until_ = monotonic_ns() + kRest * search.took_ns;
  std::string events;
  std::set<fs::path> found;
  for (const LiveRunFolder& folder : search.folders) {
    found.insert(folder.root);
    const auto known = runs_.find(folder.root);
    if (known == runs_.end() && runs_.size() < kMostRuns) {
      const auto [run, added] = runs_.try_emplace(folder.root, folder);
      events += run->second.describe(described_run(folder), past_errors_of_);
    } else if (known != runs_.end() && !known->second.about) {
      // It was found before its description was written.
      if (auto run = described_run(folder))
        events += known->second.describe(std::move(run), past_errors_of_);
    }
  }
  std::erase_if(runs_, [&](const auto& entry) {
    const bool is_gone = !found.contains(entry.first);
    if (is_gone) events += event_of("gone", {{"run", entry.second.id}});
    return is_gone;
  });
  return events;
}

std::string LiveRuns::news_of(LiveRun& run) {
  const LapLog& log = run.laps.log();
  if (log.laps.size() <= run.told) return "";
  const std::span<const Lap> fresh = std::span(log.laps).subspan(run.told);
  std::vector<LapPoint> points = drawn_laps(fresh, kMostNewPoints);
  for (LapPoint& point : points) point.index += static_cast<std::int64_t>(run.told);
  run.told = log.laps.size();
  run.recent.insert(run.recent.end(), points.begin(), points.end());
  while (run.recent.size() > kMostPoints) run.recent.pop_front();
  if (run.forecast)
    if (const Seconds elapsed = *elapsed_of(*run.about); run.forecast->is_due(elapsed))
      run.forecast->update(log, elapsed);
  return run.laps_event(points);
}

std::string LiveRuns::look() {
  std::string events = find_runs();
  const MonotonicNs until = monotonic_ns() + kLongestLook;
  auto next = runs_.upper_bound(looked_at_);
  for (std::size_t i = 0; i < runs_.size() && monotonic_ns() < until; ++i, ++next) {
    if (next == runs_.end()) next = runs_.begin();
    looked_at_ = next->first;
    // The program could have put a link in the place of its folder.
    if (!is_own_path(looked_at_ / "laps", S_IFDIR, Forbidden::nothing)) continue;
    if (next->second.laps.poll()) events += news_of(next->second);
  }
  return events;
}

std::string LiveRuns::snapshot() const {
  std::string events;
  for (const auto& [root, run] : runs_) {
    events += run_event(run.id, run.about);
    if (run.told > 0) events += run.laps_event(run.recent);
  }
  return events;
}

void LiveRuns::forget() {
  runs_.clear();
  parent_time_.reset();
  resting_until_ = 0;
}

}  // namespace lapcast
