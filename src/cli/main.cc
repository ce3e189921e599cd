#include "cli/commands.h"

int main(int argc, char** argv) {
  return lapcast::run_lapcast(argc, argv);
}
