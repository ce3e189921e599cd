#include "suite/transfer/transfer_results.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "query/input_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 200;           // upper limit for reading
constexpr std::uintmax_t kMostResult = 4 << 20;  // bytes of one

}  // namespace

void keep_transfer_result(const fs::path& folder, const std::string& document) {
  std::string name = utc_now() + "-" + new_id() + ".json";
  std::ranges::replace(name, ':', '-');
  auto kept = make_private_folders(folder);
  if (kept) kept = write_private_file(folder / name, document);
  if (!kept) throw Error(ExitCode::system_failed, "the result is not kept: " + kept.error().text);
}

std::vector<MeasuredTransfer> kept_transfers(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json" && entry.is_regular_file(error) &&
        entry.file_size(error) <= kMostResult)
      files.push_back(entry.path());
  std::ranges::sort(files);
  if (files.size() > kMostKept)
    files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(kMostKept));
  std::vector<MeasuredTransfer> transfers;
  for (const fs::path& file : files)
    if (auto transfer = parse_measured_transfer(read_file(file.string(), "result of a transfer")))
      transfers.push_back(std::move(*transfer));
  return transfers;
}

}  // namespace lapcast
