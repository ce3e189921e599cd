#pragma once

#include <array>

namespace lapcast {

/// Names an allocator that a program can preload in place of that of glibc.
struct KnownAllocator {
  const char* name;
  const char* file;
};

/// Lists the files of allocators; of one name the first that a machine has counts.
inline constexpr std::array<KnownAllocator, 4> kAllocators{
    {{"jemalloc", "libjemalloc.so.2"},
     {"tcmalloc", "libtcmalloc.so.4"},
     {"tcmalloc", "libtcmalloc_minimal.so.4"},
     {"mimalloc", "libmimalloc.so.2"}}};

/// Lists the folders that systems keep libraries in; the first that a machine has counts.
inline constexpr std::array<const char*, 4> kLibraryFolders{
    {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"}};

}  // namespace lapcast
