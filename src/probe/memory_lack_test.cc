#include "probe/memory_lack.h"

#include <gtest/gtest.h>

#include <string>

namespace lapcast {
namespace {

TEST(MainMemoryErrors, AreKnownByTheWordsOfTheLibraries) {
  for (const char* text :
       {"MemoryError", "terminate called after throwing an instance of 'std::bad_alloc'",
        "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't "
        "allocate memory: you tried to allocate 64000000000 bytes.",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=17.batch."})
    EXPECT_EQ(main_memory_error_in(std::string("Traceback\n") + text + "\n"), text);
  EXPECT_EQ(main_memory_error_in("CUDA out of memory\nexit\n"), "");
  EXPECT_EQ(main_memory_error_in(""), "");
}

TEST(MainMemoryErrors, OfLongAgoIsPast) {
  std::string text = "MemoryError: trying a smaller batch\n";
  for (int i = 0; i < 40; ++i) text += "epoch done\n";
  EXPECT_EQ(main_memory_error_in(text + "ValueError: labels\n"), "");
}

}  // namespace
}  // namespace lapcast
