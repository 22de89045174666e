/*
 * As much of MPI as a test of NCCL needs to meet on one host: no launcher, no network. The client's main is compiled as
 * client_main; ours calls it in FORK_MPI_RANKS processes (2, where it is not set), and ends them all when one fails.
 */
#ifndef WINORD_FORK_MPI_H
#define WINORD_FORK_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { MPI_COMM_WORLD } MPI_Comm;
typedef enum { MPI_BYTE, MPI_DATATYPE_NULL } MPI_Datatype;

enum { MPI_SUCCESS, MPI_ERR_OTHER };
#define MPI_IN_PLACE ((void *)1)

int MPI_Init(int *argc, char ***argv);

/* All ranks wait for each other. */
int MPI_Finalize(void);

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);

/* Only with MPI_IN_PLACE: `receive`, of `count` bytes for each rank, at most 4096, holds this rank's part already. */
int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
                  MPI_Comm comm);

/* `count` bytes, at most 4096. */
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);

int client_main(int argc, char *argv[]);

#ifdef __cplusplus
}
#endif

#endif
