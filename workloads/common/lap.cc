// The one file that holds lap.h's state.
#define LAPCAST_IMPLEMENTATION
#include <lapcast/lap.h>
