/* Padding of images by reflection, or by copies of the border. */
#include "THNN/layer/Template.h"
#include "ResampleLayers.h"

/* Padding before and after the image along an axis. */
typedef struct {
  int64_t before, behind;
} THNN_(Border);

typedef enum { REFLECTED, REPLICATED } Kind;

/* Whether negative padding crops in both kinds. */
#ifdef TH_COMPAT_TORCH7
enum { REFLECTION_CUTS = 1 };
#else
enum { REFLECTION_CUTS = 0 };
#endif

static THNNPlanes THNN_(padded)(THTensor *input, int axes, Kind kind, const THNN_(Border) border[3])
{
  THNNPlanes p = THNN_(imagePlanes)(input, axes);
  int64_t out[3];
  for (int a = 0; a < 3; a++) {
    const THNN_(Border) b = border[a];
    if (kind == REFLECTED)
      for (int behind = 0; behind < 2; behind++) {
        const int64_t pad = behind ? b.behind : b.before;
        if ((pad < 0 && !REFLECTION_CUTS) || pad >= p.in[a])
          THError(
              "padding by reflection is from 0 to less than the size of the image: it is %lld "
              "of %lld in input of size %s",
              (long long)pad, (long long)p.in[a], THTensor_(sizeDesc)(input).str);
      }
    /* Cropping leaves elements, at each end alone and at both together. */
    if (p.in[a] + THMin(b.before, 0) < 1 || p.in[a] + THMin(b.behind, 0) < 1 ||
        p.in[a] + b.before + b.behind < 1)
      THError("nothing is left of input of size %s with padding of %lld and %lld",
              THTensor_(sizeDesc)(input).str, (long long)b.before, (long long)b.behind);
    out[a] = p.in[a] + b.before + b.behind;
  }
  THNNPlanes_setOutput(&p, out);
  return p;
}

static void THNN_(padPlanes)(const THNNPlanes *p, Kind kind, const THNN_(Border) border[3],
                             int backward, THTensor *source, THTensor *result)
{
  THGuard guard;
  THNN_(SourceIndices) indices;
  THNN_(reserveIndices)(&indices, p, 0, &guard);
  for (int a = 0; a < 3; a++)
    for (int64_t i = 0; i < p->out[a]; i++) {
      const int64_t last = p->in[a] - 1;
      int64_t at = i - border[a].before;
      if (kind == REFLECTED)
        at = at < 0 ? -at : at > last ? 2 * last - at : at;
      indices.from[a][i] = THMax(0, THMin(at, last));
    }
  THNN_(resamplePlanes)(p, &indices, backward, source, result);
  THGuard_leave(&guard);
}

static void THNN_(pad)(THTensor *input, THTensor *output, int axes, Kind kind,
                       const THNN_(Border) border[3])
{
  const THNNPlanes p = THNN_(padded)(input, axes, kind, border);
  THNN_(padPlanes)(&p, kind, border, 0, input, output);
}

static void THNN_(padBackward)(THTensor *input, THTensor *gradOutput, THTensor *gradInput, int axes,
                               Kind kind, const THNN_(Border) border[3])
{
  const THNNPlanes p = THNN_(padded)(input, axes, kind, border);
  THNN_(checkGradOutput)(&p, gradOutput);
  THNN_(padPlanes)(&p, kind, border, 1, gradOutput, gradInput);
}

/* clang-format off */
#define TEMPORAL   ((THNN_(Border)[]){{0, 0}, {0, 0}, {pad_left, pad_right}})
#define SPATIAL    ((THNN_(Border)[]){{0, 0}, {pad_top, pad_bottom}, {pad_left, pad_right}})
#define VOLUMETRIC ((THNN_(Border)[]){{pad_front, pad_back}, {pad_top, pad_bottom}, {pad_left, pad_right}})
/* clang-format on */

void THNN_(TemporalReflectionPadding_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, int pad_left, int pad_right)
{
  THNN_ENTER(state, input, output);
  THNN_(pad)(input, output, 1, REFLECTED, TEMPORAL);
}

void THNN_(TemporalReflectionPadding_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      int pad_left, int pad_right)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(padBackward)(input, gradOutput, gradInput, 1, REFLECTED, TEMPORAL);
}

void THNN_(SpatialReflectionPadding_updateOutput)(THNNState *state, THTensor *input,
                                                  THTensor *output, int pad_left, int pad_right,
                                                  int pad_top, int pad_bottom)
{
  THNN_ENTER(state, input, output);
  THNN_(pad)(input, output, 2, REFLECTED, SPATIAL);
}

void THNN_(SpatialReflectionPadding_updateGradInput)(THNNState *state, THTensor *input,
                                                     THTensor *gradOutput, THTensor *gradInput,
                                                     int pad_left, int pad_right, int pad_top,
                                                     int pad_bottom)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(padBackward)(input, gradOutput, gradInput, 2, REFLECTED, SPATIAL);
}

void THNN_(TemporalReplicationPadding_updateOutput)(THNNState *state, THTensor *input,
                                                    THTensor *output, int pad_left, int pad_right)
{
  THNN_ENTER(state, input, output);
  THNN_(pad)(input, output, 1, REPLICATED, TEMPORAL);
}

void THNN_(TemporalReplicationPadding_updateGradInput)(THNNState *state, THTensor *input,
                                                       THTensor *gradOutput, THTensor *gradInput,
                                                       int pad_left, int pad_right)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(padBackward)(input, gradOutput, gradInput, 1, REPLICATED, TEMPORAL);
}

void THNN_(SpatialReplicationPadding_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, int pad_left, int pad_right,
                                                   int pad_top, int pad_bottom)
{
  THNN_ENTER(state, input, output);
  THNN_(pad)(input, output, 2, REPLICATED, SPATIAL);
}

void THNN_(SpatialReplicationPadding_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      int pad_left, int pad_right, int pad_top,
                                                      int pad_bottom)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(padBackward)(input, gradOutput, gradInput, 2, REPLICATED, SPATIAL);
}

void THNN_(VolumetricReplicationPadding_updateOutput)(THNNState *state, THTensor *input,
                                                      THTensor *output, int pad_left, int pad_right,
                                                      int pad_top, int pad_bottom, int pad_front,
                                                      int pad_back)
{
  THNN_ENTER(state, input, output);
  THNN_(pad)(input, output, 3, REPLICATED, VOLUMETRIC);
}

void THNN_(VolumetricReplicationPadding_updateGradInput)(THNNState *state, THTensor *input,
                                                         THTensor *gradOutput, THTensor *gradInput,
                                                         int pad_left, int pad_right, int pad_top,
                                                         int pad_bottom, int pad_front,
                                                         int pad_back)
{
  THNN_ENTER(state, input, gradOutput, gradInput);
  THNN_(padBackward)(input, gradOutput, gradInput, 3, REPLICATED, VOLUMETRIC);
}
