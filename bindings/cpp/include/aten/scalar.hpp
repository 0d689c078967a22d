// Element types, and numbers that are an integer or a floating number.
#pragma once

#include <complex>
#include <type_traits>

#include "list.hpp"

namespace at
{

enum class ScalarType : int8_t {
  Byte = AT_BYTE,
  Char = AT_CHAR,
  Short = AT_SHORT,
  Int = AT_INT,
  Long = AT_LONG,
  Float = AT_FLOAT,
  Double = AT_DOUBLE,
  Half = AT_HALF,
  Bool = AT_BOOL,
  BFloat16 = AT_BFLOAT16,
  ComplexFloat = AT_COMPLEX_FLOAT,
  ComplexDouble = AT_COMPLEX_DOUBLE,
  UInt16 = AT_UINT16,
  UInt32 = AT_UINT32,
  UInt64 = AT_UINT64,
  Undefined = AT_SCALAR_TYPES,
  NumOptions = Undefined
};
using Dtype = ScalarType;

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte;
constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort;
constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat;
constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble;
constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat;
constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kUInt16 = ScalarType::UInt16;
constexpr ScalarType kUInt32 = ScalarType::UInt32;
constexpr ScalarType kUInt64 = ScalarType::UInt64;

constexpr at_scalar_type c_type(ScalarType type)
{
  return static_cast<at_scalar_type>(type);
}

inline const char *toString(ScalarType type)
{
  constexpr const char *names[] = {"Byte",   "Char",     "Short",        "Int",
                                   "Long",   "Float",    "Double",       "Half",
                                   "Bool",   "BFloat16", "ComplexFloat", "ComplexDouble",
                                   "UInt16", "UInt32",   "UInt64",       "Undefined"};
  return names[static_cast<int>(type)];
}

inline std::ostream &operator<<(std::ostream &stream, ScalarType type)
{
  return stream << toString(type);
}

inline size_t elementSize(ScalarType type)
{
  constexpr size_t sizes[] = {1, 1, 2, 4, 8, 4, 8, 2, 1, 2, 8, 16, 2, 4, 8, 0};
  return sizes[static_cast<int>(type)];
}

inline bool isFloatingType(ScalarType type)
{
  return type == kFloat || type == kDouble || type == kHalf || type == kBFloat16;
}

inline bool isComplexType(ScalarType type)
{
  return type == kComplexFloat || type == kComplexDouble;
}

inline bool isIntegralType(ScalarType type, bool includeBool = false)
{
  return type == kBool ? includeBool : !isFloatingType(type) && !isComplexType(type);
}

// The element type of new floating tensors: Float, or Double after set_default_dtype(kDouble).
inline ScalarType get_default_dtype()
{
  return static_cast<ScalarType>(at_defaultType());
}
inline ScalarType promote_types(ScalarType a, ScalarType b)
{
  return static_cast<ScalarType>(at_promoteTypes(c_type(a), c_type(b)));
}
inline ScalarType promoteTypes(ScalarType a, ScalarType b)
{
  return static_cast<ScalarType>(at_promoteTypes(c_type(a), c_type(b)));
}

// Elements of Half and BFloat16, which are stored as their bits.
struct Half {
  uint16_t x;
};
struct BFloat16 {
  uint16_t x;
};

// The element type of a C++ type.
template <class T>
constexpr ScalarType scalarTypeOf()
{
  if constexpr (std::is_same_v<T, bool>)
    return kBool;
  else if constexpr (std::is_same_v<T, Half>)
    return kHalf;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return kBFloat16;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == sizeof(float) ? kFloat : kDouble;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return kComplexFloat;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return kComplexDouble;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return kUInt16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return kUInt32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return kUInt64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return kByte;
  else {
    static_assert(std::is_integral_v<T> && std::is_signed_v<T>,
                  "no element type is like this type");
    return sizeof(T) == 1 ? kChar : sizeof(T) == 2 ? kShort : sizeof(T) == 4 ? kInt : kLong;
  }
}
template <class T>
constexpr ScalarType CppTypeToScalarType = scalarTypeOf<T>();

namespace detail
{

template <ScalarType type, class First, class... Others>
auto cppTypeOf()
{
  if constexpr (scalarTypeOf<First>() == type)
    return First();
  else
    return cppTypeOf<type, Others...>();
}

}  // namespace detail

// The C++ type of an element type.
template <ScalarType type>
using CppTypeOf =
    decltype(detail::cppTypeOf<type, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double,
                               Half, bool, BFloat16, std::complex<float>, std::complex<double>,
                               uint16_t, uint32_t, uint64_t>());

class Tensor;

// A number; integers keep all 64 bits.
class Scalar
{
 public:
  Scalar() : Scalar(0)
  {
  }
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Scalar(T value) : value_(at_scalar_of(value)), is_bool_(std::is_same_v<T, bool>)
  {
  }
  Scalar(at_scalar value) : value_(value)
  {
  }
  // The one element of a tensor.
  explicit Scalar(const Tensor &t);

  bool isFloatingPoint() const
  {
    return value_.is_float;
  }
  bool isBoolean() const
  {
    return is_bool_;
  }
  bool isIntegral(bool includeBool = true) const
  {
    return !value_.is_float && (includeBool || !is_bool_);
  }
  ScalarType type() const
  {
    return value_.is_float ? kDouble : is_bool_ ? kBool : kLong;
  }
  // The number as T; an error if T does not hold it.
  template <class T>
  T to() const
  {
    if constexpr (std::is_same_v<T, bool>)
      return value_.is_float ? value_.value.number != 0 : value_.value.integer != 0;
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(at_scalar_toDouble(value_));
    else
      return to_integer<T>();
  }
  double toDouble() const
  {
    return to<double>();
  }
  float toFloat() const
  {
    return to<float>();
  }
  int64_t toLong() const
  {
    return to<int64_t>();
  }
  int toInt() const
  {
    return to<int>();
  }
  bool toBool() const
  {
    return to<bool>();
  }
  Scalar operator-() const
  {
    return value_.is_float ? Scalar(-value_.value.number) : Scalar(-value_.value.integer);
  }
  at_scalar c() const
  {
    return value_;
  }

 private:
  template <class T>
  T to_integer() const
  {
    const double limit = 9223372036854775808.0;
    if (value_.is_float && !(value_.value.number >= -limit && value_.value.number < limit))
      throw Error(std::to_string(value_.value.number) + " is no 64-bit integer", AT_ERROR_ARGUMENT);
    const int64_t integer = at_scalar_toLong(value_);
    if (static_cast<int64_t>(static_cast<T>(integer)) != integer)
      throw Error(std::to_string(integer) + " does not fit into " + toString(scalarTypeOf<T>()),
                  AT_ERROR_ARGUMENT);
    return static_cast<T>(integer);
  }

  at_scalar value_;
  bool is_bool_ = false;
};

namespace detail
{

inline at_scalar c_scalar(const std::optional<Scalar> &number)
{
  return number ? number->c() : at_scalar_none();
}
inline int64_t c_integer(std::optional<int64_t> integer)
{
  return integer.value_or(AT_NONE);
}

}  // namespace detail
}  // namespace at
