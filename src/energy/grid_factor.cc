#include "energy/grid_factor.h"

#include <algorithm>
#include <string>

#include "core/lower_case.h"

namespace lapcast {
namespace {

constexpr std::string_view kGoogle = "Google, carbon data by region, in codecarbon";
constexpr std::string_view kEpa = "EPA eGRID, in cloud-carbon-footprint";
constexpr std::string_view kEea = "EEA, in cloud-carbon-footprint";
constexpr std::string_view kEma = "EMA Singapore, in cloud-carbon-footprint";
constexpr std::string_view kFootprint = "carbonfootprint.com, in cloud-carbon-footprint";
constexpr int kYear = 2026;          // both lists are from April and August of this year
constexpr double kDisagreement = 2;  // docs/money.md

struct RegionRow {
  std::string_view provider;
  std::string_view region;  // letters and digits only
  double grams_per_kwh;
  std::string_view source;
};

// Two rows of Azure are left out because their number is in the wrong column of the source.
constexpr RegionRow kRegions[] = {{"aws", "afsouth1", 928, kFootprint},
                                  {"aws", "apeast1", 810, kFootprint},
                                  {"aws", "apnortheast1", 506, kFootprint},
                                  {"aws", "apnortheast2", 500, kFootprint},
                                  {"aws", "apnortheast3", 506, kFootprint},
                                  {"aws", "apsouth1", 708, kFootprint},
                                  {"aws", "apsoutheast1", 408, kEma},
                                  {"aws", "apsoutheast2", 790, kFootprint},
                                  {"aws", "cacentral1", 130, kFootprint},
                                  {"aws", "cnnorth1", 555, kFootprint},
                                  {"aws", "cnnorthwest1", 555, kFootprint},
                                  {"aws", "eucentral1", 338, kEea},
                                  {"aws", "eunorth1", 8, kEea},
                                  {"aws", "eusouth1", 233, kEea},
                                  {"aws", "euwest1", 316, kEea},
                                  {"aws", "euwest2", 228, kEea},
                                  {"aws", "euwest3", 52, kEea},
                                  {"aws", "mesouth1", 732, kFootprint},
                                  {"aws", "saeast1", 74, kFootprint},
                                  {"aws", "useast1", 416, kEpa},
                                  {"aws", "useast2", 440, kEpa},
                                  {"aws", "usgoveast1", 416, kEpa},
                                  {"aws", "usgovwest1", 351, kEpa},
                                  {"aws", "uswest1", 351, kEpa},
                                  {"aws", "uswest2", 351, kEpa},
                                  {"azure", "belgiumcentral", 154, kEea},
                                  {"azure", "centralindia", 708, kFootprint},
                                  {"azure", "centralus", 472, kEpa},
                                  {"azure", "eastasia", 810, kFootprint},
                                  {"azure", "eastus", 416, kEpa},
                                  {"azure", "eastus2", 416, kEpa},
                                  {"azure", "eastus3", 416, kEpa},
                                  {"azure", "francecentral", 67, kEea},
                                  {"azure", "northcentralus", 440, kEpa},
                                  {"azure", "northeurope", 316, kEea},
                                  {"azure", "southcentralus", 396, kEpa},
                                  {"azure", "southeastasia", 408, kEma},
                                  {"azure", "southindia", 708, kFootprint},
                                  {"azure", "swedencentral", 9, kEea},
                                  {"azure", "uksouth", 228, kEea},
                                  {"azure", "ukwest", 228, kEea},
                                  {"azure", "westcentralus", 351, kEpa},
                                  {"azure", "westeurope", 390, kEea},
                                  {"azure", "westindia", 708, kFootprint},
                                  {"azure", "westus", 351, kEpa},
                                  {"azure", "westus2", 351, kEpa},
                                  {"azure", "westus3", 351, kEpa},
                                  {"gcp", "africasouth1", 646, kGoogle},
                                  {"gcp", "asiaeast1", 451, kGoogle},
                                  {"gcp", "asiaeast2", 360, kGoogle},
                                  {"gcp", "asianortheast1", 459, kGoogle},
                                  {"gcp", "asianortheast2", 385, kGoogle},
                                  {"gcp", "asianortheast3", 378, kGoogle},
                                  {"gcp", "asiasouth1", 648, kGoogle},
                                  {"gcp", "asiasouth2", 529, kGoogle},
                                  {"gcp", "asiasoutheast1", 369, kGoogle},
                                  {"gcp", "asiasoutheast2", 580, kGoogle},
                                  {"gcp", "australiasoutheast1", 501, kGoogle},
                                  {"gcp", "australiasoutheast2", 456, kGoogle},
                                  {"gcp", "europecentral2", 723, kGoogle},
                                  {"gcp", "europenorth1", 46, kGoogle},
                                  {"gcp", "europesouthwest1", 131, kGoogle},
                                  {"gcp", "europewest1", 122, kGoogle},
                                  {"gcp", "europewest10", 345, kGoogle},
                                  {"gcp", "europewest12", 249, kGoogle},
                                  {"gcp", "europewest2", 136, kGoogle},
                                  {"gcp", "europewest3", 345, kGoogle},
                                  {"gcp", "europewest4", 236, kGoogle},
                                  {"gcp", "europewest6", 59, kGoogle},
                                  {"gcp", "europewest8", 249, kGoogle},
                                  {"gcp", "europewest9", 34, kGoogle},
                                  {"gcp", "mecentral1", 575, kGoogle},
                                  {"gcp", "mecentral2", 569, kGoogle},
                                  {"gcp", "mewest1", 463, kGoogle},
                                  {"gcp", "northamericanortheast1", 2, kGoogle},
                                  {"gcp", "northamericanortheast2", 47, kGoogle},
                                  {"gcp", "southamericaeast1", 56, kGoogle},
                                  {"gcp", "southamericawest1", 138, kGoogle},
                                  {"gcp", "uscentral1", 430, kGoogle},
                                  {"gcp", "useast1", 560, kGoogle},
                                  {"gcp", "useast4", 322, kGoogle},
                                  {"gcp", "useast5", 322, kGoogle},
                                  {"gcp", "ussouth1", 321, kGoogle},
                                  {"gcp", "uswest1", 94, kGoogle},
                                  {"gcp", "uswest2", 198, kGoogle},
                                  {"gcp", "uswest3", 588, kGoogle},
                                  {"gcp", "uswest4", 373, kGoogle}};

std::string short_name(std::string_view text) {
  return letters_and_digits(text.substr(0, 100));
}

}  // namespace

std::optional<GridFactor> grid_factor(std::string_view provider, std::string_view region) {
  const std::string cloud = short_name(provider);
  const std::string name = short_name(region);
  for (const RegionRow& row : kRegions)
    if (row.provider == cloud && row.region == name)
      return GridFactor{
          {row.grams_per_kwh / kDisagreement, row.grams_per_kwh, row.grams_per_kwh * kDisagreement},
          row.source,
          kYear};
  return std::nullopt;
}

GridFactor grid_factor_of_user(double grams_per_kwh) {
  return {Interval<double>::exactly(grams_per_kwh), "--grid", 0};
}

}  // namespace lapcast
