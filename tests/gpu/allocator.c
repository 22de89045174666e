/*
 * NCCL's memory for PyTorch's memory pools, by torch.cuda.memory.CUDAPluggableAllocator: for machines on which PyTorch does
 * not hand out its own allocator of this kind (without NVLink multicast, as of 2.11).
 */
#include <stddef.h>

int ncclMemAlloc(void **pointer, size_t size);
int ncclMemFree(void *pointer);

void *pool_allocate(size_t size, int device, void *stream);
void pool_free(void *pointer, size_t size, int device, void *stream);

/* The device is the current one: PyTorch sees to that. NULL where there is no memory. */
void *pool_allocate(size_t size, int device, void *stream) {
  void *pointer = NULL;
  (void)device;
  (void)stream;
  return ncclMemAlloc(&pointer, size) == 0 ? pointer : NULL;
}

void pool_free(void *pointer, size_t size, int device, void *stream) {
  (void)size;
  (void)device;
  (void)stream;
  (void)ncclMemFree(pointer);
}
