#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "posix/files.h"
#include "probe/cut_off_run.h"
#include "probe/run_folder.h"
#include "remote/agent_protocol.h"
#include "remote/record.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCutOff = "its machine was switched off, or lapcast on it was killed";

/// Holds what a record tells of the attempts at its run.
struct ToldAttempts {
  std::vector<CutOffAttempt> earlier;
  HeardOfRun last;
  bool are_named = false;  // by a line; an older lapcast wrote none, and its times start again at 0

  void take(AgentMessage said) {
    if (auto* named = std::get_if<message::EarlierAttempts>(&said))
      *this = {std::move(named->attempts), {}, true};
    if (const auto* started = std::get_if<message::Started>(&said))
      last.started_ns = started->clock_ns;
    if (auto* so_far = std::get_if<RunSoFar>(&said)) last.so_far = std::move(so_far->run);
    if (const auto* progress = std::get_if<ProbeProgress>(&said)) take_time(progress->elapsed);
  }

 private:
  void take_time(Seconds elapsed) {
    constexpr Seconds kRounded{0.1};
    if (are_named) elapsed = std::max(Seconds{0}, elapsed - time_of(earlier));
    if (elapsed + kRounded < last.elapsed) {
      earlier.push_back({last.elapsed, Seconds{0}});
      last = {};
    }
    last.elapsed = elapsed;
  }
};

ToldAttempts told_attempts(const fs::path& record_file) {
  std::ifstream record(record_file);
  ToldAttempts told;
  for (std::string line; std::getline(record, line);)
    if (!line.starts_with(kResultMark)) told.take(parse_agent_message(line));
  return told;
}

/// Makes a run from what was written of the last attempt, or from the reason why there is nothing.
Run run_of_record(const RecordFolder& folder, const RemoteRequest& request) {
  const ProbeRequest& probe = request.probe;
  const ToldAttempts told = told_attempts(folder.record_file());
  const bool was_started = told.last.started_ns > 0 || told.earlier.empty();
  const fs::path run_folder =
      was_started ? newest_run_folder(folder.root(), probe.context.id) : fs::path();
  Run run =
      cut_off_run(probe.context, probe.limits.max_log_bytes, told.last, run_folder, 0, kCutOff);
  run.preparation = request.preparation;
  for (PreparationStep& step : steps_of(told.earlier)) run.preparation.push_back(std::move(step));
  run.warnings.insert(run.warnings.begin(), request.warnings.begin(), request.warnings.end());
  return ended_by_cut(std::move(run), kCutOff);
}

/// Returns the folders of the same run: the folder itself, and ID and ID.* where its name is ID or
/// ID.*.
std::vector<fs::path> lives_of(const fs::path& record_folder) {
  const std::string name = record_folder.filename().string();
  const std::string id = name.substr(0, name.find('.'));
  std::vector<fs::path> lives{record_folder};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(record_folder.parent_path(), error)) {
    const std::string other = entry.path().filename().string();
    if (entry.path() != record_folder && (other == id || other.starts_with(id + ".")))
      lives.push_back(entry.path());
  }
  return lives;
}

bool is_folder(const fs::path& path, timespec& written) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  written = status.st_mtim;
  return true;
}

/// Returns the folder with the record of the latest attempt.
fs::path newest_life(const fs::path& record_folder) {
  std::pair<fs::file_time_type, fs::path> newest{fs::file_time_type::min(), {}};
  for (const fs::path& life : lives_of(record_folder)) {
    std::error_code error;
    const auto size = fs::file_size(life / "record", error);
    if (error || size == 0) continue;
    if (life == record_folder) return life;
    newest = std::max(newest, {fs::last_write_time(life / "record", error), life});
  }
  return newest.second;
}

/// Returns the program's own folder that was written last; empty if there is none. It is called
/// "inherited" if the next attempt was cut off before taking it.
fs::path newest_run_dir(const fs::path& record_folder) {
  fs::path newest;
  timespec newest_time{};
  for (const fs::path& life : lives_of(record_folder)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(life, error)) {
      const std::string name = entry.path().filename().string();
      const bool of_program = name.starts_with("lapcast-run-");
      const fs::path run_dir = of_program ? entry.path() / "run" : entry.path();
      timespec written{};
      if ((!of_program && name != "inherited") || !is_folder(run_dir, written)) continue;
      if (!newest.empty() && std::pair(written.tv_sec, written.tv_nsec) <=
                                 std::pair(newest_time.tv_sec, newest_time.tv_nsec))
        continue;
      newest = run_dir;
      newest_time = written;
    }
  }
  return newest;
}

}  // namespace

Run ended_by_cut(Run run, const std::string& why) {
  const std::size_t laps = laps_of(run)->laps.size();
  if (laps > 0)
    run.outcome = outcome::BudgetSpent{fmt::format("cut off after {} laps: {}", laps, why)};
  return run;
}

bool recover_result(const RecordFolder& folder) {
  auto writer = RecordWriter::open(folder);
  if (!writer) return folder.is_finished();
  const Result<RemoteRequest> request = folder.request();
  if (!request) return false;
  return writer->finish(run_of_record(folder, *request));
}

LeftAttempts left_attempts(const RecordFolder& folder, const ProbeRequest& request) {
  LeftAttempts left{.run_dir = newest_run_dir(folder.root())};
  if (request.resume && !left.run_dir.empty())
    left.checkpoint = newest_checkpoint(left.run_dir, request.resume->checkpoints);
  const fs::path life = newest_life(folder.root());
  ToldAttempts told = told_attempts(life / "record");
  left.attempts = std::move(told.earlier);
  if (told.last.started_ns == 0) return left;
  const RunContext& context = request.context;
  const fs::path run_folder = newest_run_folder(life, context.id);
  const Seconds time =
      cut_off_run(context, request.limits.max_log_bytes, told.last, run_folder, 0, kCutOff).wall();
  const auto saved = left.checkpoint
                         ? written_after_start(run_folder, left.run_dir / *left.checkpoint)
                         : std::nullopt;
  const Seconds kept = std::clamp(saved.value_or(Seconds{0}), Seconds{0}, time);
  left.attempts.push_back({time, time - kept});
  return left;
}

}  // namespace lapcast
