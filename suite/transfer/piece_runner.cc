#include "suite/transfer/piece_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "probe/ids_and_time.h"
#include "remote/ssh.h"
#include "run/text_bytes.h"
#include "suite/transfer/transfer_places.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr int kOwnTrouble = 125;  // exit status of the script if its own steps fail
constexpr std::size_t kMostNames = 16 << 20;
constexpr const char* kPlace = "place\n";  // tells the script that it may move the files

// Takes the folder as $1, the piece as $2, the working folder as $3, the destination as $4,
// kFindInTheWay as $5, and then the program. It prints the names of the files that the program
// wrote, each followed by NUL, and one more NUL. If there is a destination it then waits for
// kPlace, and brings the files there: by links if they are on one disk, else by copies. Nothing is
// removed before all are in place with their sizes. Its input ends when this lapcast or the link is
// gone: then it ends itself and the program. What was prepared is recorded in done/.NAME before it
// is placed, and in done/NAME afterwards, so that it can be ended and started again at any moment.
constexpr const char* kPreparePiece = R"sh(exec 3<&0
k=$2 w=$3 d=$4 find_in_the_way=$5
watch() { (while read -r line; do :; done; kill -TERM 0) <&3 >/dev/null 2>&1 & p=$!; }
unwatch() { kill $p; wait $p; } 2>/dev/null
if [ -n "$d" ]; then cd && mkdir -p -- "$d" && cd -- "$d" && d=$PWD || exit 125; fi
cd && cd -- "$1" || exit 125
t=$PWD; shift 5
[ -e "done/$k" ] && exec cat "done/$k"
if [ ! -e "done/.$k" ]; then
  rm -rf "out/$k" && mkdir -p "out/$k" && cd -- "$w" || exit 125
  watch
  "$@" 3<&- </dev/null >&2; s=$?; unwatch; [ $s -eq 0 ] || exit $s
  cd -- "$t/out/$k" && { find . -type f -print0 && printf '\0'; } >"$t/done/..$k" || exit 125
  if [ "$(wc -c <"$t/done/..$k")" -le 1 ]; then printf '\0'; exit 125; fi
  mv -f "$t/done/..$k" "$t/done/.$k" || exit 125
fi
l=$t/done/.$k; cat "$l" || exit 125
if [ -n "$d" ]; then
  read -r go <&3 && [ "$go" = place ] || exit 125
  watch; cd -- "$t/out/$k" || exit 125
  said=$(xargs -0 sh -c "$find_in_the_way" sh "$d" <"$l" 2>&1)
  if [ -z "$said" ]; then
    said=$(rsync --times --omit-dir-times --modify-window=-1 --link-dest="$PWD" \
      --from0 --files-from="$l" ./ "$d/" 2>&1); s=$?
    lacks=$(rsync --dry-run --size-only --out-format=%n --from0 --files-from="$l" ./ "$d/" 2>&1)
    if [ $s -eq 0 ] && [ -z "$lacks" ]; then said=; else said="$said lacking: $lacks"; fi
  fi
  unwatch; [ -z "$said" ] || { set -f; printf '%s ' $said | head -c 2000 >&2; exit 124; }
fi
cd -- "$t" && mv -f "done/.$k" "done/$k" || exit 125
[ -z "$d" ] || rm -rf "in/$k" "out/$k")sh";

/// Returns whether a list of names is complete.
bool is_whole(std::string_view list) {
  return list == std::string_view("\0", 1) || list.ends_with(std::string_view("\0\0", 2));
}

}  // namespace

std::string with_places(std::string_view text,
                        const std::vector<std::pair<std::string, std::string>>& by) {
  std::string result;
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(by, [&](const auto& place) { return text.starts_with(place.first); });
    result += found == by.end() ? text.substr(0, 1) : std::string_view(found->second);
    text.remove_prefix(found == by.end() ? 1 : found->first.size());
  }
  return result;
}

std::vector<std::string> PieceRunner::arguments_for(const Piece& piece) const {
  std::vector<std::string> arguments{program_.folder, piece.name, program_.working_dir,
                                     program_.destination, kFindInTheWay};
  for (const std::string& word : program_.program)
    arguments.push_back(with_places(word, {{"{in}", program_.seen_folder + "/in/" + piece.name},
                                           {"{out}", program_.seen_folder + "/out/" + piece.name},
                                           {"{piece}", piece.name}}));
  return arguments;
}

void PieceRunner::start(std::size_t piece) {
  const FedCommand fed = fed_script(kPreparePiece, arguments_for(pieces_[piece]));
  auto command = host_.start(fed.command);
  if (!command) {
    ended_.push_back({.piece = piece, .made = tl::unexpected(command.error().reason)});
    return;
  }
  command->write(fed.input);
  running_.push_back({piece, monotonic_ns(), std::move(*command), {}});
}

void PieceRunner::hear(Running& running) const {
  running.said += running.command.take_output();
  if (running.said.size() > kMostNames) return running.command.end();
  if (running.may_place || program_.destination.empty() || !is_whole(running.said)) return;
  check_(running.piece, paths_in(running.said));
  running.may_place = true;
  running.command.write(kPlace);
}

EndedPiece PieceRunner::end_of(const Running& running) const {
  EndedPiece ended{.piece = running.piece, .time = from_ns(monotonic_ns() - running.begin)};
  if (const auto failure = host_.failure_of(running.command)) {
    ended.made = tl::unexpected(failure->reason);
    ended.lost_host = failure->passes;
    return ended;
  }
  const int status = running.command.status();
  if (running.said.size() > kMostNames) {
    ended.made = because("the program wrote too many files; choose smaller pieces with --piece");
  } else if (is_whole(running.said) && running.said.size() == 1) {
    ended.made = because("the program wrote no file into {out}");
  } else if (status == 0) {
    ended.made = paths_in(running.said);
  } else {
    ended.not_placed = running.may_place;
    ended.lacks_program = !running.may_place && (status == 126 || status == 127);
    ended.made = tl::unexpected(failure_of(running));
  }
  return ended;
}

Reason PieceRunner::failure_of(const Running& running) const {
  const std::string& error = running.command.error();
  const std::string last = printable(last_lines(error, 1), 600);
  const std::string says = last.empty() ? "" : ": " + last;
  const int status = running.command.status();
  if (running.may_place && says_full_disk(error)) return {full_disk_of(host_.name(), last)};
  if (running.may_place)
    return {fmt::format("piece {} is not in place on {}{}", pieces_[running.piece].name,
                        host_.name(), says)};
  if (status == kOwnTrouble)
    return {fmt::format("{} cannot keep what is prepared{}", host_.name(), says)};
  return {fmt::format("the program ended with exit status {}{}", status, says)};
}

void PieceRunner::pump(bool may_wait) {
  while (!waiting_.empty() && running_.size() < static_cast<std::size_t>(program_.workers)) {
    start(waiting_.front());
    waiting_.pop_front();
  }
  for (std::size_t i = 0; i < running_.size(); ++i) {
    running_[i].command.wait(may_wait && i == 0 ? 10ms : 0ms);
    hear(running_[i]);
    if (running_[i].command.ended()) ended_.push_back(end_of(running_[i]));
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
