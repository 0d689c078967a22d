// ATen for C++17, in headers alone: counted tensors, operators, exceptions, libtorch's names.
//
//     at::Tensor x = at::rand({2, 3}), w = at::randn({3, 4}, at::requires_grad());
//     at::Tensor loss = (x.mm(w) + 1).relu().sum();
//     loss.backward();
//     std::cout << w.grad() << x.index({0, at::indexing::Slice(1)}).item<float>();
//
// A failed call throws at::Error.  aten/torch.hpp has the names of namespace torch too.
#pragma once

#include "accessor.hpp"
#include "autocast.hpp"
#include "dlpack.hpp"
#include "factories.hpp"
#include "files.hpp"
#include "grad.hpp"
#include "index.hpp"
#include "operators.hpp"
#include "storage.hpp"
#include "type.hpp"
