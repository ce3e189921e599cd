#include "commands/catalog/price_lists.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/units.h"
#include "formats/format_list.h"
#include "posix/files.h"
#include "posix/gzip_file.h"
#include "posix/spawn.h"
#include "price/catalog.h"
#include "price/odd_prices.h"
#include "price/offer_filter.h"
#include "price/offer_room.h"
#include "probe/ids_and_time.h"
#include "query/current_offers.h"
#include "query/input_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMostFetchedBytes = "67108864";
constexpr Seconds kFetchTime{60};
constexpr Seconds kMostFetchTime{3600};
// A server that does not report the size of its answer is limited by time: 60 s at this rate.
constexpr const char* kBytesPerSecond = "2M";

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto begin) { return text.starts_with(begin); });
}

bool is_address(std::string_view place) {
  return place.find("://") != std::string_view::npos;
}

/// Returns whether the host is this machine, for which plain http is allowed.
bool is_loopback(std::string_view place) {
  return starts_with_any(place, {"http://127.0.0.1:", "http://[::1]:"}) &&
         place.find('@') == std::string_view::npos;
}

/// Deletes a file at the end of its scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

[[noreturn]] void cannot_fetch(const std::string& address, std::string_view why) {
  throw Error(ExitCode::bad_input, fmt::format("cannot fetch {}: {}", printable(address), why));
}

/// Returns the time limit for fetching a list: 60 s, or the value of LAPCAST_FETCH_TIME.
Seconds fetch_time() {
  const char* const text = std::getenv("LAPCAST_FETCH_TIME");
  if (text == nullptr || *text == '\0') return kFetchTime;
  try {
    const Seconds time = parse_duration(text);
    if (time.count() > 0 && time <= kMostFetchTime) return time;
  } catch (const Error&) {
  }
  throw Error(ExitCode::usage, fmt::format("LAPCAST_FETCH_TIME is '{}'; it must be a duration up "
                                           "to 1h, such as 60s",
                                           printable(text, 40)));
}

/// Returns the meaning of an exit code of curl.
std::string why_curl_failed(int code, Seconds most) {
  if (code == 6) return "there is no such host";
  if (code == 7) return "no server answers there";
  if (code == 28) return fmt::format("the list did not come within {}", format_duration(most));
  if (code == 35 || code == 60) return "there is no secure connection: the certificate is refused";
  if (code == 63) return "the list is longer than 64 MiB";
  if (code == 18 || code == 52 || code == 56) return "the connection broke off";
  return fmt::format("curl ended with exit code {}", code);
}

void fetch(const std::string& address, const fs::path& file) {
  const bool is_local = is_loopback(address);
  if (!is_local && !address.starts_with("https://"))
    cannot_fetch(address, "only addresses that begin with https:// are fetched");
  const std::string protocol = is_local ? "=http" : "=https";
  const Seconds most = fetch_time();
  const auto ended = run_to_end({"curl",
                                 "-q",
                                 "--silent",
                                 "--proto",
                                 protocol,
                                 "--proto-redir",
                                 "=https",
                                 "--max-redirs",
                                 "0",
                                 "--max-filesize",
                                 kMostFetchedBytes,
                                 "--max-time",
                                 fmt::format("{}", most.count()),
                                 "--limit-rate",
                                 kBytesPerSecond,
                                 "--output",
                                 file.string(),
                                 "--write-out",
                                 "%{http_code}",
                                 "--",
                                 address},
                                std::chrono::milliseconds{std::llround(most.count() * 1e3) + 5000});
  if (!ended) cannot_fetch(address, ended.error().text);
  if (ended->exit_code != 0) cannot_fetch(address, why_curl_failed(ended->exit_code, most));
  const std::string& status = ended->text;
  if (status != "200")
    cannot_fetch(address, fmt::format("the server answers with status {}{}", printable(status, 10),
                                      status.starts_with("3") ? ", a redirection" : ""));
}

std::string text_of_list(const std::string& file, const std::string& place) {
  WholeFile whole = read_whole(file, kMostPriceListBytes);
  if (!whole.complete)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: the compressed data end too early or are damaged", printable(place)));
  return std::move(whole.text);
}

std::string fetched_text(const std::string& address) {
  const fs::path folder = updated_catalog_file().parent_path();
  if (const auto made = make_private_folders(folder); !made)
    throw Error(ExitCode::system_failed, made.error().text);
  const TemporaryFile file(folder / fmt::format("prices.{}.part", getpid()));
  fetch(address, file.path());
  try {
    return text_of_list(file.path().string(), address);
  } catch (const Error& error) {  // it names a file that the user does not know
    std::string what = error.what();
    if (const auto name = what.find(file.path().string()); name != std::string::npos)
      what.replace(name, file.path().string().size(), printable(address));
    throw Error(error.code(), what);
  }
}

/// Reads a catalog in lapcast's own format as a list.
PriceList own_list(std::string_view csv, const std::string& place, const OwnPrices& own) {
  Catalog catalog = parse_catalog(csv, place, today(), own.currencies);
  PriceList list;
  list.rows = static_cast<std::int64_t>(catalog.offers.size() + catalog.rejected.size());
  for (const RejectedRow& row : catalog.rejected) ++list.refused[row.reason.text];
  list.warnings = odd_prices(catalog.offers);
  list.offers = std::move(catalog.offers);
  return list;
}

/// Writes the offers so that updated_offers() can read them back, or leaves the file as it was.
void write_offers(const fs::path& file, const std::vector<Offer>& offers) {
  OfferRoom room;
  for (const Offer& offer : offers) room.take(offer);
  const std::string csv = catalog_csv(offers);
  if (csv.size() > kMostPriceListBytes)
    throw Error(ExitCode::bad_input,
                fmt::format("the prices would be longer than {}",
                            format_bytes(static_cast<std::int64_t>(kMostPriceListBytes))));
  if (const auto made = make_private_folders(file.parent_path()); !made)
    throw Error(ExitCode::system_failed, made.error().text);
  if (const auto written = write_private_file(file, csv); !written)
    throw Error(ExitCode::system_failed, written.error().text);
}

/// Throws Error (bad input) if adding the offers of a list would exceed kMostOffers.
void check_room_for(const std::vector<Offer>& offers, const PriceUpdate::List& added) {
  if (offers.size() + added.offers > kMostOffers &&
      count_of_both(offers, added.list.offers) > kMostOffers)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: its {} offers and the {} that are there would be more than {}",
                            printable(added.place), added.offers, offers.size(), kMostOffers));
}

/// Returns the format of that name. Throws Error (usage) for any other.
PriceListFormat price_list_format(std::string_view name) {
  if (const FileFormat* format = find_format(FormatKind::price_list, name))
    return std::get<PriceListFormat>(format->use);
  std::string names = names_of_formats(FormatKind::price_list, ", ");
  names.replace(names.rfind(", "), 2, " or ");
  throw Error(ExitCode::usage, "a price list is of the format " + names);
}

}  // namespace

PriceList import_price_list(const PriceListRequest& request, const std::string& own_prices) {
  const std::string text = is_address(request.place) ? fetched_text(request.place)
                                                     : text_of_list(request.place, request.place);
  if (request.format == "csv") return own_list(text, request.place, read_own_prices(own_prices));
  const PriceListFormat format = price_list_format(request.format);
  try {
    return read_price_list(format, text, request.origin, today());
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", printable(request.place), error.what()));
  }
}

std::vector<PriceListRequest> default_price_lists() {
  std::vector<PriceListRequest> lists;
  for (const char* provider : {"aws", "azure", "gcp", "lambda", "runpod", "vast", "oci"}) {
    const std::string address = fmt::format(
        "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{}/"
        "vms.csv",
        provider);
    lists.push_back({"skypilot", address, {provider, utc_now().substr(0, 10), address}});
  }
  return lists;
}

PriceUpdate update_prices(const std::vector<PriceListRequest>& lists,
                          const std::string& own_prices) {
  PriceUpdate update;
  const fs::path file = updated_catalog_file();
  std::vector<Offer> offers = updated_offers();
  update.before = offers.size();
  const std::vector<Offer> shipped = shipped_offers();
  bool any = false;
  for (const PriceListRequest& request : lists) {
    PriceUpdate::List& result = update.lists.emplace_back();
    result.place = request.place;
    try {
      result.list = import_price_list(request, own_prices);
      if (result.list.offers.empty())
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: no price of it can be used", printable(request.place)));
      result.list.warnings = odd_prices(result.list.offers, shipped);
      result.offers = result.list.offers.size();
      check_room_for(offers, result);
    } catch (const Error& error) {
      result.list = {};
      result.failure = error.what();
      continue;
    }
    any = true;
    offers = newest_of(std::move(offers), std::exchange(result.list.offers, {}));
  }
  update.after = offers.size();
  if (any) write_offers(file, offers);
  return update;
}

}  // namespace lapcast
