#include "suite/transfer/transfer_work.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/hash.h"
#include "core/units.h"
#include "query/sweep_state.h"
#include "suite/transfer/transfer_places.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Returns the file that records with which program a transfer began.
fs::path begun_file(const fs::path& folder) {
  return folder / "begun";
}

/// Returns the changed files of the program; if the old program is not known, its first file.
std::vector<std::string> changed_since_begin(const std::string& begun,
                                             const ProgramContent& program) {
  if (const auto before = program_of_description(begun)) return changed_files(*before, program);
  return program.empty() ? std::vector<std::string>() : std::vector{program.begin()->first};
}

std::string id_of(const TransferRequest& request, const TransferInput& input) {
  ContentHash hash;
  hash.add(input.folder.string());
  hash.add(input.content);
  hash.add(request.target.host->name());
  hash.add(request.target.folder);
  hash.add(request.target.own_folder);
  hash.add(prepares_here(request.way) ? "here" : "there");
  hash.add(static_cast<std::uint64_t>(request.piece_files));
  for (const std::string& path : input.shared) hash.add(path);
  for (const std::string& word : request.program) hash.add(word);
  return hash.hex();
}

}  // namespace

TransferWork::TransferWork(const TransferRequest& request, const TransferInput& input)
    : id_(id_of(request, input)), folder_(request.work / id_) {}

Result<void> TransferWork::begin(const ProgramContent& program) {
  if (auto made = make_private_folders(folder_ / "done"); !made)
    return because(made.error().text + "; choose another folder with --work");
  if (!is_own_path(folder_, S_IFDIR, Forbidden::writing))
    return because(printable(folder_.string(), 300) +
                   ": others may write into it; choose another folder with --work");
  lock_ = std::make_unique<FileLock>(folder_ / "lock");
  if (!lock_->is_held()) return because("another lapcast works on this transfer");
  begun_ = describe_sweep("", program);
  is_resumed_ = fs::exists(begun_file(folder_));
  former_begun_ = text_of_file(begun_file(folder_));
  if (is_resumed_) changed_ = changed_since_begin(former_begun_, program);
  if (!changed_.empty())
    if (auto forgot = forget_prepared(); !forgot) return forgot;
  if (changed_.empty() && is_resumed_)
    begun_ = former_begun_;
  else if (auto noted = write_private_file(begun_file(folder_), begun_); !noted)
    return noted;
  for (const char* part : {"in", "out", "done"})
    if (auto made = make_private_folders(folder_ / part); !made) return made;
  return {};
}

Result<void> TransferWork::forget_prepared() {
  std::error_code error;
  for (const auto& note : fs::directory_iterator(folder_ / "done", error))
    std::ranges::move(paths_in(text_of_file(note.path())), std::back_inserter(former_));
  std::ranges::sort(former_);
  former_.erase(std::unique(former_.begin(), former_.end()), former_.end());
  for (const char* part : {"in", "out", "done"}) {
    fs::remove_all(folder_ / part, error);
    if (error)
      return because(printable((folder_ / part).string(), 300) +
                     " cannot be removed: " + error.message());
  }
  return {};
}

std::string TransferWork::name_with(const std::string& begun) const {
  ContentHash hash;
  hash.add(begun);
  return id_ + "-" + hash.hex();
}

std::vector<std::string> TransferWork::left_over(const std::vector<std::string>& made) const {
  std::vector<std::string> sorted = made, left;
  std::ranges::sort(sorted);
  std::ranges::set_difference(former_, sorted, std::back_inserter(left));
  return left;
}

Result<void> TransferWork::note_done(const Piece& piece,
                                     const std::vector<std::string>& made) const {
  const fs::path note = folder_ / "done" / piece.name;
  if (fs::exists(note)) return {};
  std::string list;
  for (const std::string& name : made) list.append(name).append(1, '\0');
  return write_private_file(note, list);
}

std::optional<std::vector<std::string>> TransferWork::made_of(const Piece& piece) const {
  const fs::path note = folder_ / "done" / piece.name;
  if (!fs::exists(note)) return std::nullopt;
  return paths_in(text_of_file(note));
}

void TransferWork::remove() {
  lock_.reset();
  std::error_code error;
  fs::remove_all(folder_, error);
}

}  // namespace lapcast
