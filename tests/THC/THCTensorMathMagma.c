/* LAPACK's functions for matrices on the device: values, shapes, strides and errors are TH's. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

enum { N = 5, K = 2 };

/* Symmetric and positive definite if `positive`; else a general matrix of full rank. */
static THTensor *matrix(int64_t rows, int64_t columns, int positive)
{
  THTensor *t = THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(rows, columns));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      THTensor_(set2d)(t, i, j,
                       (real)((i == j) * 8 + (positive ? 1.0 / (1 + i + j) : (i * 5 + j * 3) % 7)));
  return t;
}

/* Results and operands on the device and the host. */
typedef struct Sides {
  THCTensor *r[4], *in[3];
  THTensor *want[4], *host[3];
} Sides;

static Sides sides(THTensor *a, THTensor *b, THTensor *c)
{
  Sides s = {.host = {a, b, c}};
  for (int i = 0; i < 3; i++)
    s.in[i] = s.host[i] ? THCTest_(upload)(s.host[i]) : NULL;
  for (int i = 0; i < 4; i++) {
    s.r[i] = THCTensor_(new)(thc_state());
    s.want[i] = THTensor_(new)();
  }
  return s;
}

/* The first `results` results agree, and so do the strides of matrices. */
static void check_sides(Sides *s, const char *name, int results)
{
  for (int i = 0; i < results; i++) {
    th_note("%s, result %d", name, i);
    CHECK_LIKE(s->r[i], s->want[i], 0, 0);
    for (int d = 0; d < s->want[i]->nDimension; d++)
      CHECK_EQ(s->r[i]->stride[d], s->want[i]->stride[d]);
  }
  for (int i = 0; i < 4; i++) {
    THCTensor_(free)(thc_state(), s->r[i]);
    THTensor_(free)(s->want[i]);
  }
  for (int i = 0; i < 3; i++)
    if (s->host[i]) {
      THCTest_(checkLike)(__FILE__, __LINE__, s->in[i], s->host[i], 0, 0);
      THCTensor_(free)(thc_state(), s->in[i]);
      THTensor_(free)(s->host[i]);
    }
}

#define R   s.r
#define IN  s.in
#define W   s.want
#define HIN s.host
#define ON_BOTH(NAME, RESULTS, A, B, C, DEVICE, HOST) \
  do {                                                \
    Sides s = sides(A, B, C);                         \
    THCTensor_(NAME) DEVICE;                          \
    THTensor_(NAME) HOST;                             \
    check_sides(&s, #NAME, RESULTS);                  \
  } while (0)

/* clang-format off */
static void THTest_(solving)(void)
{
  THCState *state = thc_state();
  ON_BOTH(gesv, 2, matrix(N, N, 0), matrix(N, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0]), (W[0], W[1], HIN[1], HIN[0]));
  ON_BOTH(trtrs, 2, matrix(N, N, 0), matrix(N, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0], "L", "T", "N"), (W[0], W[1], HIN[1], HIN[0], "L", "T", "N"));
  ON_BOTH(gels, 2, matrix(N + 2, N, 0), matrix(N + 2, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0]), (W[0], W[1], HIN[1], HIN[0]));
  ON_BOTH(getri, 1, matrix(N, N, 0), NULL, NULL, (state, R[0], IN[0]), (W[0], HIN[0]));
  ON_BOTH(potrf, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "L"), (W[0], HIN[0], "L"));
  ON_BOTH(potri, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "U"), (W[0], HIN[0], "U"));
  ON_BOTH(potrs, 1, matrix(N, N, 1), matrix(N, K, 0), NULL,
          (state, R[0], IN[1], IN[0], "U"), (W[0], HIN[1], HIN[0], "U"));
}

static void THTest_(factoring)(void)
{
  THCState *state = thc_state();
  ON_BOTH(syev, 2, matrix(N, N, 1), NULL, NULL,
          (state, R[0], R[1], IN[0], "V", "U"), (W[0], W[1], HIN[0], "V", "U"));
  ON_BOTH(geev, 2, matrix(N, N, 0), NULL, NULL,
          (state, R[0], R[1], IN[0], "V"), (W[0], W[1], HIN[0], "V"));
  ON_BOTH(gesvd, 3, matrix(N, N + 2, 0), NULL, NULL,
          (state, R[0], R[1], R[2], IN[0], "S"), (W[0], W[1], W[2], HIN[0], "S"));
  ON_BOTH(gesvd2, 4, matrix(N + 2, N, 0), NULL, NULL,
          (state, R[0], R[1], R[2], R[3], IN[0], "A"), (W[0], W[1], W[2], W[3], HIN[0], "A"));
  ON_BOTH(qr, 2, matrix(N, N + 2, 0), NULL, NULL, (state, R[0], R[1], IN[0]), (W[0], W[1], HIN[0]));
  ON_BOTH(geqrf, 2, matrix(N + 2, N, 0), NULL, NULL, (state, R[0], R[1], IN[0]), (W[0], W[1], HIN[0]));
  ON_BOTH(orgqr, 1, matrix(N + 2, N, 0), THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(N)), NULL,
          (state, R[0], IN[0], IN[1]), (W[0], HIN[0], HIN[1]));
  ON_BOTH(ormqr, 1, matrix(N, N, 0), THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(N)), matrix(N, K, 0),
          (state, R[0], IN[0], IN[1], IN[2], "L", "T"), (W[0], HIN[0], HIN[1], HIN[2], "L", "T"));
}
/* clang-format on */

/* Results that are operands, and operands that are left out: the result has the values. */
static void THTest_(solvingInPlace)(void)
{
  THCState *state = thc_state();
  THTensor *a = matrix(N, N, 0), *b = matrix(N, K, 0);
  THTensor *x = THTensor_(new)(), *lu = THTensor_(new)();
  THTensor_(gesv)(x, lu, b, a);
  for (int out = 0; out < 2; out++) {
    THCTensor *da = THCTest_(upload)(a), *db = THCTest_(upload)(b);
    const int64_t stride = db->stride[0];
    THCTensor_(gesv)(state, db, da, out ? NULL : db, out ? NULL : da);
    CHECK_LIKE(db, x, 0, 0);
    CHECK_LIKE(da, lu, 0, 0);
    CHECK_EQ(db->stride[0], stride);
    THCTensor_(free)(state, db);
    THCTensor_(free)(state, da);
  }
  THTensor_(free)(lu);
  THTensor_(free)(x);
  THTensor_(free)(b);
  THTensor_(free)(a);
}

static void THTest_(solvingErrors)(void)
{
  THCState *state = thc_state();
  THCTensor *a = THCTensor_(newWithSize2d)(state, N, N), *r = THCTensor_(new)(state);
  THCTensor *wide = THCTensor_(newWithSize2d)(state, N, N + 1);
  THCTensor_(zero)(state, a);
  CHECK_RAISES(0, "ingular", THCTensor_(getri)(state, r, a));
  CHECK_RAISES(0, "positive", THCTensor_(potrf)(state, r, a, "U"));
  CHECK_RAISES(2, "", THCTensor_(getri)(state, r, wide));
  CHECK_RAISES(0, "state is NULL", THCTensor_(getri)(NULL, r, a));
  CHECK_EQ(r->nDimension, 0);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, a);
}

TH_TESTS(THTest_(solving), THTest_(factoring), THTest_(solvingInPlace), THTest_(solvingErrors))
