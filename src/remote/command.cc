#include "remote/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/units.h"
#include "probe/child_process.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostError = 64 << 10;
constexpr std::int64_t kContactLookMs = 200;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGTTOU, SIGTTIN};

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

/// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const char* file, char* const* arguments, int input, int output, int error,
                         pid_t parent) {
  setsid();  // no terminal that a question could be asked on
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  dup2(input, 0);
  dup2(output, 1);
  dup2(error, 2);
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(file, arguments);
  _exit(127);
}

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

/// What is there; false at the end of the stream.
bool read_some(int fd, std::string& text) {
  std::array<char, 64 * 1024> bytes;
  while (true) {
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    if (text.size() >= RunningCommand::kMostBytes) return true;
  }
}

}  // namespace

Result<RunningCommand> RunningCommand::start(const std::vector<std::string>& arguments,
                                             std::string marker) {
  if (arguments.empty()) return because("no command given");
  const Result<std::filesystem::path> file = find_program(arguments[0]);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  Pipe input, output, error, executing;
  if (!input.open() || !output.open() || !error.open() || !executing.open())
    return because("cannot open a pipe: too many open files");
  signal(SIGPIPE, SIG_IGN);  // a command that ends before it read its input is no reason to die
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return because(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0)
    become(file->c_str(), pointers.data(), input.read_end, output.write_end, error.write_end,
           parent);
  // Waits until the child has its own process group and has executed the program, which closes the
  // last write end. A signal to the group would be lost before that.
  close(std::exchange(executing.write_end, -1));
  char none;
  while (read(executing.read_end, &none, 1) < 0 && errno == EINTR) {
  }
  const int pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  fcntl(pid_fd, F_SETFD, FD_CLOEXEC);
  return RunningCommand(pid, pid_fd, std::exchange(input.write_end, -1),
                        std::exchange(output.read_end, -1), std::exchange(error.read_end, -1),
                        std::move(marker));
}

RunningCommand::RunningCommand(pid_t pid, int pid_fd, int input, int output, int error,
                               std::string marker)
    : pid_(pid),
      pid_fd_(pid_fd),
      input_fd_(input),
      output_fd_(output),
      error_fd_(error),
      marker_(std::move(marker)) {
  for (const int fd : {input_fd_, output_fd_, error_fd_}) set_nonblocking(fd);
  if (!marker_.empty()) contact_.emplace(pid_);
}

RunningCommand::RunningCommand(RunningCommand&& other) noexcept {
  swap(other);
}

RunningCommand& RunningCommand::operator=(RunningCommand&& other) noexcept {
  RunningCommand moved(std::move(other));
  swap(moved);
  return *this;
}

void RunningCommand::swap(RunningCommand& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pid_fd_, other.pid_fd_);
  std::swap(input_fd_, other.input_fd_);
  std::swap(output_fd_, other.output_fd_);
  std::swap(error_fd_, other.error_fd_);
  std::swap(input_ends_, other.input_ends_);
  std::swap(marker_, other.marker_);
  std::swap(contact_, other.contact_);
  std::swap(no_contact_, other.no_contact_);
  std::swap(dropped_, other.dropped_);
  std::swap(input_, other.input_);
  std::swap(passed_on_, other.passed_on_);
  std::swap(output_, other.output_);
  std::swap(error_, other.error_);
  std::swap(status_, other.status_);
}

RunningCommand::~RunningCommand() {
  if (pid_ > 0 && !status_) {
    end();
    pollfd gone{pid_fd_, POLLIN, 0};
    poll(&gone, 1, 300);
    end(true);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (int* fd : {&pid_fd_, &input_fd_, &output_fd_, &error_fd_}) close_fd(*fd);
}

void RunningCommand::write(std::string_view text) {
  input_ += text;
  pass_on_input();
}

void RunningCommand::close_input() {
  input_ends_ = true;
  pass_on_input();
}

void RunningCommand::pass_on_input() {
  while (input_fd_ >= 0 && passed_on_ < input_.size()) {
    const ssize_t written =
        ::write(input_fd_, input_.data() + passed_on_, input_.size() - passed_on_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) close_fd(input_fd_);  // it reads no more
    if (written > 0) passed_on_ += static_cast<std::size_t>(written);
  }
  input_.clear();
  passed_on_ = 0;
  if (input_ends_) close_fd(input_fd_);
}

bool RunningCommand::read_output() {
  const std::size_t before = output_.size();
  if (output_fd_ >= 0 && !read_some(output_fd_, output_)) close_fd(output_fd_);
  if (!marker_.empty()) drop_until_marker();
  return marker_.empty() && output_.size() > before;
}

void RunningCommand::drop_until_marker() {
  const std::string line = "\n" + marker_ + "\n";
  const std::size_t at = output_.find(line);
  if (at == std::string::npos) {
    if (output_.size() <= line.size()) return;
    dropped_ += output_.size() - line.size();
    output_.erase(0, output_.size() - line.size());
    contact_->heard();
    return;
  }
  output_.erase(0, at + line.size());
  marker_.clear();
  contact_.reset();
}

void RunningCommand::look_at_contact() {
  if (!contact_ || status_) return;
  if (dropped_ > kMostBytes) return give_up(NoContact::flood);
  if (contact_->is_overdue()) give_up(NoContact::silent);
}

void RunningCommand::give_up(NoContact why) {
  no_contact_ = why;
  end(true);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  status_ = 128 + SIGKILL;
}

void RunningCommand::read_error() {
  if (error_fd_ >= 0 && !read_some(error_fd_, error_)) close_fd(error_fd_);
  if (error_.size() > kMostError) error_.erase(0, error_.size() - kMostError);
}

void RunningCommand::reap() {
  int status = 0;
  if (status_ || waitpid(pid_, &status, WNOHANG) != pid_) return;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // All that it wrote is in the pipes by now; who else may hold their ends is not waited for.
  read_output();
  read_error();
}

void RunningCommand::wait(std::chrono::milliseconds at_most, int wake_fd) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + at_most;
  bool news = !output_.empty() && marker_.empty();
  while (!status_ && !news) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const auto most = contact_ ? std::min<std::int64_t>(left, kContactLookMs) : left;
    const bool room = output_.size() < kMostBytes;
    pollfd fds[] = {{pid_fd_, POLLIN, 0},
                    {room ? output_fd_ : -1, POLLIN, 0},
                    {error_fd_, POLLIN, 0},
                    {input_.empty() ? -1 : input_fd_, POLLOUT, 0},
                    {wake_fd, POLLIN, 0}};
    poll(fds, 5, static_cast<int>(std::max<std::int64_t>(most, 0)));
    pass_on_input();
    news = read_output();
    read_error();
    reap();
    look_at_contact();
    if (left <= 0 || fds[4].revents != 0) return;
  }
}

std::string RunningCommand::take_output() {
  return marker_.empty() ? std::exchange(output_, {}) : std::string();
}

void RunningCommand::end(bool at_once) {
  if (pid_ > 0 && !status_) kill(-pid_, at_once ? SIGKILL : SIGTERM);
}

}  // namespace lapcast
