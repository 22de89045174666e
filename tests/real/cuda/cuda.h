/* What the host side of nccl_device needs of cuda.h. */
#ifndef WINORD_TESTS_CUDA_H
#define WINORD_TESTS_CUDA_H

typedef enum { CU_MEM_LOCATION_TYPE_INVALID = 0 } CUmemLocationType;

#endif
