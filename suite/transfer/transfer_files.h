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

struct TransferInput {
  std::filesystem::path folder;   // absolute
  std::vector<ListedFile> files;  // only regular files, sorted by path
  std::int64_t bytes = 0;
  std::vector<std::string> shared;  // paths of files that every piece gets; not in `files`
  std::string content;              // a hash of paths, sizes and modification times
  std::vector<std::string> notes;   // files left out: links, and what looks like a secret
};

/// Lists the files of a folder, without those in the folders `left_out`. Throws Error (bad input)
/// if it is not a folder, cannot be read or has no files.
TransferInput transfer_input(const std::string& folder,
                             const std::vector<std::filesystem::path>& left_out);

/// Makes the files of these paths shared by all pieces. Throws Error (bad input) for a path that is
/// not in the folder, and if no other file is left.
void share_files(TransferInput& input, const std::vector<std::string>& paths);

/// Holds files that are prepared by one call of the program.
struct Piece {
  std::string name;  // "00012"
  std::vector<std::string> files;
  std::vector<std::string> shared;  // other pieces have these, too
  std::int64_t bytes = 0;           // without the shared files

  /// Returns the paths of all files.
  std::vector<std::string> all_files() const;
};

/// Splits files into pieces of this many, besides those that all share.
std::vector<Piece> pieces_of(const std::vector<ListedFile>& files, std::size_t piece_files,
                             const std::vector<std::string>& shared);

/// Returns the default number of files in a piece: 20, or fewer if that gives fewer than 10 pieces.
std::size_t usual_piece_files(std::size_t files);

/// Returns `count` of the files, chosen at random and in random order, which depend only on the
/// seed.
std::vector<ListedFile> random_files(std::vector<ListedFile> files, std::size_t count,
                                     std::uint64_t seed);

/// Creates the folder in/NAME below `work`, with a link to each file of the piece at the path of
/// the file in the input. Throws Error (system) if that fails.
void link_piece(const Piece& piece, const std::filesystem::path& input,
                const std::filesystem::path& work);

/// Returns the links of link_piece() as files to send.
FolderPaths linked_files(const Piece& piece, const std::filesystem::path& work);

/// Returns the row for files of this many bytes, and adds it if there is none.
SizeCount& sizes_of(std::vector<SizeCount>& sizes, std::uintmax_t bytes);

}  // namespace lapcast
