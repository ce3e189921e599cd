#include "retina/shards.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

#include "common/parallel.h"
#include "data/durable_file.h"
#include "data/image_example.h"
#include "retina/eye_files.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kListHeader = "image,level,record,width,height,x,y,radius,bytes,reason\n";
constexpr size_t kListFields = 10;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

fs::path shard_file(const fs::path& folder, int64_t shard, const char* ending) {
  char name[64];
  std::snprintf(name, sizeof name, "retina-%05lld%s", static_cast<long long>(shard), ending);
  return folder / name;
}

int64_t kib_class(uint64_t bytes) {
  return static_cast<int64_t>(std::bit_ceil((bytes + 1023) / 1024));
}

/// Takes one photograph into the sums.
void count(PrepareSummary& sums, const std::string& image, const std::string& reason, int64_t width,
           int64_t height, uint64_t bytes) {
  if (width > 0) ++sums.sizes[{width, height}];
  ++sums.files[kib_class(bytes)].first;
  if (reason.empty()) {
    ++sums.prepared;
  } else {
    sums.skipped.push_back({image, reason});
  }
}

/// Ends the run when the folder was prepared in another way, else notes how it is prepared.
void check_settings(const PrepareRequest& request) {
  const std::string settings = "size " + std::to_string(request.side) + ", shard " +
                               std::to_string(request.shard) + ", format " +
                               (request.tfrecord ? "tfrecord" : "jpeg") + "\n";
  const fs::path file = request.out / "settings.txt";
  std::ifstream in(file);
  if (in) {
    const std::string earlier{std::istreambuf_iterator<char>(in), {}};
    if (earlier == settings) return;
    throw FileError(file.string() + ": the folder was prepared with " +
                    earlier.substr(0, earlier.find('\n')) +
                    "; give the same settings or another folder");
  }
  write_durably(file, settings);
}

/// Reads the lists of earlier runs into the sums. Returns the names of their photographs.
std::set<std::string> read_earlier(const PrepareRequest& request, PrepareSummary& sums) {
  std::set<std::string> names;
  for (;; ++sums.shards) {
    const fs::path file = shard_file(request.out, sums.shards, ".csv");
    std::ifstream in(file);
    if (!in) return names;
    std::string line;
    std::getline(in, line);
    for (int64_t number = 2; std::getline(in, line); ++number) {
      const std::vector<std::string> fields = csv_fields(line);
      if (fields.size() != kListFields) {
        throw FileError(
            file.string() + ": line " + std::to_string(number) +
            ": is not a line of a list; remove the file to prepare its photographs again");
      }
      names.insert(fields[0]);
      count(sums, fields[0], fields[9], std::atoll(fields[3].c_str()),
            std::atoll(fields[4].c_str()), std::strtoull(fields[8].c_str(), nullptr, 10));
    }
  }
}

/// Gathers prepared photographs in the order of their names and writes them shard by shard.
class ShardWriter {
 public:
  ShardWriter(const PrepareRequest& request, PrepareSummary& sums, const PrepareProgress& progress)
      : request_(request), sums_(sums), progress_(progress) {}

  void add(const EyeFile& file, PreparedEye eye) {
    const std::string name = file.file.filename().string();
    append_line(file, name, eye);
    count(sums_, name, eye.reason, eye.width, eye.height, eye.bytes);
    sums_.bytes_in += eye.bytes;
    ++sums_.done;
    for (size_t i = 0; i < eye.seconds.size(); ++i) sums_.stages[i] += eye.seconds[i];
    if (eye.reason.empty()) {
      const auto begin = Clock::now();
      add_picture(file, name, std::move(eye.jpeg));
      sums_.stages.back() += seconds_since(begin);
    }
    progress_(sums_);
  }

  /// Writes the last shard, which may be smaller.
  void finish() {
    const auto begin = Clock::now();
    if (!list_.empty()) write_shard();
    sums_.stages.back() += seconds_since(begin);
  }

 private:
  void append_line(const EyeFile& file, const std::string& name, const PreparedEye& eye) {
    char numbers[160];
    const bool prepared = eye.reason.empty();
    std::snprintf(numbers, sizeof numbers, "%s,%lld,%lld,%.1f,%.1f,%.1f,%llu",
                  prepared ? std::to_string(records_).c_str() : "",
                  static_cast<long long>(eye.width), static_cast<long long>(eye.height), eye.eye.x,
                  eye.eye.y, eye.eye.radius, static_cast<unsigned long long>(eye.bytes));
    list_ += csv_field(name) + "," + (file.label ? std::to_string(*file.label) : "") + "," +
             numbers + "," + csv_field(eye.reason) + "\n";
  }

  void add_picture(const EyeFile& file, const std::string& name, std::vector<uint8_t> jpeg) {
    ++sums_.files[kib_class(jpeg.size())].second;
    sums_.bytes_out += jpeg.size();
    if (request_.tfrecord) {
      append_tfrecord(shard_, example_bytes({std::move(jpeg), "jpeg", name, file.label,
                                             request_.side, request_.side}));
    } else {
      const fs::path target = request_.out / file.file.filename().replace_extension(".jpeg");
      const fs::path draft = target.string() + ".part";
      write_bytes(draft, {jpeg});
      fs::rename(draft, target);
    }
    if (++records_ == request_.shard) write_shard();
  }

  void write_shard() {
    if (request_.tfrecord && records_ > 0) {
      write_durably(shard_file(request_.out, sums_.shards, ".tfrecord"), shard_);
    }
    if (!request_.tfrecord) sync_pictures();
    write_durably(shard_file(request_.out, sums_.shards, ".csv"), kListHeader + list_);
    ++sums_.shards;
    shard_.clear();
    list_.clear();
    records_ = 0;
  }

  /// Writes the JPEG files through to the disk before the list that names them.
  void sync_pictures() const {
    const int descriptor = open(request_.out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && syncfs(descriptor) == 0;
    if (descriptor >= 0) close(descriptor);
    if (!synced) throw FileError(request_.out.string() + ": cannot be written to the disk");
  }

  const PrepareRequest& request_;
  PrepareSummary& sums_;
  const PrepareProgress& progress_;
  std::vector<uint8_t> shard_;  // grows, never shrinks
  std::string list_;
  int64_t records_ = 0;
};

/// Hands photographs that workers finish in any order to the writer in their order. A worker that
/// is far ahead waits.
class InOrder {
 public:
  InOrder(const std::vector<EyeFile>& files, ShardWriter& writer)
      : files_(files), writer_(writer) {}

  void wait_for_room(size_t index) {
    constexpr size_t kMostAhead = 256;
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return failed_ || index < next_ + kMostAhead; });
  }

  void take(size_t index, PreparedEye eye) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(index, std::move(eye));
    if (writing_ || failed_) return;
    writing_ = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      PreparedEye first = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      write(std::move(first));
      lock.lock();
      ++next_;
      room_.notify_all();
    }
    writing_ = false;
  }

 private:
  void write(PreparedEye eye) {
    try {
      writer_.add(files_[next_], std::move(eye));
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failed_ = true;
      room_.notify_all();
      throw;
    }
  }

  const std::vector<EyeFile>& files_;
  ShardWriter& writer_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::map<size_t, PreparedEye> waiting_;
  size_t next_ = 0;
  bool writing_ = false;
  bool failed_ = false;
};

void prepare_all(const PrepareRequest& request, const std::vector<EyeFile>& files,
                 ShardWriter& writer) {
  InOrder order(files, writer);
  for_each_in_parallel(files.size(), request.workers, [&] {
    return [&, preparer = EyePreparer(request.side, request.quality)](size_t i) mutable {
      order.wait_for_room(i);
      PreparedEye eye;
      if (files[i].unlabelled) {
        eye.reason = "the labels do not name it";
      } else {
        eye = preparer.prepare(files[i].file);
      }
      order.take(i, std::move(eye));
    };
  });
  writer.finish();
}

}  // namespace

int64_t made_shard(int64_t images) {
  constexpr int64_t kShard = 2000, kLeastShards = 20;
  return images < kLeastShards * 1000 ? (images + kLeastShards - 1) / kLeastShards : kShard;
}

PrepareSummary prepare_retinas(const PrepareRequest& request, const PrepareProgress& progress) {
  std::vector<EyeFile> files = list_eyes(request.in, request.labels);
  fs::create_directories(request.out);
  check_settings(request);
  PrepareSummary sums;
  sums.total = static_cast<int64_t>(files.size());
  const std::set<std::string> earlier = read_earlier(request, sums);
  std::erase_if(files, [&](const EyeFile& file) {
    const std::string name = file.file.filename().string();
    return earlier.contains(csv_text(name)) || earlier.contains(name);  // as older lists have it
  });
  sums.earlier = sums.total - static_cast<int64_t>(files.size());
  const auto begin = Clock::now();
  const PrepareProgress timed = [&](const PrepareSummary& so_far) {
    sums.seconds = seconds_since(begin);
    progress(so_far);
  };
  ShardWriter writer(request, sums, timed);
  prepare_all(request, files, writer);
  sums.seconds = seconds_since(begin);
  return sums;
}

}  // namespace lapcast::workloads
