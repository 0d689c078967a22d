/* What the column types of the tables says of the CPU, as lists: TH_EACH_FLOAT(X, ...) is X(Float, ...) X(Double, ...).
 * Half computes only on devices. */
#ifndef TH_OPS_EACH_TYPE_H
#define TH_OPS_EACH_TYPE_H

#define TH_EACH_BYTE(X, ...)  X(Byte, __VA_ARGS__)
#define TH_EACH_WIDE(X, ...)  X(Short, __VA_ARGS__) X(Int, __VA_ARGS__) X(Long, __VA_ARGS__)
#define TH_EACH_FLOAT(X, ...) X(Float, __VA_ARGS__) X(Double, __VA_ARGS__)

#define TH_EACH_INTEGER(X, ...) \
  TH_EACH_BYTE(X, __VA_ARGS__) X(Char, __VA_ARGS__) TH_EACH_WIDE(X, __VA_ARGS__)
#define TH_EACH_SIGNED(X, ...) TH_EACH_WIDE(X, __VA_ARGS__) TH_EACH_FLOAT(X, __VA_ARGS__)
#define TH_EACH_ALL(X, ...)    TH_EACH_INTEGER(X, __VA_ARGS__) TH_EACH_FLOAT(X, __VA_ARGS__)
#define TH_EACH_BUT_HALF       TH_EACH_ALL

#endif
