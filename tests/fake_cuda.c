/* Imitates the CUDA driver's libcuda.so.1 for tests, as far as helpers/cuda_load.c uses it. A
 * kernel takes 5 ms. Compile it with -DFAIL=CODE: what cuInit answers. */
#include <time.h>

int cuInit(unsigned flags) {
  return FAIL;
}
int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
int cuCtxCreate_v2(void** context, unsigned flags, int device) {
  *context = context;
  return 0;
}
int cuModuleLoadData(void** module, const void* image) {
  *module = module;
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = function;
  return name[0] != 'l';
}
int cuLaunchKernel(void) {
  return 0;
}
int cuCtxSynchronize(void) {
  const struct timespec kernel = {0, 5000000};
  return nanosleep(&kernel, 0);
}
