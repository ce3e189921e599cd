// Reads what a target says of prepared files, a line of rsync's progress, and what `transfer run
// --json` prints, of any bytes: each name is a part of the list without NUL, and counts stay within
// their bounds.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "suite/papers/measured_transfers.h"
#include "suite/transfer/transfer_places.h"
#include "suite/transfer/transfer_report.h"
#include "suite/transfer/transfer_seconds.h"

namespace {

void require_that(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const std::string& path : lapcast::paths_in(text)) {
    require_that(path.find('\0') == std::string::npos);
    require_that(text.find(path) != std::string_view::npos);
  }
  lapcast::TransferSeconds seconds;
  seconds.sent(1, 1);
  seconds.take_progress(text);
  require_that(seconds.now().sent_bytes >= 1 && seconds.now().sent_files >= 1);
  require_that(!lapcast::transfer_csv(seconds.all()).empty());
  if (const auto measured = lapcast::parse_measured_transfer(text)) {
    require_that(measured->files > 0 && measured->sent_bytes > 0 && measured->workers > 0);
    const auto figures = lapcast::kunas_transfers({*measured, *measured});
    require_that(figures && !figures->empty());
  }
  return 0;
}
