#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "machine/description.h"
#include "probe/request.h"
#include "run/attempts.h"
#include "run/json_texts.h"
#include "run/run.h"

namespace lapcast {

// A coordinator and the agent, the lapcast on a remote machine, exchange the messages of this file
// as lines of text. docs/reference.md describes each line, its direction and its limits.

/// Names one task of `lapcast agent TASK DIR`.
struct AgentTask {
  enum class Kind {
    record,      // run what DIR/request.json asks for, to its end
    begin,       // do that detached, with the request from stdin; then follow
    prepare,     // only make the folder of the run, and say where it and lapcast are
    follow,      // print the record from a byte on, and take orders from stdin
    make_ready,  // make a program's folder ready for the list on stdin
    received,    // note that all files of that list have arrived; its hash is on stdin
    checks,      // answer questions about this machine
  };
  Kind kind = Kind::begin;
  std::string folder;     // that of the run or the program, or lapcast's own for checks
  std::int64_t from = 0;  // first byte of the record that is printed; follow only
};
/// Returns the arguments of lapcast that ask for a task: "agent", "follow", "runs/3fb0" ...
std::vector<std::string> agent_arguments(const AgentTask& task);
/// Returns the words for all tasks, in the order of AgentTask::Kind.
const std::vector<std::string>& agent_task_words();

/// Holds the messages of the agent. A worker process sends those of a record through its pipe, too.
namespace message {
/// Says that the agent is still at work: "L", once a second. It is not part of a record.
struct SignOfLife {};
/// Says that the task was accepted: "B". The record, or the paths of `prepare`, follow.
struct Accepted {};
/// Says that the machine lacks this lapcast: "N tool SYSTEM ARCHITECTURE".
struct LacksLapcast {
  std::string architecture;  // as `uname -sm` prints it
};
/// Says that the machine lacks the program in its present state: "N program".
struct LacksProgram {};
/// Says why the task cannot be done: "X WORDS".
struct Refused {
  std::string why;  // printable
};
/// Says when the program was started, on the clock of its machine: "B NANOSECONDS".
struct Started {
  MonotonicNs clock_ns = 0;
};
/// Names all attempts that were cut off, the newest last, at the beginning of the next one: "A TIME
/// LOST TIME LOST ...".
struct EarlierAttempts {
  std::vector<CutOffAttempt> attempts;
};
/// Says that nothing was heard of the run's machine for so long: "O SECONDS". Only a worker process
/// says it.
struct OutOfReach {
  Seconds time{0};
};
/// Says that so many more bytes came from the run's machine: "F BYTES". Only a worker process says
/// it.
struct Fetched {
  std::int64_t bytes = 0;
};
}  // namespace message

/// Holds what is known so far of a run whose program is suspended, or of a watched one: "S RUN".
struct RunSoFar {
  Run run;
};

/// Holds what one line of an agent says. It is empty for a line of another kind and for damaged
/// progress. It holds a Reason for a run that cannot be read. "P ..." is progress. "R RUN" is the
/// result and the last line of a record.
using AgentMessage = std::variant<std::monostate, message::SignOfLife, message::Accepted,
                                  message::LacksLapcast, message::LacksProgram, message::Refused,
                                  message::Started, message::EarlierAttempts, message::OutOfReach,
                                  message::Fetched, ProbeProgress, RunSoFar, Run, Reason>;

/// Reads a line of any bytes, without its line break.
AgentMessage parse_agent_message(std::string_view line);
/// Reads progress only; skips lines with runs, which may be long.
std::optional<ProbeProgress> parse_progress(std::string_view line);

// Each function returns a line with its line break.
std::string to_line(const message::SignOfLife&);
std::string to_line(const message::Accepted&);
std::string to_line(const message::LacksProgram&);
std::string to_line(const message::Refused& refused);
std::string to_line(const message::Started& started);
std::string to_line(const message::EarlierAttempts& earlier);
std::string to_line(const message::OutOfReach& silence);
std::string to_line(const message::Fetched& fetched);
std::string progress_line(const ProbeProgress& progress);
std::string run_so_far_line(const Run& run);
std::string result_line(const Run& run);
/// Passes these lines to `take` in pieces: the logs of a day's run are long.
void write_run_so_far(const Run& run, const TakeText& take);
void write_result(const Run& run, const TakeText& take);
/// Begins lines with a result, and no others.
inline constexpr std::string_view kResultMark = "R ";

/// Orders the agent to remove the run's folder after its result was passed on. The other orders are
/// those of probe/orders.h.
inline constexpr std::string_view kRemoveOrder = "remove";

/// Begins an order to a worker process, which passes it on to nobody: the machine of its run is
/// gone for the reason that follows, and what was measured until then is the result.
inline constexpr std::string_view kGoneOrder = "gone ";

/// Tell whether something was sent into the folder before; AgentTask::make_ready prints one of
/// them.
inline constexpr std::string_view kFirstSending = "first\n";
inline constexpr std::string_view kSentBefore = "again\n";

/// Holds the questions of AgentTask::checks.
namespace question {
/// Asks for the time: "clock", answered by "clock NANOSECONDS-SINCE-1970".
struct Clock {};
/// Sends bytes: "take BYTES" and that many bytes, answered by "took".
struct Take {
  std::int64_t bytes = 0;
};
/// Asks for the machine's facts: "facts", answered by the lines of facts_lines().
struct Facts {};
}  // namespace question
using CheckQuestion =
    std::variant<std::monostate, question::Clock, question::Take, question::Facts>;
/// Reads a question; nothing for any other line.
CheckQuestion parse_question(std::string_view line);
std::string to_line(const CheckQuestion& question);

/// Returns the line that answers question::Clock, with the nanoseconds since 1970.
std::string clock_answer(std::int64_t since_1970_ns);
/// Returns the time that a clock's answer names, when it is positive.
std::optional<std::int64_t> parse_clock_answer(std::string_view line);
inline constexpr std::string_view kTookAnswer = "took\n";

/// Returns what a machine says of itself as lines "NAME VALUE", with kEndOfFacts as the last.
std::string facts_lines(const MachineFacts& facts);
/// Reads such lines of any bytes; the Reason says that they are cut off or damaged.
Result<MachineFacts> parse_facts(std::string_view lines);
inline constexpr std::string_view kEndOfFacts = "end";

/// Cuts bytes that come in pieces into whole lines.
class LineBuffer {
 public:
  /// Bounds the bytes of a line. Even a result with lap logs of the greatest allowed length is
  /// shorter.
  static constexpr std::size_t kMostLine = 288 << 20;

  explicit LineBuffer(std::size_t most_bytes_of_a_line = kMostLine)
      : most_bytes_(most_bytes_of_a_line) {}
  /// Appends bytes. Drops them once a line was too long.
  void append(std::string_view bytes);
  /// Returns whether a line was too long, so that its writer cannot be lapcast.
  bool is_too_long() const { return too_long_; }
  /// Returns the next whole line, without its line break.
  std::optional<std::string> next();
  /// Returns how many bytes all lines so far took, their line breaks included.
  std::int64_t taken() const { return taken_; }
  /// Returns the bytes after the last line, and forgets them.
  std::string take_rest();

 private:
  std::size_t most_bytes_;
  bool too_long_ = false;
  std::string bytes_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // no line break before this
  std::int64_t taken_ = 0;
};

/// Returns a run that was not started because of `why`; its row shows this reason.
Run run_not_started(const RunContext& context, const std::string& why);

}  // namespace lapcast
