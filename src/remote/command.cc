#include "remote/command.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "posix/spawn.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostError = 64 << 10;
constexpr std::int64_t kContactLookMs = 200;

}  // namespace

Result<RunningCommand> RunningCommand::start(const std::vector<std::string>& arguments,
                                             std::string marker) {
  Result<Pipe> input = open_pipe(), output = open_pipe(), error = open_pipe();
  if (!input || !output || !error) return because("cannot open a pipe: too many open files");
  // A command that ends before it has read its input must not end this process.
  signal(SIGPIPE, SIG_IGN);
  const Result<pid_t> pid = spawn(
      {.arguments = arguments,
       .streams = {input->read_end.get(), output->write_end.get(), error->write_end.get()},
       .group = ProcessGroup::own_session,  // without a terminal that a question could be asked on
       .signal_at_parent_death = SIGTERM});
  if (!pid) return tl::unexpected(pid.error());
  return RunningCommand(*pid, std::move(input->write_end), std::move(output->read_end),
                        std::move(error->read_end), std::move(marker));
}

RunningCommand::RunningCommand(pid_t pid, FileDescriptor input, FileDescriptor output,
                               FileDescriptor error, std::string marker)
    : input_fd_(std::move(input)),
      output_fd_(std::move(output)),
      error_fd_(std::move(error)),
      marker_(std::move(marker)),
      process_(pid) {
  for (const auto* fd : {&input_fd_, &output_fd_, &error_fd_}) set_nonblocking(*fd);
  if (!marker_.empty()) contact_.emplace(pid);
}

RunningCommand::Process::~Process() {
  if (pid <= 0) return;
  end(false);
  pollfd gone{exit_fd.get(), POLLIN, 0};
  poll(&gone, 1, 300);
  end(true);
  wait_for(pid);
}

void RunningCommand::Process::end(bool at_once) const {
  if (pid > 0) kill(-pid, at_once ? SIGKILL : SIGTERM);
}

void RunningCommand::write(std::string_view text) {
  input_ += text;
  pass_on_input();
}

void RunningCommand::write_pieces(std::function<std::string()> next) {
  next_piece_ = std::move(next);
  pass_on_input();
}

void RunningCommand::close_input() {
  input_ends_ = true;
  pass_on_input();
}

void RunningCommand::pass_on_input() {
  const auto has_more = [this] {
    if (passed_on_ < input_.size()) return true;
    passed_on_ = 0;
    input_ = next_piece_ ? next_piece_() : std::string();
    if (input_.empty()) next_piece_ = {};
    return !input_.empty();
  };
  while (input_fd_.is_open() && has_more()) {
    const ssize_t written =
        ::write(input_fd_.get(), input_.data() + passed_on_, input_.size() - passed_on_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) input_fd_.reset();  // it reads no more
    if (written > 0) passed_on_ += static_cast<std::size_t>(written);
  }
  input_.clear();
  passed_on_ = 0;
  next_piece_ = {};
  if (input_ends_) input_fd_.reset();
}

bool RunningCommand::read_output() {
  const std::size_t before = output_.size();
  if (output_fd_.is_open() && !read_available(output_fd_.get(), output_, kMostBytes))
    output_fd_.reset();
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
  wait_for(std::exchange(process_.pid, -1));
  status_ = 128 + SIGKILL;
}

void RunningCommand::read_error() {
  if (error_fd_.is_open() && !read_available(error_fd_.get(), error_, kMostBytes))
    error_fd_.reset();
  if (error_.size() > kMostError) error_.erase(0, error_.size() - kMostError);
}

void RunningCommand::reap() {
  int status = 0;
  if (status_ || waitpid(process_.pid, &status, WNOHANG) != process_.pid) return;
  process_.pid = -1;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // All that it wrote is in the pipes by now. Its children, which may hold the pipes open, are not
  // waited for.
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
    pollfd fds[] = {{process_.exit_fd.get(), POLLIN, 0},
                    {room ? output_fd_.get() : -1, POLLIN, 0},
                    {error_fd_.get(), POLLIN, 0},
                    {input_.empty() ? -1 : input_fd_.get(), POLLOUT, 0},
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

}  // namespace lapcast
