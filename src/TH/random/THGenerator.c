/* Generators: making, copying, locking and seeding them. */
#include <errno.h>
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include "THRandomDraw.h"
#include "THKernel.h"

TH_DISPATCH(THRandomKernels, THRandom_kernels)

/* --- locks -------------------------------------------------------------------------------- */

/* Generators are plain memory that programs copy and write to files, so the locks live here: a
 * generator's address decides which one is its own.  Two generators may share a lock, therefore
 * nobody holds one while calling what could want another. */
enum { LOCKS = 32 };

static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *lock_of(const THGenerator *generator)
{
  const uint64_t mixed = (uint64_t)(uintptr_t)generator * UINT64_C(0x9e3779b97f4a7c15);
  return &locks[mixed >> 59];
}

static void unlock(void *lock)
{
  pthread_mutex_unlock(lock);
}

/* A fork waits until no thread draws: the child then finds every lock free and no state half
 * changed. */
static void lock_all(void)
{
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_lock(&locks[i]);
}

static void unlock_all(void)
{
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_unlock(&locks[i]);
}

__attribute__((constructor)) static void watch_forks(void)
{
  pthread_atfork(lock_all, unlock_all, unlock_all);
}

static void lock_unchecked(THGuard *guard, THGenerator *generator)
{
  pthread_mutex_t *lock = lock_of(generator);
  THGuard_enter(guard, unlock);
  pthread_mutex_lock(lock);
  guard->what = lock;
}

void THRandom_lock(THGuard *guard, THGenerator *generator, int argument)
{
  THArgCheck(generator, argument, "the generator is NULL");
  lock_unchecked(guard, generator);
  THArgCheck(THGenerator_isValid(generator), argument,
             "the generator is not valid: seeded %d, left %d, next %llu", generator->seeded,
             generator->left, (unsigned long long)generator->next);
}

void THRandom_check(THGenerator *generator, int argument)
{
  THGuard guard;
  THRandom_lock(&guard, generator, argument);
  THGuard_leave(&guard);
}

/* --- generators --------------------------------------------------------------------------- */

THGenerator *THGenerator_new(void)
{
  THGenerator *generator = THAlloc(sizeof *generator);
  memset(generator, 0, sizeof *generator);
  THRandom_seed(generator);
  return generator;
}

THGenerator *THGenerator_copy(THGenerator *self, THGenerator *from)
{
  THArgCheck(self, 1, "the generator is NULL");
  THArgCheck(from, 2, "the generator is NULL");
  if (self == from)
    return self;
  THGenerator aside; /* one lock at a time: no order of locks to keep */
  THGuard guard;
  lock_unchecked(&guard, from);
  memcpy(&aside, from, sizeof aside); /* the padding too: it is part of the image */
  THGuard_leave(&guard);
  lock_unchecked(&guard, self);
  memcpy(self, &aside, sizeof aside);
  THGuard_leave(&guard);
  return self;
}

void THGenerator_free(THGenerator *gen)
{
  THFree(gen);
}

/* The words that are left lie inside the state. */
int THGenerator_isValid(THGenerator *_generator)
{
  return _generator && _generator->seeded && _generator->left >= 1 &&
         _generator->left <= _MERSENNE_STATE_N && _generator->next <= _MERSENNE_STATE_N &&
         _generator->next + (uint64_t)_generator->left - 1 <= _MERSENNE_STATE_N;
}

THGeneratorState *THGeneratorState_copy(THGeneratorState *self, THGeneratorState *from)
{
  return THGenerator_copy(self, from);
}

int THGeneratorState_isValid(THGeneratorState *_gen_state)
{
  return THGenerator_isValid(_gen_state);
}

/* --- seeds -------------------------------------------------------------------------------- */

/* 53 bits, so that a program whose numbers are doubles can print the seed and give it back. */
static uint64_t entropy(void)
{
  uint64_t seed;
  ssize_t got;
  do
    got = getrandom(&seed, sizeof seed, 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof seed) { /* a kernel without it */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed =
        ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return seed >> 11;
}

uint64_t THRandom_seed(THGenerator *_generator)
{
  const uint64_t seed = entropy();
  THRandom_manualSeed(_generator, seed);
  return seed;
}

/* Knuth's generator fills the state, as the authors of the Mersenne Twister do. */
void THRandom_manualSeed(THGenerator *_generator, uint64_t the_seed_)
{
  THArgCheck(_generator, 1, "the generator is NULL");
  THGuard guard;
  lock_unchecked(&guard, _generator);
  uint32_t word = (uint32_t)the_seed_;
  _generator->state[0] = word;
  for (uint32_t i = 1; i < _MERSENNE_STATE_N; i++) {
    word = 1812433253u * (word ^ word >> 30) + i;
    _generator->state[i] = word;
  }
  _generator->the_initial_seed = the_seed_;
  _generator->left = 1;
  _generator->seeded = 1;
  _generator->next = 0;
  _generator->normal_x = _generator->normal_y = _generator->normal_rho = 0;
  _generator->normal_is_valid = 0;
  THGuard_leave(&guard);
}

uint64_t THRandom_initialSeed(THGenerator *_generator)
{
  THGuard guard;
  THRandom_lock(&guard, _generator, 1);
  const uint64_t seed = _generator->the_initial_seed;
  THGuard_leave(&guard);
  return seed;
}
