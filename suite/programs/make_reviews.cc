// make-reviews writes synthetic film reviews in the folder layout of the IMDb set.
#include "common/command_line.h"
#include "common/maker.h"
#include "data/review_texts.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("make-reviews",
                   "Writes synthetic film reviews as text files in train/pos, train/neg, test/pos "
                   "and test/neg.",
                   "  make-reviews --out reviews\n"
                   "  make-reviews --out small --train 2000 --test 500\n");
  MakerOptions options;
  options.train = 36000;
  options.test = 14000;
  add_maker_options(line, options);
  return run_maker(line, options, "reviews", argc, argv, [&] {
    const auto write_part = [&](ReviewPart part, int64_t count) {
      write_reviews(options.out, part, count, options.seed, options.threads);
    };
    write_part(ReviewPart::kTraining, options.train);
    write_part(ReviewPart::kTest, options.test);
  });
}
