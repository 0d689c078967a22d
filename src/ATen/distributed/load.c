/* Which transport a process has: what its starter has set in the environment, or what the program
 * asks for.  The libraries for MPI are loaded when they are needed, because a process can only have
 * one MPI, that of its starter. */
#define _GNU_SOURCE /* dladdr1, secure_getenv */
#include <stdlib.h>

#include "ATen/files/beside.h"
#include "Comm.h"
#include "tcp.h"

typedef struct Implementation {
  const char *name, *library;
  const char *signs[3]; /* variables that its starter sets */
} Implementation;

static const Implementation implementations[] = {
    {"openmpi", "libATenMPI-openmpi.so", {"OMPI_COMM_WORLD_SIZE", "OMPI_MCA_orte_hnp_uri"}},
    {"mpich", "libATenMPI-mpich.so", {"PMI_RANK", "PMI_FD", "MPI_LOCALRANKID"}},
};
enum { IMPLEMENTATIONS = sizeof implementations / sizeof *implementations };

static bool is_set(const char *name)
{
  const char *const text = name ? secure_getenv(name) : NULL;
  return text && *text;
}

/* The implementation whose starter has started the process; NULL if there was none. */
static const Implementation *find_started(void)
{
  for (int i = 0; i < IMPLEMENTATIONS; i++)
    for (int k = 0; k < 3; k++)
      if (is_set(implementations[i].signs[k]))
        return &implementations[i];
  return NULL;
}

/* The one that the environment names, or the starter's, or the first. */
static const Implementation *find_implementation(at_fault *fault)
{
  const char *const wish = secure_getenv("AT_COMM_MPI");
  if (wish && *wish) {
    for (int i = 0; i < IMPLEMENTATIONS; i++)
      if (!strcmp(wish, implementations[i].name))
        return &implementations[i];
    at_fault_set(fault, -1,
                 "AT_COMM_MPI in the environment is '%.40s', and has to be openmpi or mpich", wish);
    return NULL;
  }
  const Implementation *const started = find_started();
  return started ? started : &implementations[0];
}

/* Opens the library in the folder of this one, or else where the loader finds it. */
static void *open_library(const char *name)
{
  void *const library = at_openBeside(&at_comm, name, RTLD_NOW | RTLD_GLOBAL);
  return library ? library : dlopen(name, RTLD_NOW | RTLD_GLOBAL); /* for MPI's own components */
}

static const at_transport *load_mpi(at_fault *fault)
{
  const Implementation *const wanted = find_implementation(fault);
  if (!wanted)
    return NULL;
  void *const library = open_library(wanted->library);
  if (!library) {
    at_fault_set(fault, -1, "%s is not there: %.300s", wanted->name, dlerror());
    return NULL;
  }
  const at_transport *const transport = dlsym(library, "at_transport_mpi");
  if (transport && transport->size == sizeof *transport)
    return transport;
  at_fault_set(fault, -1, "%s is of another version", wanted->library);
  return NULL;
}

bool at_comm_find(at_comm_backend backend, const at_transport **transport, at_fault *fault)
{
  if (backend == AT_COMM_ANY)
    backend = find_started() || is_set("AT_COMM_MPI") ? AT_COMM_MPI
              : is_set("WORLD_SIZE")                  ? AT_COMM_TCP
                                                      : AT_COMM_ONE;
  *transport = NULL;
  if (backend == AT_COMM_MPI)
    *transport = load_mpi(fault);
  else if (backend == AT_COMM_TCP)
    *transport = &at_tcp;
  else if (backend != AT_COMM_ONE)
    at_fault_set(fault, -1, "backend is %d, which is none", (int)backend);
  return *transport || backend == AT_COMM_ONE;
}
