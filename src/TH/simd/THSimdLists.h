/* Lists of lanes for __builtin_shufflevector of two vectors of 2 to 16 lanes: EVEN and ODD take every
 * other lane, LOWER and UPPER interleave the lower or the upper halves; BEFORE takes the last
 * lane of the first vector and all but the last of the second; FIRSTS and
 * LASTS take the first or the last halves. */

#define TH_EVEN2    0, 2
#define TH_ODD2     1, 3
#define TH_LOWER2   0, 2
#define TH_UPPER2   1, 3
#define TH_BEFORE2  1, 2
#define TH_EVEN4    TH_EVEN2, 4, 6
#define TH_ODD4     TH_ODD2, 5, 7
#define TH_LOWER4   0, 4, 1, 5
#define TH_UPPER4   2, 6, 3, 7
#define TH_BEFORE4  3, 4, 5, 6
#define TH_EVEN8    TH_EVEN4, 8, 10, 12, 14
#define TH_ODD8     TH_ODD4, 9, 11, 13, 15
#define TH_LOWER8   0, 8, 1, 9, 2, 10, 3, 11
#define TH_UPPER8   4, 12, 5, 13, 6, 14, 7, 15
#define TH_BEFORE8  7, 8, 9, 10, 11, 12, 13, 14
#define TH_FIRSTS8  0, 1, 2, 3, 8, 9, 10, 11
#define TH_LASTS8   4, 5, 6, 7, 12, 13, 14, 15
#define TH_EVEN16   TH_EVEN8, 16, 18, 20, 22, 24, 26, 28, 30
#define TH_ODD16    TH_ODD8, 17, 19, 21, 23, 25, 27, 29, 31
#define TH_LOWER16  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define TH_UPPER16  8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define TH_BEFORE16 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
