/* A tile: some rows of weights times a panel. */
typedef struct {
  const real *weights; /* of row r and term k: weights[r * ofRow + k * ofTerm] */
  ptrdiff_t ofRow, ofTerm;
  const real *panel;  /* terms x vectors, */
  ptrdiff_t nextTerm; /* whose rows are so far apart */
  const real *bias;   /* what the sums of each row begin with; NULL: with 0, */
  int adds;           /* or, if this is set, with result */
  real *result;       /* rows are next apart */
  ptrdiff_t next;
} THNN_(PanelTile);

/* What a panel is copied from: planes, nextPlane apart, of which each gives a row that consists of
 * these runs, whose elements are step apart. */
typedef struct {
  ptrdiff_t planes, nextPlane, runs, step;
  const real *x;
  const THNNRun *run;
} THNN_(PanelSource);

typedef struct {
  ptrdiff_t lanes, vectors;               /* of a vector, of a panel at most */
  ptrdiff_t rows[THNN_PANEL_VECTORS + 1]; /* of a tile, at most, for panels of so many vectors */
  void (*multiply)(ptrdiff_t terms, ptrdiff_t rows, ptrdiff_t vectors,
                   const THNN_(PanelTile) * tile);
  /* The same for a panel of one position, where terms of a row follow each other. */
  void (*multiplyOne)(ptrdiff_t terms, ptrdiff_t rows, const THNN_(PanelTile) * tile);
  /* Copies to rows of width elements, next apart; elements of no run become 0. */
  void (*pack)(const THNN_(PanelSource) * source, ptrdiff_t width, real *panel, ptrdiff_t next);
} THNN_(Panels);

extern const THNN_(Panels) *const THNN_(panels)[];
