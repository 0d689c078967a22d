// A tensor that nothing made.
#include "check.hpp"

using namespace at;

int main()
{
  const Tensor und;
  const Tensor ft = ones({1});
  CHECK(!und.defined() && und.numel() == 0 && und.dim() == 0 && und.sizes().empty());
  CHECK(und.toString() == "UndefinedType" && und.scalar_type() == ScalarType::Undefined);
  CHECK(und.data_ptr() == nullptr && !und.requires_grad() && und.get() == nullptr);

  CHECK_THROWS(und.size(0), "size");
  CHECK_THROWS(und.stride(0), "stride");
  CHECK_THROWS(und.item(), "item");
  CHECK_THROWS(und + 5, "self");
  CHECK_THROWS(und.add(ft), "self");
  CHECK_THROWS(ft.add(und), "other");
  CHECK_THROWS(und.mm(und), "self");
  CHECK_THROWS(und.to(kInt), "self is undefined");
  CHECK_THROWS(und.cpu(), "self is undefined");
  CHECK_THROWS(und[0], "select");
  CHECK_THROWS(und.index({0}), "select");
  CHECK_THROWS(und.backward(), "backward");
  CHECK_THROWS(und.requires_grad_(), "requires_grad");
  CHECK_THROWS(und.equal(ft), "equal");
  CHECK_THROWS(cat({ft, und}), "tensors");
  CHECK_THROWS(Tensor().add_(ft), "self");
  Tensor out;
  CHECK_THROWS(add_out(out, ft, ft), "result");
  CHECK_THROWS(Storage(und), "storageOf");

  // Where a tensor is optional, it is one that was not given.
  CHECK_CLOSE(linear(ones({1, 2}), ones({3, 2}), und), full({1, 3}, 2.0));
  CHECK_CLOSE(linear(ones({1, 2}), ones({3, 2}), nullopt), full({1, 3}, 2.0));

  Tensor t = ft;
  t.reset();
  CHECK(!t.defined() && ft.defined());
  Tensor moved = std::move(t);
  CHECK(!moved.defined());
}
