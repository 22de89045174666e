/* ranks [-f RANK]: what a client of fork_mpi does at its start; the rank of -f fails before the others are through. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/gpu/fork_mpi/mpi.h"

enum { MOST = 8 };

static int failing_rank(int argc, char *argv[]) { return getopt(argc, argv, "f:") == 'f' ? atoi(optarg) : -1; }

/* Whether each rank's part is its number, squared. */
static int gathers(int rank, int size) {
  long parts[MOST] = {0};
  parts[rank] = (long)rank * rank;
  if (MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts, sizeof *parts, MPI_BYTE, MPI_COMM_WORLD) != MPI_SUCCESS)
    return 0;
  for (int r = 0; r < size; r++)
    if (parts[r] != (long)r * r)
      return 0;
  return 1;
}

static int broadcasts(int rank, int size) {
  int told = rank;
  return MPI_Bcast(&told, sizeof told, MPI_BYTE, size - 1, MPI_COMM_WORLD) == MPI_SUCCESS && told == size - 1;
}

int client_main(int argc, char *argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == failing_rank(argc, argv))
    return 1;
  const int right = gathers(rank, size) && broadcasts(rank, size);
  MPI_Finalize();
  if (rank == 0)
    printf("%d ranks\n", size);
  return !right;
}
