/* Windows that slide over images. */
#include "THNNWindow.h"

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
  const int64_t room = w->input + 2 * w->pad - (w->dilation * (w->size - 1) + 1);
  if (room < 0 && !(ceil && room > -w->step)) {
    w->output = 0;
    return;
  }
  if (!ceil) {
    w->output = room / w->step + 1;
    return;
  }
  w->output = (room + w->step - 1) / w->step + 1;
  if ((w->output - 1) * w->step >= w->input + w->pad) /* a window of nothing but padding */
    w->output--;
}
