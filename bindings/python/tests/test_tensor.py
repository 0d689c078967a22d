"""The type Tensor: making, attributes, operators, conversions, errors, pickling."""

import copy
import gc
import math
import pickle
import sys
import threading
import unittest

import thaten as torch


def resident():
    """The kilobytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


class Making(unittest.TestCase):
    def test_types_follow_from_the_data(self):
        for data, dtype in ((1, torch.int64), (1.5, torch.float32), (True, torch.bool), ([1, 2.0], torch.float32),
                            ([True, 2], torch.int64), ([], torch.float32), ([[], []], torch.float32)):
            self.assertIs(torch.tensor(data).dtype, dtype, data)

    def test_shapes(self):
        self.assertEqual(torch.tensor(3).shape, ())
        self.assertEqual(torch.tensor([[[1, 2, 3]], [[4, 5, 6]]]).shape, (2, 1, 3))
        self.assertEqual(torch.tensor([[], []]).shape, (2, 0))

    def test_values_stay_exact(self):
        self.assertEqual(torch.tensor([2**63 - 1, -2**63]).tolist(), [2**63 - 1, -2**63])
        self.assertEqual(torch.tensor([0.1], dtype=torch.float64).item(), 0.1)
        self.assertEqual(torch.tensor([300, -1], dtype=torch.uint8).tolist(), [44, 255])

    def test_tensors_and_their_entries(self):
        x = torch.tensor([1.0, 2.0])
        y = torch.tensor(x)
        y[0] = 7
        self.assertEqual(x.tolist(), [1.0, 2.0])
        self.assertEqual(torch.tensor([x[0], 3]).tolist(), [1.0, 3.0])

    def test_errors(self):
        for data in ([[1, 2], [3]], [[1], 2], "text", [None], object()):
            with self.assertRaises((RuntimeError, TypeError, ValueError), msg=data):
                torch.tensor(data)
        self.assertRaises(RuntimeError, torch.tensor, None)
        self.assertRaises(TypeError, torch.tensor, "a")
        with self.assertRaises(OverflowError):
            torch.tensor([2**64])
        with self.assertRaises(TypeError):
            torch.tensor([1], dtype="float32")

    def test_a_list_that_changes_while_it_is_read(self):
        class Shrinking(list):
            def __getitem__(self, i):
                self.clear()
                return super().__getitem__(i)

        with self.assertRaises((IndexError, ValueError)):
            torch.tensor([[1, 2], Shrinking([3, 4])])


class Operators(unittest.TestCase):
    x, y = torch.tensor([5, -7, 9]), torch.tensor([2, 3, -4])

    def test_as_of_integers(self):
        a, b = self.x.tolist(), self.y.tolist()
        for function in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p // q,
                         lambda p, q: p % q, lambda p, q: p & q, lambda p, q: p | q, lambda p, q: p ^ q,
                         lambda p, q: p < q, lambda p, q: p <= q, lambda p, q: p == q, lambda p, q: p != q,
                         lambda p, q: p > q, lambda p, q: p >= q):
            self.assertEqual(function(self.x, self.y).tolist(), [function(p, q) for p, q in zip(a, b)])
            self.assertEqual(function(self.x, 3).tolist(), [function(p, 3) for p in a])
            self.assertEqual(function(3, self.x).tolist(), [function(3, p) for p in a])

    def test_quotients_powers_and_shifts(self):
        self.assertEqual((torch.tensor([1, 3]) / 2).tolist(), [0.5, 1.5])
        self.assertEqual((3 / torch.tensor([2.0, 4.0])).tolist(), [1.5, 0.75])
        self.assertEqual((2 ** torch.tensor([3, 4])).tolist(), [8, 16])
        self.assertEqual((torch.tensor([3, 4]) ** 2).tolist(), [9, 16])
        self.assertEqual((torch.tensor([1, 5]) << 2).tolist(), [4, 20])
        self.assertEqual((1 << torch.tensor([1, 5])).tolist(), [2, 32])
        self.assertEqual((torch.tensor([9, -9]) >> 1).tolist(), [4, -5])

    def test_of_one_operand(self):
        self.assertEqual((-self.x).tolist(), [-5, 7, -9])
        self.assertEqual(abs(self.x).tolist(), [5, 7, 9])
        self.assertEqual((~self.x).tolist(), [-6, 6, -10])
        self.assertEqual((~torch.tensor([True, False])).tolist(), [False, True])

    def test_complex_numbers(self):
        """The values and types are PyTorch's."""
        f, i = torch.tensor([1.0, 2.0]), torch.arange(2)
        c = torch.complex(f, f + 1)
        for made, dtype, expected in ((f * (1 + 2j), torch.complex64, [1 + 2j, 2 + 4j]), (2j - i, torch.complex64, [2j, -1 + 2j]),
                                      ((1 + 2j) / (f.double() * 0 + 1), torch.complex128, [1 + 2j, 1 + 2j]),
                                      (c / (1 + 2j), torch.complex64, [1, 1.6 - 0.2j]), (c.mul(1j), torch.complex64, [-2 + 1j, -3 + 2j]),
                                      (torch.add(1j, c), torch.complex64, [1 + 3j, 2 + 4j]), (torch.exp(0j * f), torch.complex64, [1, 1]),
                                      (torch.tensor(2.0) * 1j, torch.complex64, 2j), (torch.full_like(c, 1j), torch.complex64, [1j, 1j]),
                                      (torch.where(f > 1, c, 1j), torch.complex64, [1j, 2 + 3j]), (c.new_full((2,), 1j), torch.complex64, [1j, 1j])):
            self.assertEqual(made.dtype, dtype)
            self.assertTrue(torch.allclose(made, torch.tensor(expected, dtype=dtype)), made)
        self.assertEqual((c == 1 + 2j).tolist(), [True, False])
        c *= 1j
        c[1] = 2 - 1j
        self.assertEqual((c.tolist(), complex(c[0]), bool(c[0]), bool(c[0] - c[0])), ([-2 + 1j, 2 - 1j], -2 + 1j, True, False))
        self.assertEqual(c.clone().fill_(3j).tolist(), [3j, 3j])
        for wrong in (lambda: f.__imul__(1j), lambda: f.fill_(1j), lambda: f.__setitem__(0, 1j), lambda: torch.tensor([1j], dtype=torch.float32),
                      lambda: torch.add(f, f, alpha=1j), lambda: f.lerp(f, 1j), lambda: f.addcmul(f, f, value=1j),
                      lambda: torch.addmm(torch.eye(2), torch.eye(2), torch.eye(2), alpha=1j)):
            self.assertRaises((RuntimeError, TypeError), wrong)
        self.assertEqual(f.tolist(), [1.0, 2.0])
        for make in (torch.optim.Adafactor, torch.optim.Muon):
            with self.assertRaisesRegex((RuntimeError, TypeError), "does not take"):
                make([torch.zeros(2, 2, dtype=torch.complex64)], lr=1)

    def test_strides_by_their_order(self):
        x = torch.arange(6)
        self.assertEqual(x.as_strided((2, 2), (3, 1), 1).tolist(), [[1, 2], [4, 5]])
        self.assertEqual(torch.as_strided(x[1:], (2,), (2,)).tolist(), [1, 3])
        self.assertEqual(torch.as_strided(x, (2,), (2,), storage_offset=2).tolist(), [2, 4])

    def test_set(self):
        x, y = torch.arange(4.0), torch.zeros(2)
        self.assertIs(y.set_(x.untyped_storage(), 1, [2, 1], [1, 5]), y)
        self.assertEqual((y.tolist(), y.stride(), y.data_ptr()), ([[1], [2]], (1, 5), x.data_ptr() + 4))
        y.fill_(7)
        self.assertEqual(x.tolist(), [0, 7, 7, 3])
        self.assertEqual(torch.zeros(1).set_(x.storage()).tolist(), [0, 7, 7, 3])
        self.assertEqual(torch.zeros(1).set_(x.storage(), 2, (1, 2)).tolist(), [[7, 3]])
        self.assertEqual(torch.zeros(1).set_(x, 2, (2,), (1,)).tolist(), [7, 3])
        self.assertEqual(torch.zeros(1).set_(x).data_ptr(), x.data_ptr())
        self.assertEqual(tuple(torch.zeros(3).set_().shape), (0,))
        self.assertEqual(torch.zeros(1, dtype=torch.uint8).set_(torch.ones(1).untyped_storage()).tolist(), [0, 0, 128, 63])
        with self.assertRaises((RuntimeError, TypeError)):
            torch.zeros(1).set_(torch.arange(2).storage())
        with self.assertRaises(RuntimeError):
            y.set_(x.storage(), 3, [2], [1])
        self.assertEqual(y.tolist(), [[7], [7]])

    def test_in_place(self):
        x = z = torch.tensor([1.0, 2.0])
        x += 1
        x *= torch.tensor([2.0, 3.0])
        x -= 1
        x /= 2
        x **= 2
        self.assertIs(x, z)
        self.assertEqual(x.tolist(), [2.25, 16.0])

    def test_products(self):
        a, b = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [7.0, 8.0]])
        self.assertEqual((a @ b).tolist(), [[19.0, 22.0], [43.0, 50.0]])

    def test_others(self):
        self.assertFalse(self.x == None)  # noqa: E711
        self.assertTrue(self.x != "text")
        with self.assertRaises(TypeError):
            self.x + "text"
        with self.assertRaises(TypeError):
            pow(self.x, 2, 3)

    def test_numbers_promote_by_kind(self):
        self.assertIs((torch.tensor([1], dtype=torch.int8) + 1).dtype, torch.int8)
        self.assertIs((torch.tensor([1]) * 0.5).dtype, torch.float32)
        self.assertIs((1 - torch.tensor([1.0], dtype=torch.float16)).dtype, torch.float16)


class AsNumbers(unittest.TestCase):
    def test_item(self):
        self.assertEqual(torch.tensor([[2.5]]).item(), 2.5)
        self.assertIs(torch.tensor(True).item(), True)
        self.assertEqual((int(torch.tensor(2.9)), float(torch.tensor(3)), bool(torch.tensor(0.0))), (2, 3.0, False))
        self.assertEqual([10, 20, 30][torch.tensor(1)], 20)
        for wrong in (lambda: torch.ones(2).item(), lambda: bool(torch.ones(2)), lambda: [1][torch.tensor(0.0)]):
            self.assertRaises((RuntimeError, TypeError), wrong)

    def test_len_and_iteration(self):
        x = torch.arange(6).reshape(3, 2)
        self.assertEqual(len(x), 3)
        self.assertEqual([row.tolist() for row in x], [[0, 1], [2, 3], [4, 5]])
        self.assertRaises(TypeError, len, torch.tensor(1))
        self.assertRaises(TypeError, iter, torch.tensor(1))
        self.assertIn(4, x)
        self.assertEqual(list(torch.zeros(0, 3)), [])

    def test_lists(self):
        x = torch.arange(6, dtype=torch.float32).reshape(2, 3).t()
        self.assertEqual(x.tolist(), [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]])
        self.assertEqual(torch.tensor(4).tolist(), 4)
        self.assertEqual(torch.zeros(2, 0).tolist(), [[], []])


class Attributes(unittest.TestCase):
    def test_shape(self):
        x = torch.zeros(2, 3, 4)
        self.assertEqual((x.shape, x.size(), x.size(1), x.size(dim=-1), x.ndim), ((2, 3, 4), (2, 3, 4), 3, 4, 3))
        self.assertEqual((x.stride(), x.numel(), x.nbytes, x.T.shape), ((12, 4, 1), 24, 96, (4, 3, 2)))
        self.assertRaises(IndexError, x.size, 3)

    def test_dtypes(self):
        self.assertEqual(repr(torch.bfloat16), "torch.bfloat16")
        self.assertEqual((torch.int16.itemsize, torch.half.is_floating_point, torch.uint8.is_signed), (2, True, False))
        self.assertIs(pickle.loads(pickle.dumps(torch.int32)), torch.int32)
        self.assertIs(torch.promote_types(torch.int64, torch.float16), torch.float16)
        self.assertRaises(TypeError, torch.dtype)

    def test_conversions(self):
        x = torch.tensor([1.5, -2.5])
        self.assertEqual((x.long().tolist(), x.to(torch.bool).tolist()), ([1, -2], [True, True]))
        self.assertIs(x.to(torch.float32), x)
        self.assertIs(x.to("cpu"), x)
        self.assertIs(x.to(x.double()).dtype, torch.float64)
        self.assertRaises(RuntimeError, x.to, "cuda")
        self.assertEqual(x.new_zeros(2, 2).dtype, torch.float32)

    def test_text(self):
        self.assertEqual(repr(torch.tensor([1.0, 2.5])), "tensor([1.0000, 2.5000])")
        self.assertEqual(str(torch.tensor([[1], [2]])), "tensor([[1],\n        [2]])")
        self.assertEqual("%s %s" % (format(torch.tensor(2.5), ".2f"), torch.tensor(True)), "2.50 tensor(True)")

    def test_copies(self):
        for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.float16):
            x = torch.tensor([[1, 0], [1, 1]]).to(dtype).t()
            for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
                self.assertEqual((y.tolist(), y.dtype, y.shape), (x.tolist(), dtype, x.shape))
        self.assertEqual(pickle.loads(pickle.dumps(torch.zeros(0, 2))).shape, (0, 2))


class Calls(unittest.TestCase):
    def test_overloads(self):
        x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
        self.assertEqual(torch.max(x).item(), 7.0)
        self.assertEqual(torch.max(x, torch.tensor(3.0)).tolist(), [[3.0, 5.0], [7.0, 3.0]])
        values, indices = torch.max(x, 1)
        self.assertEqual((values.tolist(), indices.tolist()), ([5.0, 7.0], [1, 0]))
        self.assertEqual(x.max(dim=0, keepdim=True).values.tolist(), [[7.0, 5.0]])
        self.assertEqual(torch.add(x, 1, alpha=2).tolist(), [[3.0, 7.0], [9.0, 4.0]])

    def test_lists_and_numbers(self):
        x = torch.arange(6)
        self.assertEqual(x.view(2, 3).shape, x.view((2, 3)).shape)
        self.assertEqual(x.view(-1, 1, 2).permute(2, 0, 1).shape, (2, 3, 1))
        self.assertEqual((torch.zeros(3).shape, torch.zeros(2, 1).shape, torch.zeros([4]).shape), ((3,), (2, 1), (4,)))
        self.assertEqual(x.reshape(2, 3).sum(1).tolist(), [3, 12])
        self.assertEqual(x.reshape(2, 3).sum((0, 1)).item(), 15)

    def test_other_names(self):
        x = torch.ones(2, 3)
        self.assertEqual(torch.sum(input=x, axis=1, keepdims=True).shape, (2, 1))
        self.assertIs(torch.zeros(2, dtype=torch.int64, device="cpu", requires_grad=False).dtype, torch.int64)

    def test_results_that_are_given(self):
        x, out = torch.ones(2), torch.empty(0)
        self.assertIs(torch.add(x, x, out=out), out)
        self.assertEqual(out.tolist(), [2.0, 2.0])
        values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
        self.assertIs(torch.max(torch.ones(2, 2), 0, out=(values, indices))[0], values)
        self.assertEqual(indices.shape, (2,))

    def test_results_that_are_copied_there(self):
        """Those of operations that have no form for it."""
        x, y = torch.tensor([1.25, 2.5]), torch.tensor([[4.0, 1.0], [1.0, 3.0]])
        out = torch.empty(0)
        self.assertIs(torch.round(x, decimals=1, out=out), out)
        self.assertEqual(out.tolist(), torch.tensor([1.2, 2.5]).tolist())
        row = torch.zeros(2, 2)
        torch.mvlgamma(x + 3, 1, out=row[:, 0])  # lgamma
        self.assertEqual(row.tolist(), [[torch.lgamma(x + 3)[0].item(), 0.0], [torch.lgamma(x + 3)[1].item(), 0.0]])
        mantissa, exponent = torch.empty(0), torch.empty(0, dtype=torch.int32)
        made = torch.frexp(x, out=(mantissa, exponent))
        self.assertIs(made.mantissa, mantissa)
        self.assertEqual((mantissa.tolist(), exponent.tolist()), ([0.625, 0.625], [1, 2]))
        parts = [torch.empty(0), torch.ones(2, 1)]
        torch.split_with_sizes_copy(y, [1, 1], dim=1, out=parts)
        self.assertEqual([p.tolist() for p in parts], [[[4.0], [1.0]], [[1.0], [3.0]]])
        torch.searchsorted(x, 2.0, out=exponent.long())
        for wrong, error in ((lambda: torch.frexp(x, out=(mantissa.fill_(7), exponent.bool())), (RuntimeError, TypeError)),
                             (lambda: torch.frexp(x, out=mantissa), TypeError), (lambda: torch.frexp(x, out=(mantissa,)), TypeError),
                             (lambda: torch.equal(x, x, out=mantissa), TypeError), (lambda: torch.max(x, 0, out=mantissa), TypeError)):
            self.assertRaises(error, wrong)
        self.assertEqual(mantissa.tolist(), [7.0, 7.0])

    def test_results_that_change_self(self):
        x = torch.zeros(2)
        self.assertIs(x.add_(1), x)
        self.assertEqual(x.contiguous().data_ptr(), x.data_ptr())
        self.assertEqual(x.tolist(), [1.0, 1.0])

    def test_errors(self):
        x = torch.ones(2, 3)
        for call, error, text in (
                (lambda: x + torch.ones(4), RuntimeError, "broadcast"), (lambda: x.sum(5), IndexError, "dim"),
                (lambda: torch.mm(x, torch.ones(3, 2).long()), TypeError, "Long"),
                (lambda: torch.add(x), TypeError, "no form takes"), (lambda: torch.add(x, 1, beta=2), TypeError, "beta"),
                (lambda: x.view(7), RuntimeError, "view"), (lambda: torch.zeros(2, device="cuda"), TypeError, "device"),
                (lambda: torch.zeros(2**62, 2**62), RuntimeError, ""), (lambda: x.select(0, 2**70), OverflowError, "")):
            with self.assertRaises(error) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        self.assertEqual((x + x).tolist(), [[2.0] * 3] * 2)  # no error is left behind

    def test_what_is_written_in_python(self):
        x = torch.tensor([[3.0, 0.0], [4.0, 0.0]])
        self.assertEqual([i.tolist() for i in torch.nonzero(x, as_tuple=True)], [[0, 1], [0, 0]])
        self.assertEqual(x.nonzero().tolist(), [[0, 0], [1, 0]])
        self.assertEqual((x.norm().item(), x.norm(dim=0).tolist(), torch.norm(x, p=1, dim=(0, 1)).item()), (5.0, [5.0, 0.0], 7.0))
        self.assertEqual(torch.tensordot(x, x, dims=2).item(), 25.0)
        self.assertEqual(torch.tensordot(x, x, dims=([0], [0])).tolist(), [[25.0, 0.0], [0.0, 0.0]])
        self.assertEqual(torch.unique(torch.tensor([2, 1, 2])).tolist(), [1, 2])
        values, counts = torch.tensor([1, 1, 2]).unique_consecutive(return_counts=True)
        self.assertEqual((values.tolist(), counts.tolist()), ([1, 2], [2, 1]))
        self.assertEqual(x.argsort(dim=0, descending=True, stable=True)[:, 0].tolist(), [1, 0])
        self.assertEqual(torch.linalg.solve(torch.eye(2) * 2, torch.ones(2)).tolist(), [0.5, 0.5])
        self.assertEqual(torch.special.expit(torch.zeros(1)).item(), 0.5)
        self.assertEqual((torch.normal(0.0, 1.0, (2, 3)).shape, torch.broadcast_shapes((2, 1), (3,))), ((2, 3), (2, 3)))
        draws = torch.randint(2, 4, (100,))
        self.assertEqual((draws.min().item(), draws.max().item(), draws.dtype), (2, 3, torch.int64))

    def test_what_is_composed(self):
        x = torch.tensor([1.0, 2.0, 4.0])
        self.assertEqual(torch.block_diag(x, torch.eye(1)).tolist(), [[1.0, 2.0, 4.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        self.assertEqual(torch.cartesian_prod(x[:2], x[1:2]).tolist(), [[1.0, 2.0], [2.0, 2.0]])
        self.assertEqual(torch.combinations(x).tolist(), [[1.0, 2.0], [1.0, 4.0], [2.0, 4.0]])
        self.assertEqual((torch.trapezoid(x).item(), torch.trapezoid(x, x).item()), (4.5, 7.5))
        self.assertEqual(torch.cumulative_trapezoid(x, dx=2).tolist(), [3.0, 9.0])
        self.assertEqual([i.item() for i in torch.unravel_index(torch.tensor(7), (2, 3, 2))], [1, 0, 1])
        self.assertEqual(torch.empty_permuted((2, 3), (1, 0)).stride(), (1, 2))
        self.assertEqual(torch.ones(2, 3).sum_to_size(1, 3).tolist(), [[2.0] * 3])
        self.assertEqual(torch.round(torch.tensor([1.25, -7.5]), decimals=1).tolist(), [1.2000000476837158, -7.5])
        self.assertEqual(torch.scatter(x, 0, torch.tensor([0, 0]), 3.0, reduce="multiply").tolist(), [9.0, 2.0, 4.0])
        self.assertEqual([len(p) for p in x.tensor_split(torch.tensor([1, 1]))], [1, 0, 2])
        self.assertEqual((torch.ones(1, 2, 3).mT.shape, torch.ones(2, 3).H.shape), ((1, 3, 2), (3, 2)))
        self.assertEqual(torch.fft.fft(x)[0].item(), 7 + 0j)
        self.assertEqual(torch.linalg.matrix_rank(torch.eye(3), atol=None, rtol=0.5).item(), 3)

    def test_tensors_that_are_given_one_by_one(self):
        x, y = torch.tensor([1, 2]), torch.tensor([3])
        self.assertEqual([t.shape for t in torch.broadcast_tensors(x, y)], [(2,), (2,)])
        self.assertEqual(torch.meshgrid(x, y, indexing="xy")[0].tolist(), [[1, 2]])
        self.assertEqual(torch.einsum("i,j->ij", x, y).tolist(), [[3], [6]])

    def test_random_numbers(self):
        a = torch.rand(3, generator=torch.Generator().manual_seed(5))
        torch.manual_seed(5)
        self.assertEqual(torch.rand(3).tolist(), a.tolist())
        self.assertEqual(torch.Generator().manual_seed(-1).initial_seed(), 2**64 - 1)


class References(unittest.TestCase):
    def calls(self):
        x, y, names = torch.ones(4, 4), torch.ones(4, 4), {"alpha": 2}
        out = torch.empty(0)

        def failing():
            for wrong in (lambda: x + torch.ones(3), lambda: torch.add(x, "text"), lambda: x.sum(9), lambda: x[9],
                          lambda: torch.tensor([[1], 2]), lambda: x.view(3, 3)):
                try:
                    wrong()
                except (RuntimeError, TypeError, ValueError, IndexError):
                    pass

        def assigning():
            x[0] = 1
            x[x > 3] = y[0, 0]
            x[:, 1] = [1.0, 2.0, 3.0, 4.0]

        return [lambda: x + y, lambda: x.add_(0), lambda: torch.add(x, y, **names), lambda: torch.add(x, y, out=out),
                lambda: x.max(1), lambda: torch.cat([x, y]), lambda: x.split(1), lambda: x[1:, None, ..., 0],
                lambda: x[[0, 1], [1, 0]], lambda: x[x > 0], assigning, failing, lambda: x.view(2, 8), lambda: x.tolist(),
                lambda: repr(x), lambda: pickle.loads(pickle.dumps(x)), lambda: memoryview(x).tolist(),
                lambda: torch.from_dlpack(x), lambda: list(x), lambda: 2 / x, lambda: torch.tensor([[1, 2], [3, 4]]),
                lambda: torch.max(x, 1, out=(torch.empty(0), torch.empty(0, dtype=torch.int64))),
                lambda: torch.frexp(x, out=(torch.empty(0), torch.empty(0, dtype=torch.int32)))]

    def test_nothing_is_kept(self):
        for number, call in enumerate(self.calls()):
            for _ in range(200):
                call()
            gc.collect()
            objects, blocks, memory = len(gc.get_objects()), sys.getallocatedblocks(), resident()
            for _ in range(10000):
                call()
            gc.collect()
            with self.subTest(call=number):
                self.assertLess(len(gc.get_objects()) - objects, 20)
                self.assertLess(sys.getallocatedblocks() - blocks, 200)
                self.assertLess(resident() - memory, 1000)

    def test_counts(self):
        x = torch.ones(2)
        count = sys.getrefcount(x)
        for _ in range(10000):
            x + x
            x.add_(1)
            x.contiguous()
            x == None  # noqa: E711, B015
        self.assertEqual(sys.getrefcount(x), count)


class Threads(unittest.TestCase):
    def test_calls_of_several_threads(self):
        x = torch.ones(200, 200)
        results = []

        def work():
            results.append(sum((x @ x).sum().item() for _ in range(20)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, [20 * 200.0**3] * 4)


class Functional(unittest.TestCase):
    def test_losses_and_pooling(self):
        F = torch.nn.functional
        x, target = torch.tensor([[0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1])
        self.assertAlmostEqual(F.cross_entropy(x, target).item(), math.log(2), 6)
        self.assertAlmostEqual(F.cross_entropy(x, target, reduction="sum").item(), 2 * math.log(2), 6)
        self.assertEqual(F.mse_loss(x, x + 2, reduction="none").tolist(), [[4.0, 4.0], [4.0, 4.0]])
        self.assertEqual(F.max_pool2d(torch.arange(4.0).reshape(1, 1, 2, 2), 2).item(), 3.0)
        self.assertEqual(F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape, (1, 1, 4, 4))
        self.assertEqual(F.softmax(x, dim=1).tolist(), [[0.5, 0.5], [0.5, 0.5]])
        self.assertRaises(ValueError, F.mse_loss, x, x, reduction="most")
        self.assertEqual(F.kl_div(x, x + 1, reduction="batchmean").item(), 0.0)
        image = torch.arange(16.0).reshape(1, 1, 4, 4)
        self.assertEqual(F.adaptive_avg_pool2d(image, (None, 1)).flatten().tolist(), [1.5, 5.5, 9.5, 13.5])
        self.assertEqual(F.interpolate(image, size=(1, 1), mode="area").item(), 7.5)
        self.assertEqual(F.fold(F.unfold(image, 2, stride=2), (4, 4), 2, stride=2).tolist(), image.tolist())
        table = torch.ones(3, 2, requires_grad=True)
        F.embedding(torch.tensor([0, 2]), table, padding_idx=-1).sum().backward()
        self.assertEqual(table.grad.tolist(), [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
        with torch.no_grad():
            self.assertEqual(F.relu(x - 1, inplace=True).tolist(), [[0.0, 0.0], [0.0, 0.0]])


if __name__ == "__main__":
    unittest.main()
