"""x[...] and x[...] = y: by hand, and random keys against NumPy where it is there."""

import random
import unittest

import thaten as torch

try:
    import numpy
except ImportError:
    numpy = None


class Reading(unittest.TestCase):
    x = torch.arange(24).reshape(2, 3, 4)

    def test_views(self):
        x = self.x
        self.assertEqual(x[1, 2, 3].item(), 23)
        self.assertEqual(x[-1, 0].tolist(), [12, 13, 14, 15])
        self.assertEqual(x[:, 1, ::2].tolist(), [[4, 6], [16, 18]])
        self.assertEqual(x[..., -1].tolist(), [[3, 7, 11], [15, 19, 23]])
        self.assertEqual((x[None].shape, x[:, None, 0].shape, x[..., None].shape), ((1, 2, 3, 4), (2, 1, 4), (2, 3, 4, 1)))
        self.assertEqual((x[1:1].shape, x[5:].shape, x[2:1].shape, x[()].shape), ((0, 3, 4),) * 3 + ((2, 3, 4),))
        self.assertEqual(x[torch.tensor(1), 0, 0].item(), 12)

    def test_views_share_memory(self):
        x = torch.zeros(2, 2)
        y = x[...]
        y[0, 0] = 5
        x[1] += 1
        self.assertEqual(x.tolist(), [[5.0, 0.0], [1.0, 1.0]])

    def test_indices(self):
        x = self.x
        self.assertEqual(x[[0, 1], [1, 0]].tolist(), [[4, 5, 6, 7], [12, 13, 14, 15]])
        self.assertEqual(x[:, [2, 0], 0].tolist(), [[8, 0], [20, 12]])
        self.assertEqual(x[x > 21].tolist(), [22, 23])
        self.assertEqual(x[0][[True, False, True]].shape, (2, 4))
        self.assertEqual(x[torch.tensor([[True, False, False], [False, True, False]])].tolist(),
                         [[0, 1, 2, 3], [16, 17, 18, 19]])
        self.assertEqual(x[[]].shape, (0, 3, 4))
        self.assertEqual((x[True].shape, x[False].shape), ((1, 2, 3, 4), (0, 2, 3, 4)))

    def test_errors(self):
        for key in (2, -3, (0, 3), (0, 0, 0, 0), [5], (slice(None), [7]), (..., ...), torch.ones(3).bool(), "text", 1.5):
            with self.assertRaises((IndexError, TypeError, RuntimeError), msg=key):
                self.x[key]
        with self.assertRaises(ValueError):
            self.x[::-1]


class Writing(unittest.TestCase):
    def test_values(self):
        x = torch.zeros(2, 3)
        x[0] = 1
        x[:, 2] = torch.tensor([7.0, 8.0])
        x[1, :2] = [3, 4]
        self.assertEqual(x.tolist(), [[1.0, 1.0, 7.0], [3.0, 4.0, 8.0]])
        x[x == 1] = -1
        x[[1], [0]] = torch.tensor(5.0)
        x[1, 1] = torch.ones(1, 1)
        self.assertEqual(x.tolist(), [[-1.0, -1.0, 7.0], [5.0, 1.0, 8.0]])

    def test_errors_change_nothing(self):
        x = torch.zeros(2, 3)
        for key, value in ((0, [1, 2]), (5, 1), ([0, 9], 1), (0, "text"), ([0], torch.ones(4))):
            with self.assertRaises((IndexError, RuntimeError, TypeError, ValueError)):
                x[key] = value
        with self.assertRaises(TypeError):
            del x[0]
        self.assertEqual(x.tolist(), [[0.0] * 3] * 2)


@unittest.skipUnless(numpy, "NumPy is not there")
class AgainstNumPy(unittest.TestCase):
    """Integers, slices, None and Ellipsis with at most lists of indices next to one another, where NumPy and
    PyTorch agree."""

    def key(self, draw, shape):
        items, dims = [], list(shape)
        lists = draw.choice([0, 0, 0, 1, 2])
        for size in dims[:draw.randint(0, len(dims))]:
            kind = draw.randrange(4 if not lists else 2)
            if kind == 0:
                start, end = draw.randint(-size - 1, size + 1), draw.randint(-size - 1, size + 1)
                items.append(slice(start, end, draw.randint(1, 3)))
            elif kind == 1:
                items.append(slice(None))
            elif kind == 2:
                items.append(draw.randrange(-size, size))
            else:
                items += [None, slice(None)]
        if lists:
            first = sum(i is not None for i in items)
            sizes = dims[first:first + lists]
            items += [[draw.randrange(-n, n) for _ in range(3)] for n in sizes]
        elif draw.random() < 0.4:
            items.insert(draw.randint(0, len(items)), Ellipsis)
        return tuple(items)

    def test_random_keys(self):
        draw = random.Random(3)
        for _ in range(3000):
            shape = [draw.randint(1, 4) for _ in range(draw.randint(1, 4))]
            array = numpy.arange(numpy.prod(shape)).reshape(shape)
            key = self.key(draw, shape)
            try:
                want = array[key]
            except IndexError:
                continue
            x = torch.tensor(array)
            self.assertEqual(x[key].tolist(), want.tolist(), (shape, key))
            value = numpy.arange(want.size).reshape(want.shape) - 100
            array[key], x[key] = value, torch.tensor(value)
            if not any(isinstance(i, list) for i in key):  # of equal indices any value may be the last
                self.assertEqual(x.tolist(), array.tolist(), (shape, key))


if __name__ == "__main__":
    unittest.main()
