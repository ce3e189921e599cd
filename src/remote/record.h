#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "posix/files.h"
#include "remote/remote_request.h"
#include "run/attempts.h"
#include "run/run.h"

namespace lapcast {

/// Names the files in the private folder of a run on the machine, or shared file system, where it
/// runs:
///   FOLDER/runs/ID/request.json   a RemoteRequest, written once, before anything else
///                  record         lines of a probe (agent_protocol.h); grows at its end only
///                  holder         locked by the process that records; "HOST BOOT-ID PID"
///                  orders         what the coordinator wants, a line each: "stop", "kill" ...;
///                                 an order may be repeated after a broken link
///                  out            what lapcast itself printed on that machine
///                  reserve        space for the result on a full disk
///                  ended          exists if the result of a life of a Slurm job stands: no signal
///                                 reached lapcast before the program's end
///                  lapcast-run-*  the program's own run folder and lap logs while it runs
class RecordFolder {
 public:
  explicit RecordFolder(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path request_file() const { return root_ / "request.json"; }
  std::filesystem::path record_file() const { return root_ / "record"; }
  std::filesystem::path holder_file() const { return root_ / "holder"; }
  std::filesystem::path orders_file() const { return root_ / "orders"; }
  std::filesystem::path output_file() const { return root_ / "out"; }
  std::filesystem::path reserve_file() const { return root_ / "reserve"; }
  std::filesystem::path ended_file() const { return root_ / "ended"; }
  /// Returns whether it is the folder of a life of a Slurm job, FOLDER/runs/ID.JOB.RESTARTS.
  bool is_life_of_job() const { return root_.filename().string().find('.') != std::string::npos; }
  /// Returns FOLDER/work/NAME, the folder that a request's program was sent into.
  std::filesystem::path work_dir(const std::string& name) const;

  /// Creates the folder with mode 0700 and writes the request in one step, unless it exists. The
  /// Reason names the folder and what went wrong, such as a full disk.
  Result<void> create(const RemoteRequest& request) const;
  /// Reads the request. The Reason says why it cannot be read.
  Result<RemoteRequest> request() const;
  /// Returns whether the record has its result.
  bool is_finished() const;
  /// Appends an order.
  Result<void> give_order(std::string_view order) const;

 private:
  std::filesystem::path root_;
};

/// Writes the record of a run. Only one process does so at a time, across all machines that share
/// the folder, if its file system has locks. Lines are written whole or not at all.
class RecordWriter {
 public:
  /// Fails if another process records, or the run is finished. Removes a line that was cut off when
  /// its writer died.
  static Result<RecordWriter> open(const RecordFolder& folder);
  /// Writes a line of progress. Drops the line when it cannot be written.
  void tell(std::string_view line);
  /// Writes the result. Calls `make_room` when the disk is full; if that is not enough, makes the
  /// result fit into the space that was reserved at the beginning by dropping the output, then the
  /// laps, and says so. Returns false if even that could not be written.
  bool finish(const Run& run, const std::function<void()>& make_room = {});
  /// Returns the orders that came since the last call.
  std::vector<std::string> take_orders();

 private:
  RecordWriter(RecordFolder folder, FileDescriptor holder)
      : folder_(std::move(folder)), holder_(std::move(holder)) {}
  bool append(std::string_view line);
  RecordFolder folder_;
  FileDescriptor holder_;  // with the lock
  FileDescriptor record_;
  std::int64_t orders_read_ = 0;
};

/// Returns whether a process of this machine, or of another one that shares the folder, records the
/// run.
bool is_recorded_now(const RecordFolder& folder);

/// Returns `run`, made by cut_off_run(), as one that has ended: with laps, its budget was spent.
Run ended_by_cut(Run run, const std::string& why);

/// Makes a result for a run whose recorder is gone (killed, or its machine was switched off), from
/// the laps that were written or the reason why there are none. Does nothing if another process
/// records the run or has finished it. Returns whether there is a result now.
bool recover_result(const RecordFolder& folder);

/// Passes the bytes of a record from `offset` on to `write` as they come. Stops after the result,
/// when nobody records the run any more, or when `write` returns false. In the second case it first
/// calls `record_again` and continues if that returns true because the run goes on; else it makes a
/// result of what the lap logs still hold. Waits for a record that another machine holds. Passes on
/// message::SignOfLife, which is not part of the record, once it has caught up, and then whenever
/// nothing comes for a second. Meanwhile it reads orders from `input_fd` (-1 = none), a line at a
/// time, and writes them down. After the result it reads orders until the end of `input_fd`, or
/// until kRemoveOrder, upon which it removes the folder.
void follow_record(const RecordFolder& folder, std::int64_t offset,
                   const std::function<bool(std::string_view)>& write, int input_fd = -1,
                   const std::function<bool()>& record_again = {});

/// Holds what a run that was cut off, and is to be started again, left behind.
struct LeftAttempts {
  std::filesystem::path run_dir;          // of the newest attempt; empty = none is left
  std::optional<std::string> checkpoint;  // the newest in it, as a path below it
  std::vector<CutOffAttempt> attempts;    // the newest last; none when no program was started
};

/// Returns the attempts so far of the request's run: those in the record's folder itself, after a
/// reboot of its machine, else those of the earlier lives of its Slurm job. Must be called before
/// anything of the next attempt is written into the record.
LeftAttempts left_attempts(const RecordFolder& folder, const ProbeRequest& request);

}  // namespace lapcast
