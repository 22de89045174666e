/* What nccl.h and the host side of nccl_device need of CUDA's headers, so that they compile where there is no CUDA. */
#ifndef WINORD_TESTS_CUDA_RUNTIME_H
#define WINORD_TESTS_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
