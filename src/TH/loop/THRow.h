/* Copies of short rows. */
#ifndef TH_ROW_H
#define TH_ROW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As memcpy, without the call, which takes longer than copying a few elements.  The last part
 * copied ends with the row and may overlap the part before it. */
static inline void THRow_copy(void *to, const void *from, size_t bytes)
{
  enum { CHUNK = 64, SHORT = 1024 };
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (bytes > SHORT || bytes < 8) {
    memcpy(t, f, bytes);
  } else if (bytes <= 16) {
    uint64_t first, last;
    memcpy(&first, f, 8), memcpy(&last, f + bytes - 8, 8);
    memcpy(t, &first, 8), memcpy(t + bytes - 8, &last, 8);
  } else if (bytes <= CHUNK) {
    typedef struct {
      uint64_t word[2];
    } Pair;
    Pair part[4];
    const size_t end = bytes - sizeof(Pair);
    const size_t second = end < 16 ? end : 16, third = end < 32 ? end : 32;
    memcpy(part, f, 16), memcpy(part + 1, f + second, 16);
    memcpy(part + 2, f + third, 16), memcpy(part + 3, f + end, 16);
    memcpy(t, part, 16), memcpy(t + second, part + 1, 16);
    memcpy(t + third, part + 2, 16), memcpy(t + end, part + 3, 16);
  } else {
    typedef struct {
      uint64_t word[CHUNK / 8];
    } Part;
    Part part, last;
    memcpy(&last, f + bytes - CHUNK, CHUNK); /* read before anything is written: to may be from */
    for (size_t i = 0; i + CHUNK < bytes; i += CHUNK)
      memcpy(&part, f + i, CHUNK), memcpy(t + i, &part, CHUNK);
    memcpy(t + bytes - CHUNK, &last, CHUNK);
  }
}

#endif
