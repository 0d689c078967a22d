// Tensors handed to other libraries, taken from them, and made on memory of the program.
#include "check.hpp"

using namespace at;

static void there_and_back()
{
  Tensor a = rand({3, 4});
  DLManagedTensor *managed = toDLPack(a);
  CHECK(managed->dl_tensor.ndim == 2 && managed->dl_tensor.shape[1] == 4);
  Tensor b = fromDLPack(managed);
  CHECK(b.equal(a) && b.data_ptr() == a.data_ptr() && b.strides() == a.strides());
  b[0][0] = 7;
  CHECK(a[0][0].item<float>() == 7);
  Tensor c = rand({2, 3, 4}, kDouble).transpose(0, 2);
  CHECK(fromDLPack(toDLPack(c)).equal(c) && fromDLPack(toDLPack(tensor(true))).dtype() == kBool);
  CHECK_THROWS(toDLPack(Tensor()), "toDLPack");
  CHECK_THROWS(fromDLPack(nullptr), "managed");
}

static void memory_of_the_program()
{
  int freed = 0;
  float values[6] = {0, 1, 2, 3, 4, 5};
  {
    Tensor t = from_blob(values, {2, 3}, [&](void *data) { freed += data == values; });
    Tensor row = t[1];
    t = Tensor();
    CHECK(freed == 0 && row.equal(tensor({3.0, 4.0, 5.0})));
    row[0] = 9;
  }
  CHECK(freed == 1 && values[3] == 9);
  const Tensor columns = from_blob(values, {3, 2}, {1, 3});
  CHECK(columns[0][1].item<float>() == 9 && columns.t().is_contiguous());
  int64_t longs[2] = {1, 2};
  CHECK(from_blob(longs, {2}, kLong).sum().item<int>() == 3);
  CHECK(from_blob(values, {2}, requires_grad()).requires_grad());
  CHECK(CPU(kFloat).tensorFromBlob(values, {1}).data_ptr() == values);

  // A failed call calls no deleter.
  int called = 0;
  const auto deleter = [&](void *) { called++; };
  CHECK_THROWS(from_blob(values, {3}, {-1}, deleter), "stride");
  CHECK_THROWS(from_blob(values, {2, 2}, {1}, deleter), "1 strides for 2 sizes");
  CHECK_THROWS(from_blob(values, {INT64_MAX, INT64_MAX}, deleter), "too large");
  CHECK(called == 0);
}

int main()
{
  there_and_back();
  memory_of_the_program();
}
