#include "app/piece_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "probe/ids_and_time.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr int kOwnTrouble = 125;  // exit status of the script where its own steps fail
constexpr std::size_t kMostNames = 16 << 20;

// Takes the folder as $1, the piece as $2, the working folder as $3, the destination as $4, and
// then the program. It prints the names of the files that the program wrote, each with NUL at its
// end. Its input ends when this lapcast or the link is gone: then it ends itself and the program.
// What was prepared is noted in done/.NAME before it is moved, and in done/NAME afterwards, so that
// it may be ended at any moment and started again. It is one line, since csh allows no more.
constexpr const char* kPreparePiece =
    "exec 3<&0; k=$2; w=$3; d=$4; cd; "
    "if [ -n \"$d\" ]; then mkdir -p -- \"$d\" && cd -- \"$d\" || exit 125; d=$PWD; cd; fi; "
    "cd -- \"$1\" || exit 125; t=$PWD; shift 4; [ -e \"done/$k\" ] && exec cat \"done/$k\"; "
    "if [ ! -e \"done/.$k\" ]; then "
    "rm -rf \"out/$k\" && mkdir -p \"out/$k\" && cd -- \"$w\" || exit 125; "
    "(cat <&3 >/dev/null 2>&1; kill -TERM 0) & p=$!; "
    "\"$@\" 3<&- </dev/null >&2; s=$?; kill $p; [ $s -eq 0 ] || exit $s; "
    "cd -- \"$t/out/$k\" && find . -type f -print0 >\"$t/done/..$k\" && "
    "mv -f \"$t/done/..$k\" \"$t/done/.$k\" || exit 125; fi; "
    "if [ -n \"$d\" ]; then cd -- \"$t/out/$k\" && "
    "find . -type d -exec mkdir -p -- \"$d/{}\" \\; && "
    "find . -type f -exec mv -f -- {} \"$d/{}\" \\; || exit 125; fi; "
    "cd -- \"$t\" && mv -f \"done/.$k\" \"done/$k\" || exit 125; "
    "[ -z \"$d\" ] || rm -rf \"in/$k\" \"out/$k\"; exec cat \"done/$k\"";

std::string with_places(std::string text,
                        const std::vector<std::pair<std::string, std::string>>& by) {
  for (const auto& [name, value] : by)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

}  // namespace

std::vector<std::string> paths_in(std::string_view list) {
  std::vector<std::string> paths;
  for (std::size_t end = 0; (end = list.find('\0')) != std::string_view::npos;
       list.remove_prefix(end + 1)) {
    const std::string_view path = list.substr(0, end);
    paths.emplace_back(path.starts_with("./") ? path.substr(2) : path);
  }
  return paths;
}

std::vector<std::string> PieceRunner::command_for(const Piece& piece) const {
  std::vector<std::string> command{"sh",
                                   "-c",
                                   kPreparePiece,
                                   "sh",
                                   program_.folder,
                                   piece.name,
                                   program_.working_dir,
                                   program_.destination};
  for (const std::string& word : program_.program)
    command.push_back(with_places(word, {{"{in}", program_.seen_folder + "/in/" + piece.name},
                                         {"{out}", program_.seen_folder + "/out/" + piece.name},
                                         {"{piece}", piece.name}}));
  return command;
}

void PieceRunner::start(std::size_t piece) {
  auto command = host_.start(command_for(pieces_[piece]));
  if (command)
    running_.push_back({piece, monotonic_ns(), std::move(*command), {}});
  else
    ended_.push_back({.piece = piece, .made = tl::unexpected(command.error().reason)});
}

EndedPiece PieceRunner::end_of(const Running& running) const {
  EndedPiece ended{.piece = running.piece, .time = from_ns(monotonic_ns() - running.begin)};
  if (const auto failure = host_.failure_of(running.command)) {
    ended.made = tl::unexpected(failure->reason);
    ended.lost_host = failure->passes;
    return ended;
  }
  const int status = running.command.status();
  if (status == 0 && running.said.size() <= kMostNames) {
    ended.made = paths_in(running.said);
    if (ended.made->empty()) ended.made = because("the program wrote no file into {out}");
    return ended;
  }
  const std::string last = printable(last_lines(running.command.error(), 1), 300);
  const std::string says = last.empty() ? "" : ": " + last;
  ended.lacks_program = status == 126 || status == 127;
  ended.made = because(status == kOwnTrouble
                           ? fmt::format("{} cannot keep what is prepared{}", host_.name(), says)
                           : fmt::format("the program ended with exit status {}{}", status, says));
  return ended;
}

void PieceRunner::pump(bool may_wait) {
  while (!waiting_.empty() && running_.size() < static_cast<std::size_t>(program_.workers)) {
    start(waiting_.front());
    waiting_.pop_front();
  }
  for (std::size_t i = 0; i < running_.size(); ++i) {
    RunningCommand& command = running_[i].command;
    command.wait(may_wait && i == 0 ? 10ms : 0ms);
    const std::string said = command.take_output();
    if (running_[i].said.size() <= kMostNames) running_[i].said += said;
    if (command.ended()) ended_.push_back(end_of(running_[i]));
  }
  std::erase_if(running_, [](const Running& running) { return running.command.ended(); });
}

void check_preparation(const std::vector<std::string>& program) {
  for (const char* place : {"{in}", "{out}"})
    if (std::ranges::none_of(program, [&](const std::string& word) {
          return word.find(place) != std::string::npos;
        }))
      throw Error(
          ExitCode::usage,
          fmt::format("the program has no {}: it prepares the files of the folder {{in}} "
                      "into the folder {{out}}, such as -- prepare --in {{in}} --out {{out}}",
                      place));
}

}  // namespace lapcast
