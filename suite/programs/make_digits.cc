// make-digits writes a synthetic set of digits in the file format of MNIST.
#include "common/command_line.h"
#include "common/maker.h"
#include "data/digits.h"
#include "data/idx.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("make-digits",
                   "Draws a synthetic set of digits and writes it as the four IDX files of MNIST.",
                   "  make-digits --out digits\n"
                   "  make-digits --out small --train 2000 --test 500 --gzip\n");
  MakerOptions options;
  options.train = 60000;
  options.test = 10000;
  add_maker_options(line, options);
  bool gzip = false;
  line.flag("gzip", gzip, "Pack the files (.gz)");
  return run_maker(line, options, "digits", argc, argv, [&] {
    const auto write_part = [&](MnistPart part, int64_t count) {
      const int threads = static_cast<int>(options.threads);
      write_mnist(options.out, part, make_digits(count, options.seed, part, threads), gzip);
    };
    write_part(MnistPart::kTraining, options.train);
    write_part(MnistPart::kTest, options.test);
  });
}
