#include "suite/transfer/transfer_seconds.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostCounted = std::int64_t{1} << 60;

/// Returns the number at the start of a text, limited to kMostCounted; 0 if there is none.
std::int64_t leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::clamp<std::int64_t>(number, 0, kMostCounted);
}

}  // namespace

TransferSeconds::TransferSeconds() : begin_(monotonic_ns()) {}

Seconds TransferSeconds::elapsed() const {
  return from_ns(monotonic_ns() - begin_);
}

void TransferSeconds::note() {
  seconds_.resize(std::max(seconds_.size(), static_cast<std::size_t>(elapsed().count())), now_);
}

void TransferSeconds::take_progress(std::string_view line) {
  note();
  now_.sent_bytes = ended_.sent_bytes + leading_number(line);
  constexpr std::string_view kFiles = "xfr#";
  if (const std::size_t at = line.find(kFiles); at != std::string_view::npos)
    now_.sent_files = ended_.sent_files + leading_number(line.substr(at + kFiles.size()));
}

void TransferSeconds::sent(std::int64_t bytes, std::int64_t files) {
  note();
  ended_.sent_bytes += bytes;
  ended_.sent_files += files;
  now_.sent_bytes = std::max(now_.sent_bytes, ended_.sent_bytes);
  now_.sent_files = std::max(now_.sent_files, ended_.sent_files);
}

void TransferSeconds::prepared(std::int64_t files) {
  note();
  now_.prepared_files += files;
}

std::vector<TransferSecond> TransferSeconds::all() {
  note();
  std::vector<TransferSecond> seconds = seconds_;
  if (seconds.empty() || !(seconds.back() == now_)) seconds.push_back(now_);
  return seconds;
}

}  // namespace lapcast
