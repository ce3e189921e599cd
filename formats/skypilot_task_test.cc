#include "formats/skypilot_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

Offer offer(std::string provider, std::string service, std::string machine_type,
            std::string accelerator, int count) {
  Offer offer;
  offer.name = "an offer";
  offer.provider = std::move(provider);
  offer.service = std::move(service);
  offer.machine_type = std::move(machine_type);
  offer.accelerator = std::move(accelerator);
  offer.accelerator_count = count;
  return offer;
}

std::string instance_of(const Offer& offer) {
  const auto resources = skypilot_resources(offer);
  return resources ? resources->cloud + " " + resources->instance_type : resources.error().text;
}

TEST(SkyPilotResources, TakesWhatTheOfferKnows) {
  Offer p3 = offer("aws", "ec2", "p3.2xlarge", "V100", 1);
  p3.region = "us-east-1";
  const SkyPilotResources expected{"aws", "us-east-1", "p3.2xlarge", "V100", 1, false, {}};
  EXPECT_EQ(skypilot_resources(p3).value(), expected);
}

TEST(SkyPilotResources, NamesInstancesAsTheCloudDoes) {
  EXPECT_EQ(instance_of(offer("azure", "vm", "NC6", "K80", 1)), "azure Standard_NC6");
  EXPECT_EQ(instance_of(offer("azure", "vm", "Standard_NC6", "K80", 1)), "azure Standard_NC6");
  EXPECT_EQ(instance_of(offer("gcp", "compute", "a2-highgpu-1g", "A100", 1)), "gcp a2-highgpu-1g");
  EXPECT_EQ(instance_of(offer("lambda", "cloud", "gpu_1x_a10", "A10", 1)), "lambda gpu_1x_a10");
}

TEST(SkyPilotResources, PartsOfAMachineAreNoInstanceTypes) {
  const auto resources = skypilot_resources(offer("gcp", "compute", "GPU-V100", "V100", 1)).value();
  EXPECT_EQ(resources.cloud, "gcp");
  EXPECT_EQ(resources.instance_type, "");
  EXPECT_EQ(resources.accelerator, "V100");
  EXPECT_EQ(resources.unknown.size(), 2u);  // region, instance type
}

TEST(SkyPilotResources, ATpuIsOneOfItsSize) {
  const auto resources = skypilot_resources(offer("gcp", "tpu", "TPUv3-8", "TPUv3", 8)).value();
  EXPECT_EQ(resources.accelerator, "tpu-v3-8");
  EXPECT_EQ(resources.accelerator_count, 1);
  EXPECT_THAT(skypilot_resources(offer("gcp", "compute", "TPU-v3", "TPUv3", 1)).error().text,
              HasSubstr("how large"));
}

TEST(SkyPilotResources, RefusesWhatItCannotRent) {
  Offer owned = offer("local", "cluster", "node", "P100", 1);
  owned.terms = Owned{};
  EXPECT_THAT(skypilot_resources(owned).error().text, HasSubstr("owned hardware"));
  EXPECT_THAT(
      skypilot_resources(offer("aws", "sagemaker", "ml.p3.2xlarge", "V100", 1)).error().text,
      HasSubstr("provider 'aws', service 'sagemaker'"));
  EXPECT_THAT(skypilot_resources(offer("", "", "box", "", 0)).error().text,
              HasSubstr("no cloud that SkyPilot knows"));
}

TEST(SkyPilotResources, AnAcceleratorAloneIsOfAnyCloud) {
  const auto resources = skypilot_resources(offer("", "", "box", "A100", 8)).value();
  EXPECT_EQ(resources.cloud, "");
  EXPECT_EQ(resources.accelerator_count, 8);
  EXPECT_EQ(resources.unknown.size(), 3u);
}

TEST(SkyPilotYaml, WordForWord) {
  SkyPilotTask task;
  task.comments = {"The winner."};
  task.name = "lapcast-1";
  task.resources = {"aws", "us-east-1", "p3.2xlarge", "V100", 1, false, {"something"}};
  task.workdir = "/home/user/it's";
  task.environment = {{"A", "yes\nrun: rm"}};
  task.setup = "pip install -r requirements.txt\n";
  task.run = "python3 train.py\n";
  EXPECT_EQ(skypilot_yaml(task), R"(# The winner.
# Not known: something.
name: "lapcast-1"

resources:
  cloud: "aws"
  region: "us-east-1"
  instance_type: "p3.2xlarge"
  accelerators: "V100:1"
  use_spot: false

workdir: "/home/user/it's"

envs:
  "A": "yes\nrun: rm"

setup: |
  pip install -r requirements.txt

run: |
  python3 train.py
)");
}

TEST(YamlScalar, IsTextWhateverItLooksLike) {
  EXPECT_EQ(yaml_scalar(""), R"("")");
  EXPECT_EQ(yaml_scalar("yes"), R"("yes")");
  EXPECT_EQ(yaml_scalar("1e3: &a *b !c # d"), R"("1e3: &a *b !c # d")");
}

TEST(YamlScalar, CannotBeLeft) {
  EXPECT_EQ(yaml_scalar("a\"\nrun: rm"), R"("a\"\nrun: rm")");
  EXPECT_EQ(yaml_scalar("a\\"), R"("a\\")");
  EXPECT_EQ(yaml_scalar(std::string_view("\0\x1b\x7f\t\r", 5)), R"("\x00\x1B\x7F\t\x0D")");
}

TEST(YamlScalar, IsAscii) {
  EXPECT_EQ(yaml_scalar("\xC3\xA4"), R"("\xE4")");                  // ä
  EXPECT_EQ(yaml_scalar("\xC2\x85"), R"("\x85")");                  // next line
  EXPECT_EQ(yaml_scalar("\xE2\x80\xA8"), R"("\u2028")");            // line separator
  EXPECT_EQ(yaml_scalar("\xF0\x9F\x98\x80!"), R"("\U0001F600!")");  // outside the BMP
}

TEST(YamlBlock, TakesLinesAsTheyAre) {
  EXPECT_EQ(yaml_block("export A=1\nexec './a: \"b\"' # c\n"),
            "|\n  export A=1\n  exec './a: \"b\"' # c\n");
}

TEST(YamlBlock, LeavesTheRestToTheScalar) {
  EXPECT_EQ(yaml_block(" indented\n"), "\" indented\\n\"\n");
  EXPECT_EQ(yaml_block("a\n\nb\n"), "\"a\\n\\nb\\n\"\n");
  EXPECT_EQ(yaml_block("a\tb\n"), "\"a\\tb\\n\"\n");
  EXPECT_EQ(yaml_block("no end"), "\"no end\"\n");
}

TEST(YamlComment, IsOneLineAfterTheOther) {
  EXPECT_EQ(yaml_comment("a\nrun: rm\x1b[2J\x7f"), "# a run: rm??\n");
  EXPECT_EQ(yaml_comment("\xEF\xBF\xBF"), "# ?\n");
  EXPECT_EQ(yaml_comment(std::string(60, 'a') + " " + std::string(60, 'b')),
            "# " + std::string(60, 'a') + "\n# " + std::string(60, 'b') + "\n");
  EXPECT_EQ(yaml_comment(std::string(150, 'a')), "# " + std::string(150, 'a') + "\n");
}

}  // namespace
}  // namespace lapcast
