/* Tensors: reference-counted strided views of a storage, with any number of dimensions, also none
 * (one element), and with sizes that may be 0. */
#ifndef ATEN_TENSOR_H
#define ATEN_TENSOR_H

#include "ATenScalar.h"
#include "ATenType.h"

/* A list of sizes, strides or dimensions, borrowed for the duration of a call. */
typedef struct at_ints {
  const int64_t *data;
  int count;
#ifdef __cplusplus
  at_ints() = default;
  at_ints(const int64_t *d, int n) : data(d), count(n)
  {
  } /* so that {1} is not taken for a list */
#endif
} at_ints;

/* A list of numbers, such as scale factors, borrowed for the duration of a call. */
typedef struct at_doubles {
  const double *data;
  int count;
#ifdef __cplusplus
  at_doubles() = default;
  at_doubles(const double *d, int n) : data(d), count(n)
  {
  }
#endif
} at_doubles;

/* A list of tensors: borrowed for the duration of a call, as AT_TENSORS(a, b) is, or returned by a
 * function with several results. */
typedef struct at_tensors {
  at_tensor *const *data;
  int count;
#ifdef __cplusplus
  at_tensors() = default;
  at_tensors(at_tensor *const *d, int n) : data(d), count(n)
  {
  }
#endif
} at_tensors;

/* Lists, which are valid until the end of the block in C, and of the expression in C++.
 * AT_SHAPE(2, 3) has two dimensions, AT_SCALAR_SHAPE none. */
#define AT_SHAPE(...) AT_INTS(__VA_ARGS__)
#ifdef __cplusplus
#define AT_INTS(...)    at_list_of<int64_t>(__VA_ARGS__).ints()
#define AT_DOUBLES(...) at_list_of<double>(__VA_ARGS__).doubles()
#define AT_TENSORS(...) at_list_of<at_tensor *>(__VA_ARGS__).tensors()
#define AT_SCALAR_SHAPE at_ints(NULL, 0)
extern "C++" {
template <class Entry, int N>
struct at_list {
  Entry data[N];
  at_ints ints() const
  {
    return at_ints(data, N);
  }
  at_doubles doubles() const
  {
    return at_doubles(data, N);
  }
  at_tensors tensors() const
  {
    return at_tensors(data, N);
  }
};
template <class Entry, class... Given>
at_list<Entry, sizeof...(Given)> at_list_of(Given... given)
{
  return {{static_cast<Entry>(given)...}};
}
}
#else
#define AT_INTS(...)                         \
  ((at_ints){(const int64_t[]){__VA_ARGS__}, \
             (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))})
#define AT_DOUBLES(...)                        \
  ((at_doubles){(const double[]){__VA_ARGS__}, \
                (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))})
#define AT_TENSORS(...)                            \
  ((at_tensors){(at_tensor *const[]){__VA_ARGS__}, \
                (int)(sizeof((at_tensor *const[]){__VA_ARGS__}) / sizeof(at_tensor *))})
#define AT_SCALAR_SHAPE ((at_ints){NULL, 0})
#endif

/* What the option reduction of losses takes. */
typedef enum at_reduction {
  AT_REDUCTION_NONE, /* the loss of each element */
  AT_REDUCTION_MEAN,
  AT_REDUCTION_SUM
} at_reduction;

/* --- references ------------------------------------------------------------------------------ */

/* Adds a reference to t, to be released by at_release; returns t.  NULL and the undefined tensor
 * are accepted. */
AT_API at_tensor *at_retain(at_tensor *t);

/* Releases a reference, from any thread; the last one frees t.  NULL and the undefined tensor are
 * accepted. */
AT_API void at_release(at_tensor *t);

/* Releases a list that a function returned, and its tensors; at_retain keeps a tensor longer.
 * Needed only outside of a scope.  NULL is accepted. */
AT_API void at_list_release(const at_tensors *list);

/* The undefined tensor, which functions return after an error.  It needs no release. */
AT_API at_tensor *at_undefined(void);

/* Whether t is neither NULL nor the undefined tensor. */
AT_API bool at_defined(const at_tensor *t);

/* --- what it is ------------------------------------------------------------------------------ */

/* For the undefined tensor and NULL: the undefined type, 0, no data. */
AT_API const at_type *at_typeOf(const at_tensor *t);
AT_API int at_dim(const at_tensor *t);
AT_API int64_t at_numel(const at_tensor *t);

/* Valid until t changes. */
AT_API at_ints at_sizes(const at_tensor *t);
AT_API at_ints at_strides(const at_tensor *t);
AT_API int64_t at_storageOffset(const at_tensor *t);

/* The size or stride of dimension dim; negative dims count from the end.  -1 and an error if there
 * is no such dimension. */
AT_API int64_t at_size(const at_tensor *t, int64_t dim);
AT_API int64_t at_stride(const at_tensor *t, int64_t dim);

/* Whether t is row-major and without gaps. */
AT_API bool at_isContiguous(const at_tensor *t);

/* The address of the first element, or NULL if there is none; for a CUDA tensor an address on its
 * device. */
AT_API void *at_data(const at_tensor *t);

/* The value of a tensor with one element and any number of dimensions: an integer for integer
 * types, else a floating number.  NaN and an error if t does not have one element; NaN for the
 * undefined tensor.  A complex element is an error. */
AT_API at_scalar at_item(const at_tensor *t);
AT_API double at_item_double(const at_tensor *t);

/* at_item_complex is at_item of real and complex types: a real number has the imaginary part 0. */
typedef struct at_complex_number {
  double re, im;
} at_complex_number;
AT_API at_complex_number at_item_complex(const at_tensor *t);

/* Floating numbers are truncated; it is an error if the value does not fit.  0 after an error, and
 * for the undefined tensor. */
AT_API int64_t at_item_long(const at_tensor *t);

/* The TH tensor of the same elements, such as a THFloatTensor *, or for a CUDA tensor the THC
 * tensor, such as a THCudaTensor *; borrowed.  That of a complex tensor counts pairs, and no
 * function of TH takes it.  A tensor without dimensions has one dimension of
 * size 1 there. */
AT_API void *at_unsafeGetTH(const at_tensor *t);

/* A tensor of that type, not a complex one, that wraps the TH tensor, whose reference it takes over. */
AT_API at_tensor *at_fromTH(const at_type *type, void *th) AT_MUST_USE;

/* A new tensor of that type and size with copies of the elements, row by row, which are of the type's type
 * in C: float for Float, double, int64_t for Long, int32_t for Int, unsigned char for Bool.
 *
 *     const int64_t lengths[] = {5, 3, 2};
 *     at_tensor *t = at_fromArray(AT_CPU(AT_LONG), lengths, AT_SHAPE(3)); */
AT_API at_tensor *at_fromArray(const at_type *type, const void *elements,
                               at_ints sizes) AT_MUST_USE;

#endif
