#include "remote/host_run.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "remote/agent_answer.h"
#include "remote/agent_command.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicNs kSecond = 1'000'000'000;
constexpr MonotonicNs kFirstWait = kSecond / 5;
constexpr MonotonicNs kLongestWait = 30 * kSecond;
constexpr int kSilentLink = 3;  // times the patience, until a link without a sign of life is broken
constexpr std::size_t kMostAnswer = 64 << 10;
constexpr MonotonicNs kRemovalPatience = 20 * kSecond;

/// Sleeps, but for an interrupt.
void wait_for_next_try(MonotonicNs wait_ns, const Interrupt& interrupt) {
  pollfd waiting{interrupt.count() == 0 ? interrupt.fd() : -1, POLLIN, 0};
  poll(&waiting, 1, static_cast<int>(std::max<MonotonicNs>(wait_ns, 0) / 1'000'000));
}

}  // namespace

HostRun::HostRun(const ProbeRequest& request, const Interrupt& interrupt)
    : HostRun(request, interrupt, "begin") {}

HostRun::HostRun(const ProbeRequest& request, const Interrupt& interrupt, std::string begin_option)
    : request_(request),
      begin_option_(std::move(begin_option)),
      run_name_(request.context.id),
      interrupt_(interrupt),
      host_(host_of(request.site.place)) {}

// Beginning ---------------------------------------------------------------------------------------

Result<void> HostRun::begin(const RemoteProgress& tell) {
  if (!is_here(request_.site.place))
    files_ = program_files(request_.context.working_dir, request_.site.data,
                           store_files(request_.store_file));
  Delivery delivery(*host_, request_.site, interrupt_, tell);
  const MonotonicNs begin = monotonic_ns();
  MonotonicNs wait = kFirstWait;
  while (true) {
    const auto begun = try_to_begin(delivery);
    if (begun) break;
    const HostFailure& failure = begun.error();
    const bool enough =
        from_ns(monotonic_ns() - begin) > contact_patience() || interrupt_.count() > 0;
    if (!failure.passes || enough) return tl::unexpected(failure.reason);
    tell(failure.reason.text + "; trying again");
    wait_for_next_try(wait, interrupt_);
    wait = std::min(2 * wait, kLongestWait);
  }
  last_news_ns_ = monotonic_ns();
  return {};
}

HostResult<void> HostRun::try_to_begin(Delivery& delivery) {
  // First the tool, then the program may be lacking; more often something is wrong.
  for (int attempt = 0; attempt < 4; ++attempt) {
    RemoteRequest request{request_, "", "", delivery.steps(), delivery.warnings()};
    if (files_) {
      // Files that cannot be sent matter only where the run was not begun before.
      request.work = work_name(request_.context.working_dir);
      request.content = *files_ ? (*files_)->content : "none";
    }
    const HostResult<std::string> answer = begin_there(request);
    if (!answer) return tl::unexpected(answer.error());
    if (*answer == "B") return {};
    if (!answer->starts_with("N "))
      return tl::unexpected(HostFailure{
          {fmt::format("{}: {}", host_->name(),
                       printable(answer->starts_with("X ") ? answer->substr(2) : *answer, 500))},
          false});
    if (auto brought = bring(answer->substr(2), delivery); !brought) return brought;
  }
  return tl::unexpected(keeps_nothing(*host_));
}

HostResult<void> HostRun::bring(const std::string& lacking, Delivery& delivery) {
  command_.reset();
  if (lacking.starts_with("tool ")) return delivery.send_tool(lacking.substr(5));
  if (!files_ || !*files_)
    return tl::unexpected(HostFailure{
        files_ ? files_->error() : Reason{host_->name() + " asks for a program that runs here"}, false});
  return delivery.send_program(**files_);
}

HostResult<std::string> HostRun::begin_there(const RemoteRequest& request) {
  auto command = host_->start(lapcast_there(request_.site, {"probe", "--" + begin_option_, run_folder()}));
  if (!command) return tl::unexpected(command.error());
  command_.emplace(std::move(*command));
  command_->write(to_json_line(request) + "\n");
  lines_ = LineBuffer();
  offset_ = 0;
  return first_answer();
}

/// Returns what the command answers before it follows: "B", "N what is lacking" or "X reason".
HostResult<std::string> HostRun::first_answer() {
  LineBuffer lines(kMostAnswer);
  auto answer = agent_answer(*host_, *command_, lines, interrupt_);
  early_output_ = lines.take_rest();
  heard_ns_ = monotonic_ns();
  return answer;
}

Result<std::string> HostRun::rest_of_answer() {
  const MonotonicNs begin = monotonic_ns();
  std::string text = std::move(early_output_);
  early_output_.clear();
  while (!command_->ended() && interrupt_.count() == 0 && text.size() < kMostAnswer &&
         from_ns(monotonic_ns() - begin) < contact_patience()) {
    command_->wait(200ms, interrupt_.fd());
    text += command_->take_output();
  }
  const bool whole = command_->ended() && !host_->failure_of(*command_);
  command_.reset();
  if (!whole) return because(fmt::format("{} broke off its answer", host_->name()));
  return text;
}

void HostRun::follow_folder(const std::string& name) {
  run_name_ = name;
  command_.reset();
  early_output_.clear();
  lines_ = LineBuffer();
  offset_ = 0;
  ended_ = false;
  last_news_ns_ = monotonic_ns();
  next_try_ns_ = 0;
}

// Following ---------------------------------------------------------------------------------------

RemoteRun::News HostRun::follow(std::chrono::milliseconds at_most) {
  News news;
  if (ended_) {
    news.ended = true;
    return news;
  }
  if (!command_) reconnect(news);
  if (!command_) {
    if (!news.lost) {
      const MonotonicNs left = next_try_ns_ - monotonic_ns();
      wait_for_next_try(std::min<MonotonicNs>(left, at_most.count() * 1'000'000), interrupt_);
    }
    return news;
  }
  if (early_output_.empty())
    command_->wait(at_most, interrupt_.count() == 0 ? interrupt_.fd() : -1);
  take_lines(news);
  if (news.ended || news.lost) return news;
  const bool silent = from_ns(monotonic_ns() - heard_ns_) > kSilentLink * contact_patience();
  if (!command_->ended() && !silent) return news;
  if (!command_->ended()) {
    link_broke({{host_->name() + " is silent"}, true}, news);
  } else if (auto failure = host_->failure_of(*command_)) {
    link_broke(*failure, news);
  } else {
    news.lost = Reason{fmt::format("lapcast on {} ended without a result: {}", host_->name(),
                                   printable(command_->error(), 300))};
  }
  command_.reset();
  return news;
}

void HostRun::take_lines(News& news) {
  const std::string said = std::exchange(early_output_, {}) + command_->take_output();
  lines_.append(said);
  if (!said.empty()) last_news_ns_ = heard_ns_ = monotonic_ns();
  while (auto line = lines_.next()) {
    if (*line == kSignOfLife) {
      offset_ -= static_cast<std::int64_t>(line->size()) + 1;  // it is no part of the record
      continue;
    }
    ended_ = ended_ || line->starts_with("R ");
    if (line->starts_with("X "))
      news.lost = Reason{fmt::format("{}: {}", host_->name(), printable(line->substr(2), 500))};
    else
      news.lines.push_back(std::move(*line));
  }
  if (lines_.is_too_long())
    news.lost = Reason{host_->name() + " sends a line that is too long for a result"};
  news.ended = ended_;
  if (!news.lines.empty()) wait_ns_ = 0;
}

void HostRun::link_broke(const HostFailure& failure, News& news) {
  const MonotonicNs now = monotonic_ns();
  const bool over = now - last_news_ns_ > std::chrono::nanoseconds(kPatience).count();
  if (!failure.passes || over) {
    news.lost = Reason{fmt::format("{}{}", failure.reason.text,
                                   over ? "; its run was waited for for 10 min" : "")};
    return;
  }
  wait_ns_ = wait_ns_ == 0 ? kFirstWait : std::min(2 * wait_ns_, kLongestWait);
  next_try_ns_ = now + wait_ns_;
  news.note = failure.reason.text + "; the run there goes on, trying again";
}

void HostRun::reconnect(News& news) {
  if (monotonic_ns() < next_try_ns_) return;
  offset_ += lines_.taken();
  lines_ = LineBuffer();
  auto command = host_->start(lapcast_there(
      request_.site, {"probe", "--follow", run_folder(), "--from", std::to_string(offset_)}));
  HostResult<std::string> answer = std::string();
  if (command) {
    command_.emplace(std::move(*command));
    answer = first_answer();
  } else {
    answer = tl::unexpected(command.error());
  }
  if (answer && *answer == "B") {
    for (const std::string& order : orders_) command_->write(order + "\n");
    return;
  }
  if (answer)
    news.lost = Reason{fmt::format("{}: {}", host_->name(), printable(answer->substr(
                                                                std::min<std::size_t>(2, answer->size())),
                                                            500))};
  else
    link_broke(answer.error(), news);
  command_.reset();
}

// Orders and files --------------------------------------------------------------------------------

Result<CommandOutput> HostRun::run_in_folder(const std::string& script,
                                             const std::vector<std::string>& arguments) {
  auto done = host_->run(in_folder_there(request_.site, script, arguments));
  if (!done) return tl::unexpected(done.error().reason);
  if (done->status == 0) return std::move(*done);
  return because(fmt::format("{}: {}", host_->name(), printable(done->error, 300)));
}

Result<void> HostRun::order(const std::string& what) {
  orders_.push_back(what);  // once more when the link breaks: it may have been on its way
  if (command_ && !command_->ended()) {
    command_->write(what + "\n");
    return {};
  }
  const auto done = run_in_folder("umask 077 && cd \"$1\" && echo \"$2\" >>orders",
                                  {run_folder(), what});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<void> HostRun::remove() {
  if (command_ && ended_) {
    command_->write("remove\n");
    command_->close_input();
    const MonotonicNs begin = monotonic_ns();
    while (!command_->ended() && monotonic_ns() - begin < kRemovalPatience) command_->wait(100ms);
    const bool removed = command_->ended() && command_->status() == 0;
    command_.reset();
    if (removed) return {};
  }
  command_.reset();
  const auto done = run_in_folder("rm -rf -- \"$1\"", {run_folder()});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<FilesNotCopied> HostRun::fetch(const std::filesystem::path& local) {
  const auto found = run_in_folder("cd \"$1\" && ls -td lapcast-run-*/run | head -n 1", {run_folder()});
  if (!found) return tl::unexpected(found.error());
  std::string name = found->output;
  while (!name.empty() && name.back() == '\n') name.pop_back();
  if (name.empty()) return because("the run has no folder there any more");
  if (("/" + name + "/").find("/../") != std::string::npos || name.starts_with('/'))
    return because(fmt::format("{} names a folder that is none of the run's: {}", host_->name(),
                               printable(name, 100)));
  const std::string there = folder_on(request_.site) + "/" + run_folder() + "/" + name;
  const auto copied = host_->copy_from(there, local, {.interrupt = &interrupt_});
  if (!copied) return tl::unexpected(copied.error().reason);
  return *copied;
}

}  // namespace lapcast
