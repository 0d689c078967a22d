// at::Tensor: a counted reference to a tensor.
#pragma once

#include <ostream>
#include <tuple>
#include <utility>

#include "generator.hpp"

namespace at
{

class Storage;
class Tensor;
class Type;
template <class T, size_t N>
class TensorAccessor;
namespace indexing
{
class TensorIndex;
}
using TensorList = ArrayRef<Tensor>;
using indexing::TensorIndex;
namespace detail
{
Tensor made(at_tensor *t);
}

// A copy is another reference to the same tensor; a tensor made by the default is undefined.  Made
// from a result inside an AT_SCOPE, it takes the reference from the scope by at_keep first.
class Tensor
{
 public:
  Tensor() : tensor_(nullptr)
  {
  }
  Tensor(std::nullopt_t) : tensor_(nullptr)
  {
  }
  // Takes over a reference that a function of C returned.
  static Tensor take(at_tensor *t)
  {
    Tensor taken;
    taken.tensor_ = at_defined(t) ? t : nullptr;
    return taken;
  }
  // Another reference to a tensor that somebody else owns.
  static Tensor share(at_tensor *t)
  {
    return take(at_retain(t));
  }
  Tensor(const Tensor &other) : tensor_(other.tensor_)
  {
    if (tensor_)
      at_retain(tensor_);
  }
  Tensor(Tensor &&other) noexcept : tensor_(std::exchange(other.tensor_, nullptr))
  {
  }
  Tensor &operator=(const Tensor &other) &
  {
    Tensor copy(other);
    std::swap(tensor_, copy.tensor_);
    return *this;
  }
  Tensor &operator=(Tensor &&other) & noexcept
  {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  // x[0] = y and x[0] = 2 write to the elements.
  const Tensor &operator=(const Tensor &other) &&;
  const Tensor &operator=(Tensor &&other) &&;
  const Tensor &operator=(const Scalar &number) &&;
  ~Tensor()
  {
    if (tensor_)
      at_release(tensor_);
  }

  // The tensor for functions of C, borrowed; NULL if it is undefined.
  at_tensor *get() const
  {
    return tensor_;
  }
  // Gives the reference to the caller.
  at_tensor *release()
  {
    return std::exchange(tensor_, nullptr);
  }
  bool defined() const
  {
    return tensor_ != nullptr;
  }
  bool has_value() const
  {
    return defined();
  }
  void reset()
  {
    *this = Tensor();
  }
  // Whether both are the same tensor.
  bool is_same(const Tensor &other) const
  {
    return tensor_ == other.tensor_;
  }

  // --- what it is ---

  int64_t dim() const
  {
    return at_dim(tensor_);
  }
  int64_t ndimension() const
  {
    return dim();
  }
  int64_t numel() const
  {
    return at_numel(tensor_);
  }
  IntArrayRef sizes() const
  {
    return detail::list_of(at_sizes(tensor_));
  }
  IntArrayRef strides() const
  {
    return detail::list_of(at_strides(tensor_));
  }
  int64_t size(int64_t dim) const
  {
    return detail::checked((at_size)(tensor_, dim));
  }
  int64_t stride(int64_t dim) const
  {
    return detail::checked((at_stride)(tensor_, dim));
  }
  int64_t storage_offset() const
  {
    return at_storageOffset(tensor_);
  }
  bool is_contiguous() const
  {
    return at_isContiguous(tensor_);
  }
  ScalarType scalar_type() const
  {
    return static_cast<ScalarType>(at_type_scalarType(at_typeOf(tensor_)));
  }
  ScalarType dtype() const
  {
    return scalar_type();
  }
  size_t element_size() const
  {
    return at_type_elementSize(at_typeOf(tensor_));
  }
  size_t itemsize() const
  {
    return element_size();
  }
  size_t nbytes() const
  {
    return static_cast<size_t>(numel()) * element_size();
  }
  Device device() const
  {
    const int index = at_deviceOf(tensor_);
    return at_type_backend(at_typeOf(tensor_)) == AT_BACKEND_CUDA
               ? Device(kCUDA, static_cast<DeviceIndex>(index))
               : Device(kCPU);
  }
  bool is_cpu() const
  {
    return defined() && !device().is_cuda();
  }
  TensorOptions options() const
  {
    return TensorOptions(dtype()).device(device());
  }
  // The Type of 2018: t.type().ones({2}).
  Type &type() const;
  // Such as "CPUFloatType".
  std::string toString() const
  {
    return at_type_toString(at_typeOf(tensor_));
  }
  void print() const
  {
    at_print(tensor_);
  }

  // --- elements ---

  // The address of the first element; an error if the elements are not of type T.
  template <class T>
  T *data_ptr() const
  {
    return elements<T>();
  }
  template <class T>
  const T *const_data_ptr() const
  {
    return elements<std::remove_const_t<T>>();
  }
  template <class T>
  T *mutable_data_ptr() const
  {
    return elements<T>();
  }
  template <class T>
  T *data() const
  {
    return elements<T>();
  }
  // The same elements without history.
  Tensor data() const;
  Tensor variable_data() const
  {
    return data();
  }
  Tensor tensor_data() const
  {
    return data();
  }
  void *data_ptr() const
  {
    return at_data(tensor_);
  }
  // The value of a tensor with one element.
  Scalar item() const;
  template <class T>
  T item() const
  {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      return complex_item<T>();
    else
      return item().to<T>();
  }
  // t.accessor<float, 2>()[i][j]: elements by their indices, which are not checked.
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const;
  template <class T, size_t N>
  TensorAccessor<T, N> packed_accessor64() const
  {
    return accessor<T, N>();
  }
  template <class T, size_t N>
  TensorAccessor<T, N> packed_accessor32() const
  {
    return accessor<T, N>();
  }

  // --- gradients ---

  bool requires_grad() const
  {
    return at_requiresGrad(tensor_);
  }
  Tensor &requires_grad_(bool wanted = true) const;
  Tensor &set_requires_grad(bool wanted) const
  {
    return requires_grad_(wanted);
  }
  // What the tensor was computed by, of which name() is PyTorch's; nullptr of a leaf.
  std::shared_ptr<class Node> grad_fn() const;
  bool is_leaf() const
  {
    return at_isLeaf(tensor_);
  }
  bool is_inference() const
  {
    return at_isInference(tensor_);
  }
  // The gradient; undefined if there is none yet.
  Tensor grad() const
  {
    return share(at_grad(tensor_));
  }
  void set_grad(const Tensor &grad) const
  {
    detail::check((at_set_grad)(tensor_, grad.tensor_));
  }
  // The gradient, which changes with what is assigned to it.
  class MutableGrad;
  MutableGrad mutable_grad() const;
  void zero_grad() const
  {
    set_grad(Tensor());
  }
  void retain_grad() const;
  // Calls the function with the gradient, in each pass; what it returns, if it returns a tensor that
  // is defined, is the gradient instead.  The number is for remove_hook, before which the function is
  // kept.
  template <class Function>
  unsigned register_hook(Function hook) const;
  void remove_hook(unsigned number) const;
  Tensor &detach_() const;
  void backward(const Tensor &gradient = {}, std::optional<bool> retain_graph = nullopt,
                bool create_graph = false) const;

  // --- conversions ---

  // A new tensor only if something is different, or copy is true.
  Tensor to(const TensorOptions &options, bool non_blocking = false, bool copy = false) const;
  Tensor to(const Device &device, ScalarType type, bool non_blocking = false,
            bool copy = false) const
  {
    return to(TensorOptions(type).device(device), non_blocking, copy);
  }
  Tensor to(const Tensor &other, bool non_blocking = false, bool copy = false) const
  {
    return to(other.options(), non_blocking, copy);
  }
  Tensor toType(ScalarType type) const
  {
    return to(type);
  }
  Tensor toType(const Type &type) const;
  Tensor cpu() const
  {
    return to(kCPU);
  }
  Tensor cuda() const
  {
    return to(kCUDA);
  }

  // --- parts ---

  // Row i, or the elements that a mask or indices choose.
  Tensor operator[](int64_t i) const;
  Tensor operator[](const Tensor &index) const;
  Tensor operator[](const Scalar &index) const;
  // t.index({"...", 0, Slice(1, 3), None, mask}).
  Tensor index(ArrayRef<TensorIndex> indices) const;
  Tensor &index_put_(ArrayRef<TensorIndex> indices, const Tensor &values) const;
  Tensor &index_put_(ArrayRef<TensorIndex> indices, const Scalar &value) const;

  // --- operators ---

  Tensor operator-() const;
  Tensor operator~() const;
  Tensor operator!() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator+=(const Scalar &other);
  Tensor &operator-=(const Tensor &other);
  Tensor &operator-=(const Scalar &other);
  Tensor &operator*=(const Tensor &other);
  Tensor &operator*=(const Scalar &other);
  Tensor &operator/=(const Tensor &other);
  Tensor &operator/=(const Scalar &other);
  Tensor &operator&=(const Tensor &other);
  Tensor &operator|=(const Tensor &other);
  Tensor &operator^=(const Tensor &other);

#include <aten/methods.hpp>

 private:
  friend Tensor detail::made(at_tensor *t);
  // Takes over a reference to a tensor that is defined.
  struct Defined {
  };
  Tensor(at_tensor *t, Defined) : tensor_(t)
  {
  }
  template <class T>
  T complex_item() const
  {
    const at_complex_number value = (at_item_complex)(tensor_);
    if (at_error() != AT_OK)
      detail::raise();
    return T(static_cast<typename T::value_type>(value.re),
             static_cast<typename T::value_type>(value.im));
  }
  template <class T>
  T *elements() const
  {
    if (defined() && scalar_type() != scalarTypeOf<T>())
      throw Error(std::string("the elements are of ") + at::toString(scalar_type()) + ", not of " +
                      at::toString(scalarTypeOf<T>()),
                  AT_ERROR_TYPE);
    return static_cast<T *>(at_data(tensor_));
  }

  at_tensor *tensor_;
};

class Tensor::MutableGrad : public Tensor
{
 public:
  explicit MutableGrad(const Tensor &owner) : Tensor(owner.grad()), owner_(owner)
  {
  }
  MutableGrad &operator=(const Tensor &grad)
  {
    owner_.set_grad(grad);
    static_cast<Tensor &>(*this) = grad;
    return *this;
  }
  void reset()
  {
    *this = Tensor();
  }

 private:
  Tensor owner_;
};

inline Tensor::MutableGrad Tensor::mutable_grad() const
{
  return MutableGrad(*this);
}

namespace detail
{

// A new reference that a function of C returned.
inline Tensor made(at_tensor *t)
{
  if (failed(t))
    raise();
  return Tensor(t, Tensor::Defined());
}

// One that is undefined where it was not asked for.
inline Tensor madeIfAny(at_tensor *t)
{
  if (failed(t) && at_error() != AT_OK)
    raise();
  return Tensor::take(t);
}

inline std::vector<Tensor> shared(const at_tensors &list)
{
  if (list.count == 0 && at_error() != AT_OK)
    raise();
  std::vector<Tensor> tensors;
  tensors.reserve(static_cast<size_t>(list.count));
  for (int i = 0; i < list.count; i++)
    tensors.push_back(Tensor::share(list.data[i]));
  return tensors;
}
inline std::vector<Tensor> made(const at_tensors *list)
{
  std::vector<Tensor> tensors = shared(*list);
  at_list_release(list);
  return tensors;
}

// The result of a call that changed a tensor.
inline void changed(at_tensor *t)
{
  if (failed(t))
    raise();
}

// Tensors in a row are pointers in a row.
inline at_tensors c_tensors(TensorList list)
{
  static_assert(sizeof(Tensor) == sizeof(at_tensor *) && std::is_standard_layout_v<Tensor>,
                "a tensor is its pointer");
  return at_tensors(reinterpret_cast<at_tensor *const *>(list.data()),
                    static_cast<int>(list.size()));
}
// The lists point to the tensors of those that are given.
inline std::vector<at_tensors> c_lists(const std::vector<std::vector<Tensor>> &lists)
{
  std::vector<at_tensors> all;
  for (const std::vector<Tensor> &list : lists)
    all.push_back(c_tensors(list));
  return all;
}

}  // namespace detail

inline std::ostream &operator<<(std::ostream &stream, const Tensor &t)
{
  char *text = at_toString(t.get());
  detail::check(text != nullptr);
  stream << text;
  at_string_free(text);
  return stream;
}

}  // namespace at
