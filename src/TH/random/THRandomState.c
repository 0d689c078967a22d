/* The state of a generator as a tensor of bytes. */
#include "THRandomDraw.h"
#include "THTensor.h"

void THByteTensor_getRNGState(THGenerator *_generator, THByteTensor *self)
{
  THGenerator state;
  THRandom_check(_generator, 1);
  THGenerator_copy(&state, _generator);
  THByteTensor_resize1d(self, sizeof state);
  THArgCheck(self->stride[0] != 0, 2, "self has elements that share memory with each other");
  unsigned char *to = THByteTensor_data(self);
  for (size_t i = 0; i < sizeof state; i++)
    to[(int64_t)i * self->stride[0]] = ((const unsigned char *)&state)[i];
}

void THByteTensor_setRNGState(THGenerator *_generator, THByteTensor *self)
{
  THGenerator state;
  const ptrdiff_t n = THByteTensor_nElement(self);
  THArgCheck(_generator, 1, "the generator is NULL");
  THArgCheck(n == sizeof state, 2, "self has %td elements, a state has %zu", n, sizeof state);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteTensor_free);
  THByteTensor *flat = guard.what = THByteTensor_newContiguous(self);
  memcpy(&state, THByteTensor_data(flat), sizeof state);
  THGuard_leave(&guard);
  THArgCheck(THGenerator_isValid(&state), 2,
             "self holds no valid state: seeded %d, left %d, next %llu", state.seeded, state.left,
             (unsigned long long)state.next);
  THGenerator_copy(_generator, &state);
}
