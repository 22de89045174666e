/* How the ranks of a run find each other: what a launcher left in the environment. */
#ifndef WINORD_STRESS_LAUNCH_H
#define WINORD_STRESS_LAUNCH_H

#include <stdbool.h>

/* A process started by a launcher as one rank of several. */
struct launch {
  unsigned rank, ranks; /* ranks 1: not launched, or alone */
  char job[256]; /* the same in all ranks of the run, and in no other run of this host */
};

/*
 * Open MPI (OMPI_COMM_WORLD_*), PMI, PMIx, Slurm (SLURM_PROCID, SLURM_NTASKS) and torchrun (RANK, WORLD_SIZE), the first that is
 * there whole. False: numbers that make no sense; error (512 bytes) says which.
 */
bool launch_find(struct launch *launch, char *error);

#endif
