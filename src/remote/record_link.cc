#include "remote/record_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"
#include "remote/patience.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicNs kSecond = 1'000'000'000;
constexpr MonotonicNs kFirstWait = kSecond / 5;
constexpr MonotonicNs kLongestWait = 30 * kSecond;
constexpr int kSilentLink = 3;  // times the patience, until a link without a sign of life is broken
constexpr MonotonicNs kFolderRemovalPatience = 20 * kSecond;
constexpr int kMostSendings = 4;  // of a program; if it is lacking again, the host does not keep it

/// Returns the wait that follows one of this length.
MonotonicNs longer(MonotonicNs wait_ns) {
  return wait_ns == 0 ? kFirstWait : std::min(2 * wait_ns, kLongestWait);
}

Reason said_by(const Host& host, std::string_view words) {
  return Reason{fmt::format("{}: {}", host.name(), printable(words, 500))};
}

/// Returns what an agent said in place of Accepted, as a Reason.
Reason refusal(const Host& host, const std::string& line, const AgentMessage& said) {
  const auto* refused = std::get_if<message::Refused>(&said);
  return said_by(host, refused != nullptr ? refused->why : line);
}

using OwnFiles = std::optional<Result<ProgramFiles>>;  // none = nothing is sent

HostResult<void> send_program(const OwnFiles& files, const Host& host, Delivery& delivery) {
  if (files && *files) return delivery.send_program(**files);
  return tl::unexpected(HostFailure{
      files ? files->error() : Reason{host.name() + " asks for a program that is on it already"},
      false});
}

HostResult<AgentSession> try_to_begin(const Host& host, const ProbeRequest& request,
                                      AgentTask::Kind task, const Interrupt& interrupt,
                                      const OwnFiles& files, Delivery& delivery) {
  const auto input = [&] {
    RemoteRequest sent{request, "", "", delivery.steps(), delivery.warnings()};
    Place& place = sent.probe.place_setup.place;
    place = without_own_files(std::move(place));
    if (files) {
      // Files that cannot be sent matter only if the run was not begun before.
      sent.work = work_name(request.context.working_dir);
      sent.content = *files ? (*files)->content : "none";
    }
    return to_json_line(sent) + "\n";
  };
  const auto arguments = agent_arguments({task, "runs/" + request.context.id});
  for (int sendings = 0; sendings < kMostSendings; ++sendings) {
    auto session = AgentSession::start(host, delivery, interrupt, arguments, input);
    if (!session) return session;
    const AgentMessage said = parse_agent_message(session->first_line());
    if (std::holds_alternative<message::Accepted>(said)) return session;
    if (!std::holds_alternative<message::LacksProgram>(said))
      return tl::unexpected(HostFailure{refusal(host, session->first_line(), said), false});
    if (auto sent = send_program(files, host, delivery); !sent) return tl::unexpected(sent.error());
  }
  return tl::unexpected(keeps_nothing(host));
}

}  // namespace

void wait_unless_interrupted(MonotonicNs wait_ns, const Interrupt& interrupt) {
  pollfd waiting{interrupt.count() == 0 ? interrupt.fd() : -1, POLLIN, 0};
  const MonotonicNs milliseconds = (std::max<MonotonicNs>(wait_ns, 0) + 999'999) / 1'000'000;
  poll(&waiting, 1, static_cast<int>(milliseconds));
}

Result<AgentSession> begin_run(const Host& host, const ProbeRequest& request, AgentTask::Kind task,
                               const Interrupt& interrupt, const RemoteProgress& tell) {
  OwnFiles files;
  if (!is_this_machine(request.place_setup.place))
    files = program_files(request.context.working_dir, request.place_setup.data,
                          store_files(request.store_file));
  Delivery delivery(host, request.place_setup, interrupt, tell);
  const MonotonicNs begin = monotonic_ns();
  for (MonotonicNs wait = kFirstWait;; wait = longer(wait)) {
    auto session = try_to_begin(host, request, task, interrupt, files, delivery);
    if (session) return std::move(*session);
    const HostFailure& failure = session.error();
    const bool enough =
        from_ns(monotonic_ns() - begin) > contact_patience() || interrupt.count() > 0;
    if (!failure.passes || enough) return tl::unexpected(failure.reason);
    tell(failure.reason.text + "; trying again");
    wait_unless_interrupted(wait, interrupt);
  }
}

RecordLink::RecordLink(const Host& host, const PlaceSetup& setup, std::string name,
                       const Interrupt& interrupt)
    : host_(host),
      setup_(setup),
      name_(std::move(name)),
      interrupt_(interrupt),
      last_news_ns_(monotonic_ns()) {}

void RecordLink::connect(AgentSession session) {
  const std::string rest = session.take_rest();
  Connected link{std::move(session).take_command(), LineBuffer(), monotonic_ns()};
  link.lines.append(rest);
  unreported_ += static_cast<std::int64_t>(rest.size());
  state_ = std::move(link);
}

void RecordLink::follow_session(AgentSession session) {
  follow_folder(name_);
  connect(std::move(session));
}

void RecordLink::follow_folder(std::string name) {
  name_ = std::move(name);
  state_ = Disconnected{};
  offset_ = 0;
  ended_ = false;
  last_news_ns_ = monotonic_ns();
}

// Following ---------------------------------------------------------------------------------------

RemoteNews RecordLink::follow(std::chrono::milliseconds at_most) {
  RemoteNews news = look(at_most);
  news.silent = from_ns(monotonic_ns() - last_news_ns_);
  news.bytes += std::exchange(unreported_, 0);
  return news;
}

RemoteNews RecordLink::look(std::chrono::milliseconds at_most) {
  RemoteNews news;
  news.ended = ended_;
  if (ended_) return news;
  news.caught_up = false;
  if (const auto* waiting = std::get_if<Disconnected>(&state_)) {
    if (monotonic_ns() >= waiting->next_try_ns) reconnect(news);
    const auto* still = std::get_if<Disconnected>(&state_);
    if (still != nullptr && !news.lost)
      wait_unless_interrupted(
          std::min<MonotonicNs>(still->next_try_ns - monotonic_ns(), at_most.count() * 1'000'000),
          interrupt_);
  }
  auto* link = std::get_if<Connected>(&state_);
  if (link == nullptr) return news;
  take_lines(*link, news);
  if (news.is_empty()) {
    link->command.wait(at_most, interrupt_.count() == 0 ? interrupt_.fd() : -1);
    take_lines(*link, news);
  }
  if (!news.ended && !news.lost) take_end(*link, news);
  return news;
}

void RecordLink::take_end(const Connected& link, RemoteNews& news) {
  const bool silent = from_ns(monotonic_ns() - link.heard_ns) > kSilentLink * contact_patience();
  if (!link.command.ended() && !silent) return;
  if (!link.command.ended()) {
    break_off({{host_.name() + " is silent"}, true}, news);
  } else if (auto failure = host_.failure_of(link.command)) {
    break_off(*failure, news);
  } else {
    news.lost = Reason{fmt::format("lapcast on {} ended without a result: {}", host_.name(),
                                   printable(link.command.error(), 300))};
    close();
  }
}

void RecordLink::take_lines(Connected& link, RemoteNews& news) {
  const std::string said = link.command.take_output();
  link.lines.append(said);
  news.bytes += static_cast<std::int64_t>(said.size());
  if (!said.empty()) last_news_ns_ = link.heard_ns = monotonic_ns();
  while (const auto line = link.lines.next()) take_message(*line, news);
  if (link.lines.is_too_long())
    news.lost = Reason{host_.name() + " sends a line that is too long for a result"};
  news.ended = ended_;
  if (!news.messages.empty()) wait_ns_ = 0;
}

void RecordLink::take_message(std::string_view line, RemoteNews& news) {
  AgentMessage said = parse_agent_message(line);
  if (std::holds_alternative<message::SignOfLife>(said)) {  // it is not part of the record
    news.caught_up = true;
    return;
  }
  offset_ += static_cast<std::int64_t>(line.size()) + 1;
  ended_ = ended_ || line.starts_with(kResultMark);
  if (const auto* refused = std::get_if<message::Refused>(&said))
    news.lost = said_by(host_, refused->why);
  else
    news.messages.push_back(std::move(said));
}

void RecordLink::break_off(const HostFailure& failure, RemoteNews& news) {
  const MonotonicNs now = monotonic_ns();
  const bool over = now - last_news_ns_ > std::chrono::nanoseconds(kLostAfter).count();
  wait_ns_ = longer(wait_ns_);
  state_ = Disconnected{now + wait_ns_};
  if (failure.passes && !over) {
    news.note = failure.reason.text + "; the run goes on, trying again";
    return;
  }
  news.lost = Reason{failure.reason.text + (over ? "; its run was waited for for 10 min" : "")};
}

void RecordLink::reconnect(RemoteNews& news) {
  Delivery delivery(host_, setup_, interrupt_, [&](const std::string& what) { news.note = what; });
  auto session = AgentSession::start(host_, delivery, interrupt_,
                                     agent_arguments({AgentTask::Kind::follow, folder(), offset_}),
                                     [] { return std::string(); });
  if (!session) return break_off(session.error(), news);
  const AgentMessage said = parse_agent_message(session->first_line());
  if (!std::holds_alternative<message::Accepted>(said)) {
    news.lost = refusal(host_, session->first_line(), said);
    return;
  }
  for (const std::string& order : orders_) session->write(order + "\n");
  connect(std::move(*session));
}

// Orders and files --------------------------------------------------------------------------------

Result<std::string> RecordLink::run_script(const std::string& script,
                                           const std::vector<std::string>& arguments) const {
  auto done = host_.run(in_agent_folder(setup_, script, arguments));
  if (!done) return tl::unexpected(done.error().reason);
  if (done->status == 0) return std::move(done->output);
  return because(fmt::format("{}: {}", host_.name(), printable(done->error, 300)));
}

Result<bool> RecordLink::exists() const {
  const auto found =
      host_.run(in_agent_folder(setup_, "test -d \"$1\" && echo found || echo gone", {folder()}),
                {.timeout = contact_patience(), .interrupt = &interrupt_});
  if (!found) return tl::unexpected(found.error().reason);
  return found->output == "found\n";
}

Result<void> RecordLink::order(const std::string& what) {
  orders_.push_back(what);  // it may be lost when the link breaks
  auto* link = std::get_if<Connected>(&state_);
  if (link != nullptr && !link->command.ended()) {
    link->command.write(what + "\n");
    return {};
  }
  const auto done = run_script("umask 077 && cd \"$1\" && echo \"$2\" >>orders", {folder(), what});
  if (!done) return tl::unexpected(done.error());
  return {};
}

Result<void> RecordLink::remove() {
  if (auto* link = std::get_if<Connected>(&state_); link != nullptr && ended_) {
    link->command.write(std::string(kRemoveOrder) + "\n");
    link->command.close_input();
    const MonotonicNs begin = monotonic_ns();
    while (!link->command.ended() && monotonic_ns() - begin < kFolderRemovalPatience) {
      link->command.wait(100ms);
      link->command.take_output();  // else wait() would return at once
    }
    if (link->command.ended() && link->command.status() == 0) {
      close();
      return {};
    }
  }
  close();
  const auto done = run_script("rm -rf -- \"$1\"", {folder()});
  if (!done) return tl::unexpected(done.error());
  return {};
}

/// Prints the name of the program's own folder. The next attempt at a run that was cut off takes it
/// over as "inherited", within a moment.
constexpr const char* kFindRunDir = R"(cd "$1" || exit
for i in 1 2 3 4 5; do
  found=$(ls -td lapcast-run-*/run 2>/dev/null | head -n 1)
  [ -z "$found" ] || break
  sleep 0.2
done
[ -n "$found" ] || found=$(ls -d inherited 2>/dev/null)
echo "$found")";

/// Prints the files that were written since the run was asked for, by the clock of their machine;
/// what it begins with was there before.
constexpr const char* kFindOwnFiles = R"(cd "$1/$2" && [ -e ../../request.json ] || exit 0
find . ! -type d -newer ../../request.json -print0)";

Result<std::string> RecordLink::run_dir() const {
  const auto found = run_script(kFindRunDir, {folder()});
  if (!found) return tl::unexpected(found.error());
  const std::string name = found->substr(0, found->find_last_not_of('\n') + 1);
  if (name.empty())
    return because(fmt::format("the run has no folder on {} any more", host_.name()));
  if (("/" + name + "/").find("/../") != std::string::npos || name.starts_with('/'))
    return because(fmt::format("{} names a folder that is none of the run's: {}", host_.name(),
                               printable(name, 100)));
  return name;
}

Result<FetchedFiles> RecordLink::fetch(const std::filesystem::path& local,
                                       std::vector<std::string> only) {
  const auto name = run_dir();
  if (!name) return tl::unexpected(name.error());
  const auto copied = host_.copy_from(agent_folder(setup_) + "/" + folder() + "/" + *name, local,
                                      {.interrupt = &interrupt_, .only = std::move(only)});
  if (!copied) return tl::unexpected(copied.error().reason);
  return *copied;
}

Result<std::vector<std::string>> RecordLink::own_files() const {
  const auto name = run_dir();
  if (!name) return tl::unexpected(name.error());
  const auto found = run_script(kFindOwnFiles, {folder(), *name});
  if (!found) return tl::unexpected(found.error());
  std::vector<std::string> paths;
  for (std::string_view path : split(*found, '\0')) {
    if (path.starts_with("./")) path.remove_prefix(2);
    // The remote machine may be hostile.
    const bool leads_out =
        path.starts_with('/') || ("/" + std::string(path) + "/").find("/../") != std::string::npos;
    if (!path.empty() && !leads_out) paths.emplace_back(path);
  }
  return paths;
}

}  // namespace lapcast
