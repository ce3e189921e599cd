// Reads tables of metrics, stopwatch lines, and logs of Hugging Face and MLflow of any bytes.
#include "imported_fuzz.h"

#include "formats/csv_intervals.h"
#include "formats/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 5) {
    case 0:
      check_imported(lapcast::import_metrics_csv(text, "fuzz.csv"));
      break;
    case 1:
      check_imported(lapcast::import_stopwatch_csv(text, "fuzz.csv"));
      break;
    case 2:
      check_imported(lapcast::import_rows_json(text, "fuzz.json"));
      break;
    case 3:
      check_imported(lapcast::import_algoperf(text, "fuzz.csv"));
      check_imported(lapcast::import_intervals(text, "fuzz.csv", {}));
      break;
    default:
      check_imported(lapcast::import_trainer_state(text, "fuzz.json"));
      check_imported(lapcast::import_mlflow({{"loss", std::string(text)}}, "fuzz"));
  }
  return 0;
}
