// make-cifar10 writes a synthetic set of colour images in the file format of CIFAR-10.
#include "common/command_line.h"
#include "common/maker.h"
#include "data/cifar10.h"
#include "data/colour_images.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line(
      "make-cifar10",
      "Draws a synthetic set of colour images and writes it as the six binary files of "
      "CIFAR-10.",
      "  make-cifar10 --out cifar10\n"
      "  make-cifar10 --out small --train 2000 --test 500\n");
  MakerOptions options;
  options.train = 50000;
  options.test = 10000;
  add_maker_options(line, options);
  return run_maker(line, options, "images", argc, argv, [&] {
    const auto write_part = [&](Cifar10Part part, int64_t count) {
      write_cifar10(options.out, part,
                    make_colour_images(count, options.seed, part, options.threads));
    };
    write_part(Cifar10Part::kTraining, options.train);
    write_part(Cifar10Part::kTest, options.test);
  });
}
