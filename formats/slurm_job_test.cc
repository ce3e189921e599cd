#include "formats/slurm_job.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SlurmJob, HasOptionsCommentsAndTheScript) {
  const std::string text = slurm_job_text({.comments = {"24 min by forecast\nexit 1"},
                                           .options = {"--partition=gpu", "--time=0:36:00"},
                                           .script = "exec python3 train.py\n"});
  EXPECT_THAT(text, StartsWith("#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --time=0:36:00\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nexit 1")));  // a comment stays one
  EXPECT_THAT(text, HasSubstr("\nset -eu\nexec python3 train.py\n"));
}

TEST(SlurmJob, QuotesAnOptionThatSlurmWouldSplit) {
  EXPECT_THAT(slurm_job_text({.options = {R"(--comment=a "b" \c)"}}),
              HasSubstr(R"(#SBATCH --comment="a \"b\" \\c")"));
  EXPECT_THROW(slurm_job_text({.options = {"--comment=a\nrm -rf x"}}), Error);
}

}  // namespace
}  // namespace lapcast
