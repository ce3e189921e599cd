// make-seismic writes a synthetic set of seismic patches for seismic-fcn.
#include "common/command_line.h"
#include "common/maker.h"
#include "data/seismic.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line(
      "make-seismic",
      "Draws seismic patches with and without a diffraction's apex at their centre and "
      "writes them as four IDX files.",
      "  make-seismic --out seismic\n"
      "  make-seismic --out small --train 2000 --test 500 --gzip\n");
  MakerOptions options;
  options.train = 40512;
  options.test = 212;
  add_maker_options(line, options);
  bool gzip = false;
  line.flag("gzip", gzip, "Pack the files (.gz)");
  return run_maker(line, options, "patches", argc, argv, [&] {
    const auto write_part = [&](SeismicPart part, int64_t count) {
      write_seismic(options.out, part, make_patches(count, options.seed, part, options.threads),
                    gzip);
    };
    write_part(SeismicPart::kTraining, options.train);
    write_part(SeismicPart::kValidation, options.test);
  });
}
