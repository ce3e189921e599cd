// make-io-observations writes a synthetic set of I/O observations for nn-twins.
#include "common/command_line.h"
#include "common/maker.h"
#include "data/io_observations.h"
#include "data/io_patterns.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("make-io-observations",
                   "Simulates what an I/O node sees of applications with three access patterns and "
                   "writes it as training.csv and test.csv.",
                   "  make-io-observations --out observations\n"
                   "  make-io-observations --out small --train 2000 --test 500\n");
  MakerOptions options;
  options.train = 27238;
  options.test = 11674;
  add_maker_options(line, options);
  return run_maker(line, options, "observations", argc, argv, [&] {
    const auto write_part = [&](IoPart part, const char* name, int64_t count) {
      write_io_observations(options.out / name,
                            make_observations(count, options.seed, part, options.threads));
    };
    write_part(IoPart::kTraining, "training.csv", options.train);
    write_part(IoPart::kTest, "test.csv", options.test);
  });
}
