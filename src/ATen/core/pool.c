/* Pools of temporaries, which are held until a function ends or raises. */
#include "ATenCore.h"

static void release_all(void *what)
{
  at_pool *pool = what;
  while (pool->count > 0)
    at_release(pool->held[--pool->count]);
}

void at_pool_enter(at_pool *pool)
{
  pool->count = 0;
  THGuard_enter(&pool->guard, release_all);
  pool->guard.what = pool;
}

at_tensor *at_hold(at_pool *pool, at_tensor *t)
{
  if (pool->count == AT_POOL) {
    at_release(t);
    THError("a function holds more than %d temporaries", AT_POOL);
  }
  return pool->held[pool->count++] = t;
}

void at_pool_leave(at_pool *pool)
{
  THGuard_leave(&pool->guard);
}

at_tensor *at_pool_keep(at_pool *pool, at_tensor *t)
{
  for (int i = 0; i < pool->count; i++)
    if (pool->held[i] == t) {
      pool->held[i] = pool->held[--pool->count];
      break;
    }
  at_pool_leave(pool);
  return t;
}
