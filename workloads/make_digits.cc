// make-digits: writes a synthetic set of digits in MNIST's files.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>

#include "common/cpus.h"
#include "data/digits.h"
#include "data/idx.h"

namespace {

using namespace lapcast::workloads;

struct Options {
  std::string out;
  int64_t train = 60000;
  int64_t test = 10000;
  uint64_t seed = 1;
  int threads = usable_cpus();
  bool gzip = false;
};

void add_options(CLI::App& app, Options& options) {
  constexpr int64_t kMost = 2000000;
  app.add_option("--out", options.out, "The folder to write into; made if missing")
      ->required()
      ->type_name("DIR");
  app.add_option("--train", options.train, "Images of the training part")
      ->check(CLI::Range(int64_t{1}, kMost))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--test", options.test, "Images of the test part")
      ->check(CLI::Range(int64_t{1}, kMost))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--seed", options.seed, "Another seed, another set; the same seed, the same files")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--threads", options.threads, "Threads that draw; does not change the images")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--gzip", options.gzip, "Pack the files (.gz)");
  app.footer(
      "Examples:\n"
      "  make-digits --out digits\n"
      "  make-digits --out small --train 2000 --test 500 --gzip\n");
}

void write_part(const Options& options, MnistPart part, int64_t count) {
  write_mnist(options.out, part, make_digits(count, options.seed, part, options.threads),
              options.gzip);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Draws a synthetic set of digits and writes it as the four IDX files of MNIST.",
               "make-digits");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    std::filesystem::create_directories(options.out);
    write_part(options, MnistPart::kTraining, options.train);
    write_part(options, MnistPart::kTest, options.test);
  } catch (const std::exception& error) {
    std::cerr << "make-digits: " << error.what() << '\n';
    return 1;
  }
  std::cout << options.train << " + " << options.test << " digits in " << options.out << '\n';
  return 0;
}
