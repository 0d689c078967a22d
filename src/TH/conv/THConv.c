/* The geometry of convolutions. */
#include "THConv.h"

int THConvShape_setOutput(THConvShape *shape)
{
  for (int i = 0; i < 3; i++) {
    const int64_t plane = shape->plane[i], window = shape->window[i], step = shape->step[i];
    int64_t reach, *output = &shape->output[i];
    switch (shape->kind) {
      case TH_CONV_VALID:
        *output = (plane - window) / step + 1;
        if (window > plane)
          return 0;
        break;
      case TH_CONV_REVERSE:
        if (__builtin_mul_overflow(window - 1, step, &reach) || reach >= plane)
          return 0;
        *output = plane - reach;
        break;
      case TH_CONV_FULL:
        if (__builtin_mul_overflow(plane - 1, step, &reach) ||
            __builtin_add_overflow(reach, window, output))
          return 0;
        break;
    }
  }
  return 1;
}

int64_t THConvShape_phases(const THConvShape *shape, int dim)
{
  return shape->kind == TH_CONV_FULL ? THMin(shape->step[dim], shape->output[dim]) : 1;
}

int64_t THConvShape_outputs(const THConvShape *shape, int dim, int64_t phase)
{
  if (shape->kind != TH_CONV_FULL)
    return shape->output[dim];
  return (shape->output[dim] - 1 - phase) / shape->step[dim] + 1;
}

/* --- planes ---------------------------------------------------------------------------------- */

THConvPlane THConvPlane_inPlace(const THConvShape *shape, const int64_t *stride)
{
  THConvPlane plane = {.split = 1, .parts = 1};
  for (int i = 0; i < 3; i++) {
    plane.size[i] = shape->plane[i];
    plane.stride[i] = stride[i];
  }
  return plane;
}

int THConvPlane_mustBePacked(const THConvShape *shape)
{
  return shape->alongWindow || shape->kind == TH_CONV_FULL ||
         (shape->kind == TH_CONV_VALID && shape->step[2] > 1);
}

int THConvPlane_pack(THConvPlane *plane, const THConvShape *shape)
{
  memset(plane, 0, sizeof *plane);
  for (int i = 0; i < 3; i++) {
    if (shape->kind == TH_CONV_FULL)
      plane->border[i] = (shape->window[i] - 1) / shape->step[i];
    if (__builtin_add_overflow(shape->plane[i], plane->border[i], &plane->size[i]) ||
        __builtin_add_overflow(plane->size[i], plane->border[i], &plane->size[i]))
      return 0;
  }
  plane->split =
      shape->kind == (shape->alongWindow ? TH_CONV_REVERSE : TH_CONV_VALID) ? shape->step[2] : 1;
  plane->parts = THMin(plane->split, shape->alongWindow ? shape->output[2] : shape->window[2]);
  plane->width = (plane->size[2] - 1) / plane->split + 1;
  plane->stride[2] = 1;
  return !__builtin_mul_overflow(plane->parts, plane->width, &plane->stride[1]) &&
         !__builtin_mul_overflow(plane->size[1], plane->stride[1], &plane->stride[0]) &&
         !__builtin_mul_overflow(plane->size[0], plane->stride[0], &plane->length);
}

ptrdiff_t THConvPlane_step(const THConvPlane *plane, const THConvShape *shape, int dim)
{
  if (shape->kind != TH_CONV_VALID || dim == 2 || shape->output[dim] == 1)
    return plane->stride[dim];
  return plane->stride[dim] * shape->step[dim];
}

void THConvPlane_taps(const THConvPlane *plane, const THConvShape *shape, const int64_t *phase,
                      THTaps *boxes)
{
  const int64_t row = shape->window[2], taps = shape->window[0] * shape->window[1] * row;
  const int64_t next[3] = {shape->window[1] * row, row, 1};
  for (int64_t part = 0; part < plane->parts; part++) {
    THTaps *box = &boxes[part];
    box->firstPlane = part * plane->width;
    box->firstWindow = 0;
    for (int i = 0; i < 3; i++) {
      /* Taps first, first + tapStep, ... */
      int64_t first = 0, tapStep = 1;
      if (shape->kind == TH_CONV_FULL) {
        first = phase[i];
        tapStep = shape->step[i];
      } else if (i == 2) {
        first = part;
        tapStep = plane->split;
      }
      const int64_t beyond = shape->window[i] - first;
      box->count[i] = beyond > 0 ? (beyond - 1) / tapStep + 1 : 0;
      box->window[i] = box->count[i] > 1 ? tapStep * next[i] : 0;
      box->firstWindow += first * next[i];
      box->plane[i] = plane->stride[i];
      if (shape->kind == TH_CONV_FULL) {
        box->plane[i] = -plane->stride[i];
        box->firstPlane += plane->border[i] * plane->stride[i];
      } else if (shape->kind == TH_CONV_REVERSE && box->count[i] > 1) {
        box->plane[i] *= shape->step[i];
      }
      if (shape->flip)
        box->window[i] *= -1;
    }
    if (shape->flip)
      box->firstWindow = taps - 1 - box->firstWindow;
  }
}
