#include <malloc.h>

#include "cli/commands.h"

int main(int argc, char** argv) {
  // The texts and laps of a long run go back to the system when they are freed; by default malloc
  // keeps blocks of up to 32 MiB for later.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
  return lapcast::run_lapcast(argc, argv);
}
