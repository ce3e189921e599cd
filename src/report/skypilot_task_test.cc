#include "report/skypilot_task.h"

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

}  // namespace
}  // namespace lapcast
