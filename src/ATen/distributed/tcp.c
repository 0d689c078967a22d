/* Messages over sockets: each is a header and its bytes.  What arrives before it is asked for is kept, up
 * to a limit, beyond which whoever sends waits. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tcp.h"

enum { ABANDON = AT_TRANSPORT_TAGS, EARLY_BYTES = 1 << 22, LEAVE_MILLISECONDS = 1000 };

typedef struct Header {
  uint64_t tag, bytes; /* of ABANDON: the rank at fault */
} Header;

/* A message that nobody has asked for yet; data follow. */
typedef struct Early {
  struct Early *next;
  Header header;
  size_t got;
} Early;

typedef struct Peer {
  int fd;
  bool hasEnded; /* nothing more comes */
  at_transfer *sends, *receives;
  Header header; /* of the message that arrives */
  size_t headerGot;
  at_transfer *into; /* the one of receives that the message goes to, or NULL */
  Early *intoEarly;  /* the one of early that the message goes to, or NULL */
  Early *early;      /* messages that nobody waits for yet, oldest first */
  size_t earlyBytes;
} Peer;

typedef struct State {
  int rank, count;
  Peer *peers;
  struct pollfd *polls;
} State;

/* --- lists -------------------------------------------------------------------------------------- */

static void append(at_transfer **list, at_transfer *transfer)
{
  while (*list)
    list = &(*list)->next;
  transfer->next = NULL;
  *list = transfer;
}

static void finish(at_transfer **list, at_transfer *transfer)
{
  while (*list != transfer)
    list = &(*list)->next;
  *list = transfer->next;
  transfer->isActive = false;
  transfer->done = true;
}

static at_transfer *receive_of(const Peer *peer, uint64_t tag)
{
  at_transfer *transfer = peer->receives;
  while (transfer && (transfer->tag != tag || transfer->isActive))
    transfer = transfer->next;
  return transfer;
}

/* --- receiving ---------------------------------------------------------------------------------- */

static bool fits(const at_transfer *transfer, const Header *header, at_fault *fault)
{
  if (header->bytes == transfer->bytes)
    return true;
  at_fault_set(fault, transfer->peer, "rank %d has sent %llu bytes where %zu are expected",
               transfer->peer, (unsigned long long)header->bytes, transfer->bytes);
  return false;
}

/* Hands over messages that came early and are complete. */
static bool hand_over(Peer *peer, at_fault *fault)
{
  for (Early **link = &peer->early; *link;) {
    Early *const early = *link;
    at_transfer *const transfer = receive_of(peer, early->header.tag);
    if (!transfer || early->got < early->header.bytes) {
      if (transfer)
        return true; /* messages behind this one wait */
      link = &early->next;
      continue;
    }
    if (!fits(transfer, &early->header, fault))
      return false;
    if (early->got > 0)
      memcpy(transfer->data, early + 1, early->got);
    finish(&peer->receives, transfer);
    *link = early->next;
    peer->earlyBytes -= early->got;
    free(early);
  }
  return true;
}

/* Finds where the message goes to, whose header has arrived.  False if it has to wait, or with a
 * fault. */
static bool place_message(Peer *peer, at_fault *fault)
{
  const Header *const header = &peer->header;
  if (header->tag == ABANDON) {
    const int rank = header->bytes < AT_TCP_RANKS ? (int)header->bytes : -1;
    at_fault_set(fault, rank, "rank %d has failed or ended", rank);
    return false;
  }
  bool isBehind = false; /* an older one of that tag */
  for (const Early *early = peer->early; early; early = early->next)
    isBehind = isBehind || early->header.tag == header->tag;
  peer->into = isBehind ? NULL : receive_of(peer, header->tag);
  if (peer->into) {
    peer->into->isActive = true;
    return fits(peer->into, header, fault);
  }
  if (header->bytes > EARLY_BYTES - peer->earlyBytes)
    return false;
  Early *const early = malloc(sizeof *early + header->bytes);
  if (!early)
    return false;
  *early = (Early){NULL, *header, 0};
  Early **last = &peer->early;
  while (*last)
    last = &(*last)->next;
  peer->intoEarly = *last = early;
  peer->earlyBytes += header->bytes;
  return true;
}

/* Whether the message that arrives is complete; then the next one may begin. */
static bool end_message(Peer *peer, at_fault *fault)
{
  if (peer->into) {
    if (peer->into->moved < peer->into->bytes)
      return true;
    finish(&peer->receives, peer->into);
  } else {
    if (peer->intoEarly->got < peer->intoEarly->header.bytes)
      return true;
  }
  peer->into = NULL;
  peer->intoEarly = NULL;
  peer->headerGot = 0;
  return hand_over(peer, fault);
}

/* Takes what has arrived.  False and a fault after an error. */
static bool receive(Peer *peer, bool *moved, at_fault *fault)
{
  for (;;) {
    const bool hasHeader = peer->headerGot == sizeof peer->header;
    if (hasHeader && !peer->into && !peer->intoEarly && !place_message(peer, fault))
      return !*fault->message;
    size_t *const got = !hasHeader   ? &peer->headerGot
                        : peer->into ? &peer->into->moved
                                     : &peer->intoEarly->got;
    char *const base = !hasHeader   ? (char *)&peer->header
                       : peer->into ? peer->into->data
                                    : (char *)(peer->intoEarly + 1);
    const size_t all = hasHeader ? peer->header.bytes : sizeof peer->header;
    if (*got < all) {
      const ssize_t n = recv(peer->fd, base + *got, all - *got, MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
      peer->hasEnded = n <= 0;
      if (n <= 0)
        return true;
      *got += (size_t)n;
      *moved = true;
    }
    if (hasHeader && !end_message(peer, fault))
      return false;
  }
}

/* --- sending ------------------------------------------------------------------------------------ */

/* Sends what the socket takes. */
static void send_some(Peer *peer, bool *moved)
{
  while (peer->sends) {
    at_transfer *const transfer = peer->sends;
    Header header = {transfer->tag, transfer->bytes};
    const size_t at = transfer->moved, all = sizeof header + transfer->bytes;
    const size_t behind = at < sizeof header ? 0 : at - sizeof header;
    struct iovec parts[2] = {{(char *)&header + at, at < sizeof header ? sizeof header - at : 0},
                             {transfer->data + behind, transfer->bytes - behind}};
    const int first = parts[0].iov_len == 0;
    const struct msghdr message = {.msg_iov = parts + first, .msg_iovlen = (size_t)(2 - first)};
    const ssize_t n = sendmsg(peer->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) {
      peer->hasEnded = peer->hasEnded || (errno != EAGAIN && errno != EINTR);
      return;
    }
    *moved = true;
    transfer->moved += (size_t)n;
    if (transfer->moved == all)
      finish(&peer->sends, transfer);
  }
}

/* --- the transport ------------------------------------------------------------------------------ */

static bool begin_transfer(void *state, at_transfer *transfer, at_fault *fault)
{
  const State *const s = state;
  Peer *const peer = &s->peers[transfer->peer];
  transfer->moved = 0;
  transfer->done = transfer->isActive = false;
  fault->message[0] = '\0';
  append(transfer->sends ? &peer->sends : &peer->receives, transfer);
  return transfer->sends || hand_over(peer, fault);
}

/* Whether a rank is awaited that has gone. */
static bool lacks_peer(const State *s, at_fault *fault)
{
  for (int i = 0; i < s->count; i++)
    if (i != s->rank && s->peers[i].hasEnded && (s->peers[i].sends || s->peers[i].receives)) {
      at_fault_set(fault, i, "rank %d has failed or ended", i);
      return true;
    }
  return false;
}

/* Whether the message that has begun to arrive cannot be taken yet. */
static bool is_held(const Peer *peer)
{
  return peer->headerGot == sizeof peer->header && !peer->into && !peer->intoEarly &&
         !receive_of(peer, peer->header.tag);
}

static bool advance(void *state, int milliseconds, bool *moved, at_fault *fault)
{
  const State *const s = state;
  *moved = false;
  fault->message[0] = '\0';
  for (int i = 0; i < s->count; i++) {
    const Peer *const peer = &s->peers[i];
    const bool isOpen = i != s->rank && !peer->hasEnded;
    const short wanted = (short)((is_held(peer) ? 0 : POLLIN) | (peer->sends ? POLLOUT : 0));
    s->polls[i] = (struct pollfd){isOpen ? peer->fd : -1, wanted, 0};
  }
  if (lacks_peer(s, fault))
    return false;
  if (poll(s->polls, (nfds_t)s->count, milliseconds) <= 0)
    return true;
  for (int i = 0; i < s->count; i++) {
    Peer *const peer = &s->peers[i];
    if (s->polls[i].revents & POLLOUT)
      send_some(peer, moved);
    if (s->polls[i].revents & (POLLIN | POLLHUP | POLLERR) && !receive(peer, moved, fault))
      return false;
  }
  return true;
}

static void abandon(void *state, int rank)
{
  const State *const s = state;
  const Header header = {ABANDON, rank < 0 ? UINT32_MAX : (uint64_t)rank};
  for (int i = 0; i < s->count; i++) {
    Peer *const peer = &s->peers[i];
    if (i == s->rank || peer->hasEnded)
      continue;
    if (!peer->sends || peer->sends->moved == 0) /* else in the middle of a message: it only ends */
      (void)!send(peer->fd, &header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(peer->fd, SHUT_WR);
  }
  /* Reads on until the others have read this: unread bytes would make the kernel drop it. */
  char buffer[4096];
  for (int waited = 0, open = 1; open && waited < LEAVE_MILLISECONDS; waited += 10) {
    open = 0;
    for (int i = 0; i < s->count; i++) {
      ssize_t n = i == s->rank ? 0 : 1;
      while (n > 0)
        n = recv(s->peers[i].fd, buffer, sizeof buffer, MSG_DONTWAIT);
      open += n < 0 && errno == EAGAIN;
    }
    if (open)
      poll(NULL, 0, 10);
  }
}

static void close_state(void *state, bool orderly)
{
  State *const s = state;
  for (int i = 0; i < s->count; i++) {
    if (i != s->rank)
      close(s->peers[i].fd);
    while (s->peers[i].early) {
      Early *const early = s->peers[i].early;
      s->peers[i].early = early->next;
      free(early);
    }
  }
  free(s->peers);
  free(s->polls);
  free(s);
}

static void *open_state(int *rank, int *count, double timeout, at_fault *fault)
{
  int *const sockets = at_tcp_join(rank, count, timeout, fault);
  if (!sockets)
    return NULL;
  State *s = calloc(1, sizeof *s);
  Peer *const peers = calloc((size_t)*count, sizeof *peers);
  struct pollfd *const polls = calloc((size_t)*count, sizeof *polls);
  for (int i = 0; i < *count; i++)
    if (s && peers && polls)
      peers[i].fd = sockets[i];
    else if (i != *rank)
      close(sockets[i]);
  if (s && peers && polls) {
    *s = (State){*rank, *count, peers, polls};
  } else {
    at_fault_set(fault, -1, "there is no memory for %d ranks", *count);
    free(s);
    free(peers);
    free(polls);
    s = NULL;
  }
  free(sockets);
  return s;
}

const at_transport at_tcp = {.size = sizeof(at_transport),
                             .name = "tcp",
                             .open = open_state,
                             .begin = begin_transfer,
                             .advance = advance,
                             .abandon = abandon,
                             .close = close_state};
