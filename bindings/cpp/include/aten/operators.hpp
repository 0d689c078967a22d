// The operators of at::Tensor; each is the operation that its sign stands for.
#pragma once

#include "conversions.hpp"

namespace at
{

inline Tensor Tensor::operator-() const
{
  return neg();
}
inline Tensor Tensor::operator~() const
{
  return bitwise_not();
}
inline Tensor Tensor::operator!() const
{
  return logical_not();
}
inline Tensor &Tensor::operator+=(const Tensor &other)
{
  return add_(other);
}
inline Tensor &Tensor::operator+=(const Scalar &other)
{
  return add_(other);
}
inline Tensor &Tensor::operator-=(const Tensor &other)
{
  return sub_(other);
}
inline Tensor &Tensor::operator-=(const Scalar &other)
{
  return sub_(other);
}
inline Tensor &Tensor::operator*=(const Tensor &other)
{
  return mul_(other);
}
inline Tensor &Tensor::operator*=(const Scalar &other)
{
  return mul_(other);
}
inline Tensor &Tensor::operator/=(const Tensor &other)
{
  return div_(other);
}
inline Tensor &Tensor::operator/=(const Scalar &other)
{
  return div_(other);
}
inline Tensor &Tensor::operator&=(const Tensor &other)
{
  return bitwise_and_(other);
}
inline Tensor &Tensor::operator|=(const Tensor &other)
{
  return bitwise_or_(other);
}
inline Tensor &Tensor::operator^=(const Tensor &other)
{
  return bitwise_xor_(other);
}

// X(sign, operation, what a number on the left is: number sign t)
#define ATEN_OPERATORS(X)                                           \
  X(+, add, add(t, number))                                         \
  X(-, sub, rsub(t, number))                                        \
  X(*, mul, mul(t, number))                                         \
  X(/, div, div(scalar_tensor(number, t.options()), t))             \
  X(%, remainder, remainder(scalar_tensor(number, t.options()), t)) \
  X(&, bitwise_and, bitwise_and(t, number))                         \
  X(|, bitwise_or, bitwise_or(t, number))                           \
  X(^, bitwise_xor, bitwise_xor(t, number))                         \
  X(==, eq, eq(t, number))                                          \
  X(!=, ne, ne(t, number))                                          \
  X(<, lt, gt(t, number))                                           \
  X(<=, le, ge(t, number))                                          \
  X(>, gt, lt(t, number))                                           \
  X(>=, ge, le(t, number))

#define ATEN_OPERATOR(SIGN, NAME, REVERSED)                          \
  inline Tensor operator SIGN(const Tensor &t, const Tensor &other)  \
  {                                                                  \
    return NAME(t, other);                                           \
  }                                                                  \
  inline Tensor operator SIGN(const Tensor &t, const Scalar &number) \
  {                                                                  \
    return NAME(t, number);                                          \
  }                                                                  \
  inline Tensor operator SIGN(const Scalar &number, const Tensor &t) \
  {                                                                  \
    return REVERSED;                                                 \
  }
ATEN_OPERATORS(ATEN_OPERATOR)
#undef ATEN_OPERATOR
#undef ATEN_OPERATORS

// As for numbers: both sides are computed.
inline Tensor operator&&(const Tensor &t, const Tensor &other)
{
  return logical_and(t, other);
}
inline Tensor operator||(const Tensor &t, const Tensor &other)
{
  return logical_or(t, other);
}

}  // namespace at
