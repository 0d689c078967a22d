/* A tile: some rows of weights times a panel. */
typedef struct {
  const real *weights; /* the weight of row r and term k is weights[r * ofRow + k * ofTerm] */
  ptrdiff_t ofRow, ofTerm;
  const real *panel;  /* a matrix of terms x positions */
  ptrdiff_t nextTerm; /* stride of the panel's terms */
  const real *bias;   /* added to each row; NULL: none */
  int adds;           /* adds to result instead of overwriting it; bias is then not used */
  real *result;       /* a matrix of rows x positions */
  ptrdiff_t next;     /* stride of result's rows */
  const THNNActivation *activation; /* of these results, which then are complete; or NULL */
} THNN_(PanelTile);

/* The source of some rows of a panel: one tap of some planes.  Each plane gives a row that consists of
 * the same runs. */
typedef struct {
  ptrdiff_t planes;    /* number of planes */
  ptrdiff_t nextPlane; /* stride of planes */
  ptrdiff_t runs;      /* number of runs */
  ptrdiff_t step;      /* stride of the elements of a run in a plane */
  const real *x;
  const THNNRun *run;
} THNN_(PanelSource);

typedef struct {
  ptrdiff_t lanes;                        /* lanes of a vector */
  ptrdiff_t vectors;                      /* vectors of a panel, at most */
  ptrdiff_t rows[THNN_PANEL_VECTORS + 1]; /* rows[v]: rows of a tile for v vectors, at most */
  /* Multiplies some rows of weights with a panel of so many terms and vectors. */
  void (*multiply)(ptrdiff_t terms, ptrdiff_t rows, ptrdiff_t vectors,
                   const THNN_(PanelTile) * tile);
  /* Multiplies with a panel of one position, whose terms are adjacent; ofTerm has to be 1. */
  void (*multiplyOne)(ptrdiff_t terms, ptrdiff_t rows, const THNN_(PanelTile) * tile);
  /* Copies the source to rows of width elements, next apart; elements outside the runs become 0. */
  void (*pack)(const THNN_(PanelSource) * source, ptrdiff_t width, real *panel, ptrdiff_t next);
} THNN_(Panels);

extern const THNN_(Panels) *const THNN_(panels)[];
