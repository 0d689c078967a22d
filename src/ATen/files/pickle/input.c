/* The bytes of a pickle, which are read in order. */
#include "Machine.h"

void at_input_begin(at_input *in, at_stream *stream, THGuard *guard)
{
  *in = (at_input){.stream = stream};
  THGuard_enter(guard, THFree);
  in->buffer = guard->what = at_file_alloc(stream->file, AT_INPUT);
}

void at_pickle_checkLeft(const at_pickle *m, uint64_t length)
{
  const at_input *in = m->in;
  if (length > in->end - in->at && length - (in->end - in->at) > in->stream->left)
    at_pickle_bad(m, "the pickle ends too early, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
}

void at_pickle_take(at_pickle *m, void *to, uint64_t length)
{
  at_input *in = m->in;
  at_pickle_checkLeft(m, length);
  for (uint8_t *at = to; length > 0;) {
    if (in->at == in->end) {
      in->end = (size_t)THMin(in->stream->left, (uint64_t)AT_INPUT);
      in->at = 0;
      at_stream_read(in->stream, in->buffer, in->end);
    }
    const size_t count = (size_t)THMin(length, (uint64_t)(in->end - in->at));
    memcpy(at, in->buffer + in->at, count);
    at += count;
    in->at += count;
    in->taken += count;
    length -= count;
  }
}

uint64_t at_pickle_takeLittle(at_pickle *m, int count)
{
  uint8_t bytes[8];
  at_pickle_take(m, bytes, (uint64_t)count);
  return at_little(bytes, count);
}

size_t at_pickle_takeLine(at_pickle *m, char line[AT_PICKLE_LINE])
{
  size_t length = 0;
  for (uint8_t byte; (byte = at_pickle_takeByte(m)) != '\n'; line[length++] = (char)byte)
    if (length == AT_PICKLE_LINE)
      at_pickle_bad(m, "a name in the pickle is too long, at byte %llu",
                    (unsigned long long)at_pickle_byteIndex(m));
  return length;
}
