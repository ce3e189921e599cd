#include "price/offer_room.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/units.h"

namespace lapcast {

void check_offer_count(std::size_t count) {
  if (count > kMostOffers)
    throw Error(ExitCode::bad_input, fmt::format("more than {} offers; a catalog takes no more, so "
                                                 "that it fits into 1 GB of memory: leave out what "
                                                 "is not needed",
                                                 kMostOffers));
}

void OfferRoom::take(const Offer& offer) {
  check_offer_count(++offers_);
  for (const std::string* text : {&offer.name, &offer.provider, &offer.service, &offer.machine_type,
                                  &offer.region, &offer.accelerator, &offer.as_of, &offer.source})
    bytes_ += text->size();
  if (bytes_ > kMostOfferBytes)
    throw Error(ExitCode::bad_input,
                fmt::format("the texts of {} offers are longer than {}; a catalog takes no more, "
                            "so that it fits into 1 GB of memory: leave out what is not needed",
                            offers_, format_bytes(static_cast<std::int64_t>(kMostOfferBytes))));
}

}  // namespace lapcast
