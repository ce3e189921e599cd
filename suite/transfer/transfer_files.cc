#include "suite/transfer/transfer_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsualPieceFiles = 20;
constexpr std::size_t kUsualPieces = 10;

void add_note(std::vector<std::string>& notes, const std::vector<std::string>& names,
              const char* why) {
  if (!names.empty()) notes.push_back(fmt::format("not sent: {} ({})", short_list(names), why));
}

}  // namespace

TransferInput transfer_input(const std::string& folder, const std::vector<fs::path>& left_out) {
  std::error_code error;
  TransferInput input;
  input.folder = fs::canonical(folder, error);
  if (error || !fs::is_directory(input.folder))
    throw Error(ExitCode::bad_input,
                fmt::format("'{}' is not a folder that can be read; {}", printable(folder),
                            did_you_mean_file(folder, "name the folder with the files")));
  auto list =
      list_files({.folder = input.folder, .rules = IgnoreRules::secrets(), .left_out = left_out});
  if (!list) throw Error(ExitCode::bad_input, list.error().text);
  std::vector<std::string> links, secrets;
  for (ListedFile& file : list->files) {
    if (file.kind == FileKind::link) links.push_back(file.path);
    if (file.kind != FileKind::file) continue;
    input.bytes += file.bytes;
    input.files.push_back(std::move(file));
  }
  for (const UnsentFile& file : list->unsent) secrets.push_back(file.path);
  add_note(input.notes, links, "links");
  add_note(input.notes, secrets, "looks like a secret");
  input.content = list->content;
  if (input.files.empty())
    throw Error(ExitCode::bad_input, fmt::format("{} holds no file to send", printable(folder)));
  return input;
}

void share_files(TransferInput& input, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::string clean = fs::path(path).lexically_normal().string();
    if (std::ranges::find(input.shared, clean) != input.shared.end()) continue;
    const auto found = std::ranges::find(input.files, clean, &ListedFile::path);
    if (found == input.files.end())
      throw Error(ExitCode::bad_input,
                  fmt::format("--with: {} is not a file of {}", printable(path),
                              printable(input.folder.string())));
    input.bytes -= found->bytes;
    input.files.erase(found);
    input.shared.push_back(clean);
  }
  if (input.files.empty())
    throw Error(ExitCode::bad_input, "--with leaves no other file to prepare");
}

std::size_t usual_piece_files(std::size_t files) {
  return std::clamp<std::size_t>(files / kUsualPieces, 1, kUsualPieceFiles);
}

std::vector<std::string> Piece::all_files() const {
  std::vector<std::string> all = files;
  all.insert(all.end(), shared.begin(), shared.end());
  return all;
}

std::vector<Piece> pieces_of(const std::vector<ListedFile>& files, std::size_t piece_files,
                             const std::vector<std::string>& shared) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i % piece_files == 0)
      pieces.push_back({fmt::format("{:05}", i / piece_files), {}, shared, 0});
    pieces.back().files.push_back(files[i].path);
    pieces.back().bytes += files[i].bytes;
  }
  return pieces;
}

std::vector<ListedFile> random_files(std::vector<ListedFile> files, std::size_t count,
                                     std::uint64_t seed) {
  SeededNumbers numbers(seed);
  count = std::min(count, files.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<double>(files.size() - i);
    std::swap(files[i], files[i + static_cast<std::size_t>(numbers.uniform() * left)]);
  }
  files.resize(count);
  return files;
}

void link_piece(const Piece& piece, const fs::path& input, const fs::path& work) {
  const fs::path folder = work / "in" / piece.name;
  std::error_code error;
  for (const std::string& file : piece.all_files()) {
    const fs::path link = folder / file;
    fs::create_directories(link.parent_path(), error);
    fs::create_symlink(input / file, link, error);
    if (error && error != std::errc::file_exists)
      throw Error(ExitCode::system_failed, fmt::format("{}: {}; choose another folder with --work",
                                                       printable(link.string()), error.message()));
  }
}

FolderPaths linked_files(const Piece& piece, const fs::path& work) {
  FolderPaths links{work / "in", {}};
  for (const std::string& file : piece.all_files()) links.paths.push_back(piece.name + "/" + file);
  return links;
}

SizeCount& sizes_of(std::vector<SizeCount>& sizes, std::uintmax_t bytes) {
  constexpr std::uint64_t kLeast = 1024, kMost = std::uint64_t{1} << 62;
  const auto up_to =
      static_cast<std::int64_t>(std::bit_ceil(std::clamp<std::uint64_t>(bytes, kLeast, kMost)));
  auto found = std::ranges::find(sizes, up_to, &SizeCount::up_to_bytes);
  if (found == sizes.end()) found = sizes.insert(found, {.up_to_bytes = up_to});
  return *found;
}

}  // namespace lapcast
