#include "lap/lap_log_builder.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "lap/lap_log_format.h"
#include "lap/plain_line.h"

namespace lapcast {

LapLogBuilder::Problem LapLogBuilder::refused(std::int64_t at) const {
  if (!log_.hello) return "an event before the hello";
  if (at < log_.last_ns) return "time runs backwards";
  return at > latest_ns_ ? kAfterTheRun : nullptr;
}

void LapLogBuilder::set_window(const RunWindow& window) {
  window_ = window;
  find_latest();
}

void LapLogBuilder::find_latest() {
  if (!window_ || !log_.hello) return;
  const MonotonicNs clock = log_.hello->clock_ns;
  const bool same_clock =
      log_.hello->host == window_->host && clock >= window_->begin_ns && clock <= window_->end_ns;
  latest_ns_ = window_->end_ns - (same_clock ? clock : window_->begin_ns) + kClockToleranceNs;
}

void LapLogBuilder::happened(std::int64_t at) {
  log_.last_ns = at;
  next_.begin_ns = at;
}

LapLogBuilder::Problem LapLogBuilder::hello(Hello hello) {
  over_ = log_.hello.has_value();
  if (over_) return "a second hello";
  if (hello.rank >= hello.world_size) return "a rank outside its world";
  log_.hello = std::move(hello);
  find_latest();
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::plan(std::int64_t at, const TrainingPlan& plan) {
  if (const Problem problem = refused(at)) return problem;
  log_.plan = plan;
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::iteration(std::int64_t at, std::int32_t samples,
                                                bool finished) {
  if (const Problem problem = refused(at)) return problem;
  next_.end_ns = at;
  next_.samples = samples;
  next_.finished = finished;
  log_.on_device = log_.on_device || !finished;
  log_.laps.push_back(next_);
  if (finished) ends_.finished(log_.laps, log_.laps.size());
  next_.index++;
  if (epoch_open_) {
    log_.epochs.back().laps++;
    log_.epochs.back().samples += samples;
  }
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::ended(std::int64_t at, std::int64_t lap,
                                            std::int64_t end_ns) {
  if (const Problem problem = refused(at)) return problem;
  if (lap < 1 || lap > laps()) return "the end of a lap that was not reported";
  if (end_ns > at) return "the end of a lap before it ended";
  ends_.take(log_.laps, static_cast<std::size_t>(lap), end_ns);
  log_.last_ns = at;
  next_.begin_ns = std::max(next_.begin_ns, ends_.latest_ns());
  return nullptr;
}

// push_back alone would copy a large log several times. The room is limited, because a garbled log
// may announce any size.
static void make_room(std::vector<Lap>& laps, std::size_t bytes_to_come) {
  constexpr std::size_t kTypicalIterationBytes = 20;
  constexpr std::size_t kMostLapsReserved = 1 << 20;
  constexpr std::size_t kMostLapsOfRun = 1 << 24;
  const std::size_t more = std::min(bytes_to_come / kTypicalIterationBytes, kMostLapsReserved);
  if (laps.size() + more <= laps.capacity()) return;
  if (laps.size() + more > kMostLapsReserved && laps.capacity() < kMostLapsOfRun) try {
      laps.reserve(
          kMostLapsOfRun);  // takes memory when it is used; moving many laps, twice as much
      return;
    } catch (const std::bad_alloc&) {  // a limit of address space
    }
  laps.reserve(std::max(laps.size() + more, 2 * laps.capacity()));
}

std::size_t LapLogBuilder::take_iterations(std::string_view bytes) {
  if (!log_.hello) return 0;
  make_room(log_.laps, bytes.size());
  std::size_t taken = take_row(bytes);
  EndLine line;
  while (bytes.size() - taken >= kIterationLineReach &&
         parse_end_line(bytes.data() + taken, line) &&
         ended(line.at_ns, line.lap, line.end_ns) == nullptr) {
    taken += line.bytes;
    taken += take_row(bytes.substr(taken));
  }
  return taken;
}

std::size_t LapLogBuilder::take_row(std::string_view bytes) {
  const char* from = bytes.data();
  const char* const end = from + bytes.size();
  const Lap first = next_;
  std::int64_t samples = 0;
  IterationLine line;
  while (end - from >= std::ptrdiff_t{kIterationLineReach} && parse_iteration_line(from, line) &&
         line.at_ns >= log_.last_ns && line.at_ns <= latest_ns_) {
    next_.end_ns = line.at_ns;
    next_.samples = line.samples;
    next_.finished = line.finished;
    log_.on_device = log_.on_device || !line.finished;
    log_.laps.push_back(next_);
    next_.index++;
    if (line.finished) ends_.finished(log_.laps, static_cast<std::size_t>(next_.index));
    samples += line.samples;
    happened(line.at_ns);
    from += line.bytes;
  }
  if (epoch_open_) {
    log_.epochs.back().laps += next_.index - first.index;
    log_.epochs.back().samples += samples;
  }
  return static_cast<std::size_t>(from - bytes.data());
}

LapLogBuilder::Problem LapLogBuilder::stage_begin(std::int64_t at, std::string_view name) {
  if (const Problem problem = refused(at)) return problem;
  if (open_stages_.size() >= kMaxOpenStages) return "too many stages in one another";
  open_stages_.push_back({std::string(name), at, laps()});
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::end_stage(std::int64_t at, std::string_view name,
                                                std::int64_t bytes) {
  if (const Problem problem = refused(at)) return problem;
  const auto open = std::find_if(open_stages_.rbegin(), open_stages_.rend(),
                                 [&](const OpenStage& stage) { return stage.name == name; });
  if (open == open_stages_.rend()) return "a stage ends that did not begin";
  log_.stages.push_back(
      {std::move(open->name), {open->begin_ns, at}, bytes, next_.epoch, open->laps_before});
  open_stages_.erase(std::next(open).base());
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::epoch_begin(std::int64_t at, std::int32_t epoch) {
  if (const Problem problem = refused(at)) return problem;
  log_.epochs.push_back({.epoch = epoch, .span = {at, 0}, .first_lap = laps()});
  epoch_open_ = true;
  next_.epoch = epoch;
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::epoch_end(std::int64_t at, std::int32_t epoch) {
  if (const Problem problem = refused(at)) return problem;
  if (!epoch_open_ || log_.epochs.back().epoch != epoch) return "an epoch ends that did not begin";
  log_.epochs.back().span.end_ns = at;
  log_.epochs.back().ended = true;
  epoch_open_ = false;
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::validation_begin(std::int64_t at) {
  if (const Problem problem = refused(at)) return problem;
  const bool twice = open_validation_.has_value();
  open_validation_ = ValidationSpan{
      .span = {at, at}, .epoch = next_.epoch, .within_epoch = epoch_open_, .laps_before = laps()};
  happened(at);
  return twice ? kValidationAgain : nullptr;
}

LapLogBuilder::Problem LapLogBuilder::validation_end(std::int64_t at, std::int64_t samples) {
  if (const Problem problem = refused(at)) return problem;
  if (!open_validation_) return "a validation ends that did not begin";
  open_validation_->span.end_ns = at;
  open_validation_->samples = samples;
  log_.validations.push_back(*open_validation_);
  open_validation_.reset();
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::metric(std::int64_t at, std::string_view name, double value) {
  if (const Problem problem = refused(at)) return problem;
  log_.metrics.push_back({std::string(name), value, at, next_.epoch, laps()});
  log_.last_ns = at;
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::phase(std::int64_t at, std::string_view name) {
  if (const Problem problem = refused(at)) return problem;
  const auto known = phase_numbers_.find(std::string(name));
  if (known != phase_numbers_.end()) {
    next_.phase = known->second;
  } else {
    if (log_.phases.size() >= kMaxPhases) return "too many phases";
    next_.phase = static_cast<std::int16_t>(log_.phases.size());
    phase_numbers_.emplace(name, next_.phase);
    log_.phases.emplace_back(name);
  }
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::note(std::int64_t at, std::string_view text) {
  if (const Problem problem = refused(at)) return problem;
  log_.last_ns = at;
  if (std::find(log_.notes.begin(), log_.notes.end(), text) != log_.notes.end()) return nullptr;
  if (log_.notes.size() >= kMaxNotes) return "too many notes";
  log_.notes.emplace_back(text);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::device_memory(std::int64_t at, std::int64_t bytes) {
  if (const Problem problem = refused(at)) return problem;
  log_.device_memory_bytes = std::max(log_.device_memory_bytes, bytes);
  log_.last_ns = at;
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::sequence(std::int64_t at, SequencesSeen newest) {
  if (const Problem problem = refused(at)) return problem;
  log_.last_ns = at;
  SequencesSeen& seen = log_.sequences;
  if (newest.by_tokens && !seen.by_tokens) seen = {.by_tokens = true};
  const SequencePeak peak = newest.peaks.front();
  const std::int64_t samples = seen.peaks.empty() ? 0 : seen.peaks.back().samples;
  if (newest.by_tokens != seen.by_tokens || peak.samples < samples) return nullptr;
  const bool is_anew = peak.samples > samples || peak.length <= seen.longest();
  if (!is_anew) newest.peaks.insert(newest.peaks.begin(), seen.peaks.begin(), seen.peaks.end());
  seen = std::move(newest);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::numbers(std::int64_t at, std::string_view name) {
  if (const Problem problem = refused(at)) return problem;
  log_.numbers = name;
  log_.last_ns = at;
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::load(const LoadSample& load) {
  if (const Problem problem = refused(load.at_ns)) return problem;
  log_.loads.push_back(load);
  log_.last_ns = load.at_ns;
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::gpu(const GpuSample& gpu) {
  if (const Problem problem = refused(gpu.at_ns)) return problem;
  log_.gpus.push_back(gpu);
  log_.last_ns = gpu.at_ns;
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::begin_anew(std::int64_t at) {
  if (const Problem problem = refused(at)) return problem;
  log_.new_begin = NewBegin{at, laps()};
  epoch_open_ = false;
  open_validation_.reset();
  happened(at);
  return nullptr;
}

LapLogBuilder::Problem LapLogBuilder::bye(std::int64_t at) {
  if (const Problem problem = refused(at)) return problem;
  log_.said_bye = true;
  happened(at);
  return nullptr;
}

}  // namespace lapcast
