#include "remote/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/units.h"
#include "posix/files.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

constexpr std::int64_t kReserve = 1 << 20;
constexpr std::size_t kMostRequest = 16 << 20;

std::string host_name() {
  return read_system_line("/proc/sys/kernel/hostname");
}
std::string this_boot_id() {
  return read_system_line("/proc/sys/kernel/random/boot_id");
}

bool lock(int fd, int kind) {
  // A process that only asks whether the file is locked locks it for a moment.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (flock(fd, kind | LOCK_NB) == 0) return true;
    usleep(10'000);
  }
  return false;
}

/// Returns the bytes of a file from offset `from` on.
std::string tail_of(int fd, std::int64_t from) {
  std::string text;
  std::array<char, 64 * 1024> bytes;
  ssize_t got = 0;
  while ((got = pread(fd, bytes.data(), bytes.size(), from)) > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(got));
    from += got;
  }
  return text;
}

/// Returns whether a file ends with a result. Searches backwards, since a result may be long.
bool ends_with_result(int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  char last = 0;
  if (size <= 0 || pread(fd, &last, 1, size - 1) != 1 || last != '\n') return false;
  std::array<char, 64 * 1024> bytes;
  for (off_t end = size - 1; end > 0;) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(bytes.size()));
    const ssize_t got = pread(fd, bytes.data(), static_cast<std::size_t>(end - begin), begin);
    if (got != end - begin) return false;
    const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
    const std::size_t at = piece.rfind('\n');
    end = begin;
    if (at == std::string_view::npos && begin > 0) continue;
    const off_t line = at == std::string_view::npos ? 0 : begin + static_cast<off_t>(at) + 1;
    std::string head(kResultMark.size(), '\0');
    return pread(fd, head.data(), head.size(), line) > 0 && head == kResultMark;
  }
  return false;
}

void cut_half_line(int fd) {
  off_t size = lseek(fd, 0, SEEK_END);
  char last = '\n';
  while (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') --size;
  [[maybe_unused]] const int cut = ftruncate(fd, size);
}

tl::unexpected<Reason> cannot_write(const std::filesystem::path& file, int error) {
  return because(
      fmt::format("cannot write {}: {}", printable(file.string()), std::strerror(error)));
}

void put_space_aside(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  [[maybe_unused]] const int error = posix_fallocate(fd, 0, kReserve);
  close(fd);
}

}  // namespace

// The folder --------------------------------------------------------------------------------------

std::filesystem::path RecordFolder::work_dir(const std::string& name) const {
  return root_.parent_path().parent_path() / "work" / name;
}

Result<void> RecordFolder::create(const RemoteRequest& request) const {
  if (auto made = make_private_folders(root_); !made) return made;
  if (std::filesystem::exists(request_file())) return {};
  return write_private_file(request_file(), to_json_line(request) + "\n");
}

Result<RemoteRequest> RecordFolder::request() const {
  const std::string text = text_of_file(request_file(), kMostRequest);
  if (text.empty())
    return because(fmt::format("there is no request in {}", printable(root_.string())));
  return remote_request_from_json(text);
}

bool RecordFolder::is_finished() const {
  const int fd = open(record_file().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool finished = ends_with_result(fd);
  close(fd);
  return finished;
}

Result<void> RecordFolder::give_order(std::string_view order) const {
  const FileDescriptor file = open_private_log(orders_file());
  const int error = file.is_open() ? append_whole(file.get(), std::string(order) + "\n") : errno;
  if (error == 0) return {};
  return cannot_write(orders_file(), error);
}

bool is_recorded_now(const RecordFolder& folder) {
  const std::string holder = text_of_file(folder.holder_file(), 4096);
  const std::string here = host_name() + " ";
  const bool other_machine = !holder.empty() && !holder.starts_with(here) &&
                             holder.find(" " + this_boot_id() + " ") == std::string::npos;
  if (other_machine) return true;
  const int fd = open(folder.holder_file().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool free = flock(fd, LOCK_SH | LOCK_NB) == 0;
  close(fd);
  return !free;
}

// Who writes --------------------------------------------------------------------------------------

Result<RecordWriter> RecordWriter::open(const RecordFolder& folder) {
  FileDescriptor holder = open_private_file(folder.holder_file());
  if (!holder.is_open()) return cannot_write(folder.holder_file(), errno);
  RecordWriter writer(folder, std::move(holder));
  const int holder_fd = writer.holder_.get();
  if (!lock(holder_fd, LOCK_EX)) return because("another process records this run");
  writer.record_ = open_private_log(folder.record_file());
  if (!writer.record_.is_open()) return cannot_write(folder.record_file(), errno);
  cut_half_line(writer.record_.get());
  if (ends_with_result(writer.record_.get())) return because("this run is finished");
  [[maybe_unused]] const int cut = ftruncate(holder_fd, 0);
  append_whole(holder_fd, fmt::format("{} {} {}\n", host_name(), this_boot_id(), getpid()));
  put_space_aside(folder.reserve_file());
  return writer;
}

bool RecordWriter::append(std::string_view line) {
  return append_whole(record_.get(), line) == 0;
}

void RecordWriter::tell(std::string_view line) {
  append(line);
}

bool RecordWriter::finish(const Run& run, const std::function<void()>& make_room) {
  const std::string whole = result_line(run);
  if (append(whole)) return true;
  if (make_room) make_room();
  if (append(whole)) return true;
  unlink(folder_.reserve_file().c_str());
  Run shorter = run;
  shorter.warnings.push_back("the disk of its machine was full: its output was not kept");
  shorter.standard_output.clear();
  shorter.standard_error.clear();
  if (append(result_line(shorter))) return true;
  shorter.lap_logs.clear();
  shorter.warnings.clear();
  shorter.outcome = outcome::NotStarted{
      "the disk of its machine was full: its laps could not be kept; free some space on it, or "
      "name "
      "another place with folder = \"...\" in the fleet file"};
  return append(result_line(shorter));
}

std::vector<std::string> RecordWriter::take_orders() {
  std::vector<std::string> orders;
  const int fd = ::open(folder_.orders_file().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return orders;
  LineBuffer lines;
  lines.append(tail_of(fd, orders_read_));
  close(fd);
  while (auto line = lines.next()) orders.push_back(std::move(*line));
  orders_read_ += lines.taken();
  return orders;
}

}  // namespace lapcast
