/* How ranks find one another: rank 0 listens at the address that all know, the others tell it where they
 * listen, and it tells them all addresses.  Whoever connects says first which rank it is. */
#define _GNU_SOURCE /* secure_getenv, accept4 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tcp.h"

enum { HELLO_MAGIC = 0x54484432, RETRY_MILLISECONDS = 50 };

/* Where a rank listens; the first thing that is sent over each connection. */
typedef struct Hello {
  uint32_t magic; /* which other programs and byte orders do not have */
  uint32_t rank, count, addressBytes;
  struct sockaddr_storage address;
} Hello;

typedef struct Join {
  int rank, count, listener;
  double deadline;
  struct sockaddr_storage address; /* rank 0's */
  socklen_t addressBytes;
  Hello *hellos; /* of all ranks */
  int *sockets;
  at_fault *fault;
} Join;

void at_fault_set(at_fault *fault, int rank, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fault->rank = rank;
  vsnprintf(fault->message, sizeof fault->message, format, arguments);
  va_end(arguments);
}

double at_tcp_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the environment ---------------------------------------------------------------------------- */

static bool read_number(const char *name, long least, long most, int *value, at_fault *fault)
{
  const char *const text = secure_getenv(name);
  char *end;
  errno = 0;
  const long number = text && *text ? strtol(text, &end, 10) : -1;
  if (!text || !*text || errno || *end || number < least || number > most) {
    at_fault_set(fault, -1, "%s in the environment is '%.40s', and has to be from %ld to %ld", name,
                 text ? text : "", least, most);
    return false;
  }
  *value = (int)number;
  return true;
}

static bool read_address(Join *join)
{
  int port;
  if (!read_number("WORLD_SIZE", 1, AT_TCP_RANKS, &join->count, join->fault) ||
      !read_number("RANK", 0, join->count - 1, &join->rank, join->fault) ||
      !read_number("MASTER_PORT", 1, 65535, &port, join->fault))
    return false;
  const char *const given = secure_getenv("MASTER_ADDR");
  const char *const host = given && *given ? given : "127.0.0.1";
  char service[8];
  snprintf(service, sizeof service, "%d", port);
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *found;
  const int problem = getaddrinfo(host, service, &hints, &found);
  if (problem) {
    at_fault_set(join->fault, -1, "MASTER_ADDR '%.100s' is not found: %s", host,
                 gai_strerror(problem));
    return false;
  }
  memcpy(&join->address, found->ai_addr, found->ai_addrlen);
  join->addressBytes = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

/* --- messages ----------------------------------------------------------------------------------- */

/* Waits until the socket can be read, or written, or the deadline. */
static bool await(const Join *join, int fd, short events)
{
  const double left = join->deadline - at_tcp_now();
  struct pollfd one = {fd, events, 0};
  return left > 0 && poll(&one, 1, left > 1 ? 1000 : 1 + (int)(left * 1000)) >= 0;
}

static bool move_all(const Join *join, int fd, void *data, size_t bytes, bool sends)
{
  for (size_t moved = 0; moved < bytes;) {
    char *const at = (char *)data + moved;
    const ssize_t n = sends ? send(fd, at, bytes - moved, MSG_NOSIGNAL | MSG_DONTWAIT)
                            : recv(fd, at, bytes - moved, MSG_DONTWAIT);
    if (n > 0)
      moved += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
             !await(join, fd, sends ? POLLOUT : POLLIN))
      return false;
  }
  return true;
}

static int new_socket(const Join *join)
{
  const int fd = socket(join->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    at_fault_set(join->fault, -1, "a socket cannot be made: %s", strerror(errno));
  return fd;
}

/* Connects with an address, where nobody may listen yet.  -1 and a fault if that fails. */
static int connect_to(const Join *join, int peer, const struct sockaddr_storage *address,
                      socklen_t bytes)
{
  int problem = ETIMEDOUT;
  while (at_tcp_now() < join->deadline) {
    const int fd = new_socket(join);
    if (fd < 0)
      return -1;
    socklen_t size = sizeof problem;
    if (connect(fd, (const struct sockaddr *)address, bytes) == 0)
      return fd;
    problem = errno;
    if (problem == EINPROGRESS && await(join, fd, POLLOUT) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 && problem == 0) {
      struct sockaddr_storage other;
      socklen_t length = sizeof other;
      if (getpeername(fd, (struct sockaddr *)&other, &length) == 0)
        return fd;
    }
    close(fd);
    poll(NULL, 0, RETRY_MILLISECONDS);
  }
  at_fault_set(join->fault, peer, "rank %d cannot be reached: %s", peer, strerror(problem));
  return -1;
}

/* Begins to listen at join->address, or at any port of it. */
static bool listen_at(Join *join, bool anyPort)
{
  const int yes = 1;
  struct sockaddr_storage address = join->address;
  if (anyPort)
    ((struct sockaddr_in *)&address)->sin_port = 0; /* where sin6_port is, too */
  join->listener = new_socket(join);
  if (join->listener < 0)
    return false;
  setsockopt(join->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(join->listener, (struct sockaddr *)&address, join->addressBytes) == 0 &&
      listen(join->listener, AT_TCP_RANKS) == 0)
    return true;
  at_fault_set(join->fault, -1, "rank %d cannot listen: %s", join->rank, strerror(errno));
  return false;
}

/* Whether a greeting is that of a rank which is still awaited. */
static bool is_expected(const Join *join, const Hello *hello)
{
  return hello->magic == HELLO_MAGIC && hello->count == (uint32_t)join->count &&
         hello->rank > (uint32_t)join->rank && hello->rank < (uint32_t)join->count &&
         join->sockets[hello->rank] < 0 && hello->addressBytes <= sizeof hello->address;
}

/* Accepts the connection of a rank that is higher than the own one; others are closed again. */
static bool accept_one(Join *join)
{
  while (await(join, join->listener, POLLIN)) {
    const int fd = accept4(join->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    Hello hello;
    if (fd < 0)
      continue;
    Join brief = *join; /* a stranger that says nothing does not hold up the ranks */
    if (brief.deadline > at_tcp_now() + 2)
      brief.deadline = at_tcp_now() + 2;
    if (move_all(&brief, fd, &hello, sizeof hello, false) && is_expected(join, &hello)) {
      join->sockets[hello.rank] = fd;
      join->hellos[hello.rank] = hello;
      return true;
    }
    close(fd);
  }
  int missing = join->rank + 1;
  while (missing < join->count - 1 && join->sockets[missing] >= 0)
    missing++;
  at_fault_set(join->fault, missing, "rank %d has not connected", missing);
  return false;
}

/* --- joining ------------------------------------------------------------------------------------ */

static bool meet_as_first(Join *join)
{
  if (!listen_at(join, false))
    return false;
  for (int i = 1; i < join->count; i++)
    if (!accept_one(join))
      return false;
  for (int i = 1; i < join->count; i++)
    if (!move_all(join, join->sockets[i], join->hellos, (size_t)join->count * sizeof(Hello),
                  true)) {
      at_fault_set(join->fault, i, "rank %d has gone while it connected", i);
      return false;
    }
  return true;
}

/* Connects with a lower rank. */
static bool greet(Join *join, int peer, const Hello *hello, const struct sockaddr_storage *address,
                  socklen_t bytes)
{
  Hello copy = *hello;
  join->sockets[peer] = connect_to(join, peer, address, bytes);
  if (join->sockets[peer] < 0)
    return false;
  if (peer == 0) { /* the others reach this rank where rank 0 sees it */
    socklen_t size = sizeof join->address;
    getsockname(join->sockets[0], (struct sockaddr *)&join->address, &size);
    if (!listen_at(join, true))
      return false;
    size = sizeof copy.address;
    getsockname(join->listener, (struct sockaddr *)&copy.address, &size);
    copy.addressBytes = size;
  }
  if (move_all(join, join->sockets[peer], &copy, sizeof copy, true))
    return true;
  at_fault_set(join->fault, peer, "rank %d has gone while it connected", peer);
  return false;
}

static bool meet_as_other(Join *join)
{
  const Hello hello = {
      .magic = HELLO_MAGIC, .rank = (uint32_t)join->rank, .count = (uint32_t)join->count};
  const struct sockaddr_storage first = join->address;
  if (!greet(join, 0, &hello, &first, join->addressBytes))
    return false;
  if (!move_all(join, join->sockets[0], join->hellos, (size_t)join->count * sizeof(Hello), false)) {
    at_fault_set(join->fault, 0,
                 "rank 0 has not sent the addresses: a rank is missing, or twice there");
    return false;
  }
  for (int i = 1; i < join->rank; i++) {
    const Hello *const other = &join->hellos[i];
    if (other->addressBytes > sizeof other->address ||
        !greet(join, i, &hello, &other->address, other->addressBytes))
      return false;
  }
  for (int i = join->rank + 1; i < join->count; i++)
    if (!accept_one(join))
      return false;
  return true;
}

int *at_tcp_join(int *rank, int *count, double timeout, at_fault *fault)
{
  Join join = {.listener = -1, .deadline = at_tcp_now() + timeout, .fault = fault};
  if (!read_address(&join))
    return NULL;
  join.hellos = calloc((size_t)join.count, sizeof *join.hellos);
  join.sockets = malloc((size_t)join.count * sizeof *join.sockets);
  bool done = join.hellos && join.sockets;
  if (!done)
    at_fault_set(fault, -1, "there is no memory for %d ranks", join.count);
  for (int i = 0; done && i < join.count; i++)
    join.sockets[i] = -1;
  const bool canClose = done;
  done = done && (join.rank == 0 ? meet_as_first(&join) : meet_as_other(&join));
  if (join.listener >= 0)
    close(join.listener);
  const int yes = 1;
  for (int i = 0; canClose && i < join.count; i++)
    if (join.sockets[i] >= 0 && !done)
      close(join.sockets[i]);
    else if (join.sockets[i] >= 0)
      setsockopt(join.sockets[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  free(join.hellos);
  if (!done) {
    free(join.sockets);
    return NULL;
  }
  *rank = join.rank;
  *count = join.count;
  return join.sockets;
}
