#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lapcast {

/// Creates the file, readable for its owner only, and the folders that it needs, unless they are
/// there. Throws Error (store) when it is a folder or not a regular file, or cannot be created or
/// written.
void make_store_file(const std::filesystem::path& file);

/// Throws Error (store) when the file is not a regular file that can be read.
void check_store_file(const std::filesystem::path& file);

bool can_write(const std::filesystem::path& file);

/// Returns whether SQLite's write-ahead log works on file systems of this f_type (statfs(2)): its
/// index is memory that processes share, which network and FUSE file systems do not offer reliably
/// (sqlite.org/wal.html, "Overview").
bool wal_works_on(std::int64_t file_system_type);
bool wal_works_at(const std::filesystem::path& file);

/// Returns the file as an SQLite URI that takes no lock and writes nothing: for read-only file
/// systems.
std::string immutable_uri(const std::filesystem::path& file);

}  // namespace lapcast
