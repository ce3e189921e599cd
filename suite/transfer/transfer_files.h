#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "remote/host.h"
#include "remote/program_files.h"
#include "suite/transfer/transfer_report.h"

namespace lapcast {

/// Holds the files of a data set that are sent.
struct TransferInput {
  std::filesystem::path folder;   // absolute
  std::vector<ListedFile> files;  // regular files alone, sorted by path
  std::int64_t bytes = 0;
  std::vector<std::string> shared;  // paths that every piece gets; not among the files
  std::string content;              // a hash of paths, sizes and times of change
  std::vector<std::string> notes;   // what is left out: links, what looks like a secret
};

/// Lists the files of a folder, without what lies in the folders `left_out`. Throws Error (bad
/// input) for what is not a folder, cannot be read or holds no file.
TransferInput transfer_input(const std::string& folder,
                             const std::vector<std::filesystem::path>& left_out);

/// Makes the files of these paths those that every piece gets. Throws Error (bad input) for a path
/// that the folder does not hold, and where no other file is left.
void share_files(TransferInput& input, const std::vector<std::string>& paths);

/// Holds files that are prepared by one call of the program.
struct Piece {
  std::string name;  // "00012"
  std::vector<std::string> files;
  std::vector<std::string> shared;  // which other pieces have, too
  std::int64_t bytes = 0;           // without the shared files

  /// Returns the paths of all files.
  std::vector<std::string> all_files() const;
};

/// Cuts files into pieces of so many, besides those that all share.
std::vector<Piece> pieces_of(const std::vector<ListedFile>& files, std::size_t piece_files,
                             const std::vector<std::string>& shared);

/// Returns how many files make a piece where the user does not say it: 20, fewer where that makes
/// fewer than 10 pieces.
std::size_t usual_piece_files(std::size_t files);

/// Returns `count` of the files, chosen at random and in random order, and the same for the same
/// seed.
std::vector<ListedFile> random_files(std::vector<ListedFile> files, std::size_t count,
                                     std::uint64_t seed);

/// Makes the folder in/NAME below `work`, with a link to each file of the piece under the path that
/// the file has in the input. Throws Error (system) where that fails.
void link_piece(const Piece& piece, const std::filesystem::path& input,
                const std::filesystem::path& work);

/// Returns these links, as files to send.
FolderPaths linked_files(const Piece& piece, const std::filesystem::path& work);

/// Returns the row that counts files of so many bytes, which it adds where there is none yet.
SizeCount& sizes_of(std::vector<SizeCount>& sizes, std::uintmax_t bytes);

}  // namespace lapcast
