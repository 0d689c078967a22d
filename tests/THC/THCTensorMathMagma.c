/* LAPACK's functions for matrices on the device: values (but for signs of vectors), shapes, strides
 * and errors are TH's. */
#include "THC.h"

#include "THTemplate.h"

#include "thc_compare.h"

enum { N = 5, K = 2 };

/* Errors of matrices of this size and condition, which differ by the order of sums. */
#define TOLERANCE (200 * EPSILON)

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
    CHECK_LIKE(s->r[i], s->want[i], TOLERANCE, TOLERANCE);
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
  ON_BOTH(trtrs, 2, matrix(N, N, 0), matrix(N, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0], "U", "N", "U"), (W[0], W[1], HIN[1], HIN[0], "U", "N", "U"));
  ON_BOTH(gels, 2, matrix(N, N + 2, 0), matrix(N, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0]), (W[0], W[1], HIN[1], HIN[0]));
  ON_BOTH(gels, 2, matrix(N + 2, N, 0), matrix(N + 2, K, 0), NULL,
          (state, R[0], R[1], IN[1], IN[0]), (W[0], W[1], HIN[1], HIN[0]));
  ON_BOTH(getri, 1, matrix(N, N, 0), NULL, NULL, (state, R[0], IN[0]), (W[0], HIN[0]));
  ON_BOTH(potrf, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "L"), (W[0], HIN[0], "L"));
  ON_BOTH(potrf, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "U"), (W[0], HIN[0], "U"));
  ON_BOTH(potri, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "L"), (W[0], HIN[0], "L"));
  ON_BOTH(potri, 1, matrix(N, N, 1), NULL, NULL, (state, R[0], IN[0], "U"), (W[0], HIN[0], "U"));
  ON_BOTH(potrs, 1, matrix(N, N, 1), matrix(N, K, 0), NULL,
          (state, R[0], IN[1], IN[0], "U"), (W[0], HIN[1], HIN[0], "U"));
}

static void THTest_(factoring)(void)
{
  THCState *state = thc_state();
  ON_BOTH(qr, 2, matrix(N, N + 2, 0), NULL, NULL, (state, R[0], R[1], IN[0]), (W[0], W[1], HIN[0]));
  ON_BOTH(geqrf, 2, matrix(N + 2, N, 0), NULL, NULL, (state, R[0], R[1], IN[0]), (W[0], W[1], HIN[0]));
  ON_BOTH(orgqr, 1, matrix(N + 2, N, 0), THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(N)), NULL,
          (state, R[0], IN[0], IN[1]), (W[0], HIN[0], HIN[1]));
  ON_BOTH(ormqr, 1, matrix(N + 2, N, 0), THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(N)), matrix(K, N + 2, 0),
          (state, R[0], IN[0], IN[1], IN[2], "R", "N"), (W[0], HIN[0], HIN[1], HIN[2], "R", "N"));
  ON_BOTH(ormqr, 1, matrix(N, N, 0), THTest_(tensor)(TH_STRIDED, 1, TH_SHAPE(N)), matrix(N, K, 0),
          (state, R[0], IN[0], IN[1], IN[2], "L", "T"), (W[0], HIN[0], HIN[1], HIN[2], "L", "T"));
}
/* clang-format on */

/* --- eigenvalues, singular values --------------------------------------------------------------- */

/* The columns of v, which are vectors up to their signs, get those of the columns of like. */
static THTensor *aligned(THCTensor *v, THTensor *like)
{
  THTensor *t = THCTest_(twin)(v);
  CHECK_EQ(t->size[0], like->size[0]);
  CHECK_EQ(t->size[1], like->size[1]);
  for (int64_t j = 0; j < t->size[1]; j++) {
    double dot = 0;
    for (int64_t i = 0; i < t->size[0]; i++)
      dot += (double)THTensor_(get2d)(t, i, j) * (double)THTensor_(get2d)(like, i, j);
    for (int64_t i = 0; dot < 0 && i < t->size[0]; i++)
      THTensor_(set2d)(t, i, j, -THTensor_(get2d)(t, i, j));
  }
  return t;
}

static void check_vectors(THCTensor *v, THTensor *want)
{
  THTensor *t = aligned(v, want);
  for (int64_t i = 0; i < t->size[0]; i++)
    for (int64_t j = 0; j < t->size[1]; j++)
      CHECK_NEAR((double)THTensor_(get2d)(t, i, j), (double)THTensor_(get2d)(want, i, j),
                 10 * TOLERANCE);
  for (int d = 0; d < 2; d++)
    CHECK_EQ(v->stride[d], want->stride[d]);
  THTensor_(free)(t);
}

static void symmetric(const char *job, const char *uplo)
{
  THCState *state = thc_state();
  Sides s = sides(matrix(N, N, 1), NULL, NULL);
  THCTensor_(syev)(state, R[0], R[1], IN[0], job, uplo);
  THTensor_(syev)(W[0], W[1], HIN[0], job, uplo);
  check_vectors(R[1], W[1]);
  check_sides(&s, "syev", 1);
}

static void singular(int64_t rows, int64_t columns, const char *job)
{
  THCState *state = thc_state();
  Sides s = sides(matrix(rows, columns, 0), NULL, NULL);
  THCTensor_(gesvd)(state, R[1], R[0], R[2], IN[0], job);
  THTensor_(gesvd)(W[1], W[0], W[2], HIN[0], job);
  for (int i = 1; i < 3 && job[0] != 'N'; i++) {
    const int64_t least = THMin(rows, columns); /* the rest spans what is left, in any way */
    THCTensor *part = THCTensor_(newNarrow)(state, R[i], 1, 0, least);
    THTensor *want = THTensor_(newNarrow)(W[i], 1, 0, least);
    CHECK_EQ(R[i]->size[1], W[i]->size[1]);
    check_vectors(part, want);
    THTensor_(free)(want);
    THCTensor_(free)(state, part);
  }
  check_sides(&s, "gesvd", 1);
}

/* The eigenvalues agree with TH's; so do the vectors of real ones. */
static void general(const char *job, int positive)
{
  THCState *state = thc_state();
  Sides s = sides(matrix(N, N, positive), NULL, NULL);
  THCTensor_(geev)(state, R[0], R[1], IN[0], job);
  THTensor_(geev)(W[0], W[1], HIN[0], job);
  if (positive && job[0] == 'V')
    check_vectors(R[1], W[1]);
  check_sides(&s, "geev", 1);
}

static void THTest_(eigenvalues)(void)
{
  symmetric("V", "U");
  symmetric("V", "L");
  symmetric("N", "U");
  singular(N, N + 2, "S");
  singular(N + 2, N, "S");
  singular(N, N + 2, "A");
  singular(N + 2, N, "A");
  singular(N, N, "N");
  general("V", 1);
  general("V", 0);
  general("N", 0);
}

/* Without rows or columns there is nothing to compute, and shapes are TH's. */
static void THTest_(solvingNothing)(void)
{
  THCState *state = thc_state();
  THCTensor *none = THCTensor_(newWithSize2d)(state, N, N), *r = THCTensor_(new)(state);
  THCTensor *s = THCTensor_(new)(state), *v = THCTensor_(new)(state);
  THCTensor_(narrow)(state, none, NULL, 1, 0, 1);
  none->size[1] = 0;
  THCTensor_(gesvd)(state, r, s, v, none, "A");
  CHECK_EQ(r->size[0], N);
  CHECK_EQ(THCTensor_(get2d)(state, r, 2, 2), 1);
  CHECK_EQ(THCTensor_(get2d)(state, r, 2, 1), 0);
  THCTensor_(qr)(state, r, s, none);
  CHECK_EQ(r->size[0], N);
  CHECK_EQ(r->size[1], 0);
  none->size[1] = 1;
  THCTensor_(free)(state, v);
  THCTensor_(free)(state, s);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, none);
}

/* --- results and errors ------------------------------------------------------------------------- */

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
    CHECK_LIKE(db, x, TOLERANCE, TOLERANCE);
    CHECK_LIKE(da, lu, TOLERANCE, TOLERANCE);
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
  CHECK_RAISES(0, "a(1,1) is zero", THCTensor_(trtrs)(state, r, r, a, a, "U", "N", "N"));
  CHECK_RAISES(0, "(1,1) of the factor", THCTensor_(potrs)(state, r, a, a, "U"));
  CHECK_RAISES(0, "full rank", THCTensor_(gels)(state, r, wide, a, a));
  THCTensor_(fill)(state, wide, 0);
  CHECK_RAISES(0, "full rank", THCTensor_(gels)(state, r, r, a, wide));
  THCTensor_(set2d)(state, a, 2, 1, (real)NAN);
  CHECK_RAISES(3, "nan in row", THCTensor_(syev)(state, r, wide, a, "V", "L"));
  CHECK_RAISES(4, "nan in row", THCTensor_(gesvd)(state, NULL, r, NULL, a, "N"));
  CHECK_RAISES(5, "uplo", THCTensor_(syev)(state, r, wide, a, "V", "X"));
  CHECK_RAISES(0, "state is NULL", THCTensor_(getri)(NULL, r, a));
  CHECK_EQ(r->nDimension, 0);
  THCTensor_(free)(state, wide);
  THCTensor_(free)(state, r);
  THCTensor_(free)(state, a);
}

TH_TESTS(THTest_(solving), THTest_(factoring), THTest_(eigenvalues), THTest_(solvingNothing),
         THTest_(solvingInPlace), THTest_(solvingErrors))
