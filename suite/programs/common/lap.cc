// Holds the state of lap.h, which exactly one file of a program defines.
#define LAPCAST_IMPLEMENTATION
#include <lapcast/lap.h>
