/* Windows that slide over images. */
#include "Window.h"

void THNNWindow_check(const THNNWindow *w, const char *name)
{
  if (w->size <= 0)
    THError("k%s is %lld: a window is at least 1 wide", name, (long long)w->size);
  if (w->step <= 0)
    THError("d%s is %lld: windows are at least 1 apart", name, (long long)w->step);
  if (w->pad < 0)
    THError("pad%s is %lld, and cannot be negative", name, (long long)w->pad);
  if (w->dilation <= 0)
    THError("dilation%s is %lld, and has to be at least 1", name, (long long)w->dilation);
}

void THNNWindow_count(THNNWindow *w, int ceil)
{
  const int64_t range = w->input + 2 * w->pad - (w->dilation * (w->size - 1) + 1);
  if (range < 0 && !(ceil && range > -w->step)) {
    w->output = 0;
    return;
  }
  if (!ceil) {
    w->output = range / w->step + 1;
    return;
  }
  w->output = (range + w->step - 1) / w->step + 1;
  if ((w->output - 1) * w->step >= w->input + w->pad) /* a window of nothing but padding */
    w->output--;
}

void THNNSpans_reserve(THNNSpans *spans, THGuard *guard, const int64_t count[3])
{
  int64_t all = 0;
  ptrdiff_t bytes;
  THGuard_enter(guard, THFree);
  spans->width = (THNNWindow){0};
  for (int axis = 0; axis < 3; axis++) {
    spans->dilation[axis] = 1;
    if (__builtin_add_overflow(all, count[axis], &all))
      THError("%lld windows are too many", (long long)count[axis]);
  }
  if (__builtin_mul_overflow(all, (ptrdiff_t)sizeof(THNNSpan), &bytes))
    THError("%lld windows are too many", (long long)all);
  guard->what = spans->of[0] = THAlloc(bytes);
  spans->of[1] = spans->of[0] + count[0];
  spans->of[2] = spans->of[1] + count[1];
}

void THNNSpans_divided(THNNSpans *spans, THGuard *guard, const THNNWindow axis[3],
                       THNNDivide divide)
{
  THNNSpans_reserve(spans, guard, (int64_t[]){axis[0].output, axis[1].output, axis[2].output});
  for (int a = 0; a < 3; a++) {
    spans->dilation[a] = axis[a].kind == THNN_SLIDES ? axis[a].dilation : 1;
    for (int64_t i = 0; i < axis[a].output; i++)
      spans->of[a][i] = THNNWindow_divided(&axis[a], divide, i);
  }
  if (axis[2].kind == THNN_SLIDES)
    spans->width = axis[2];
}
