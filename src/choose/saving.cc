#include "choose/saving.h"

namespace lapcast {

Result<double> saving(Money baseline, Money cost) {
  if (baseline <= Money{}) return because("what it is compared with costs nothing");
  return (baseline - cost).dollars() / baseline.dollars();
}

}  // namespace lapcast
