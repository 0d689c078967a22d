"""Memory shared with others: buffers, NumPy, DLPack; files; programs."""

import array
import gc
import io
import os
import tempfile
import unittest

import cases
import thaten as torch

try:
    import numpy
except ImportError:
    numpy = None
PROGRAMS = os.path.join(cases.GOLDEN, "programs")


class Buffers(unittest.TestCase):
    def test_a_tensor_as_a_buffer(self):
        x = torch.arange(6, dtype=torch.int32).reshape(2, 3)
        view = memoryview(x)
        self.assertEqual((view.format, view.shape, view.strides, view.tolist()), ("i", (2, 3), (12, 4), [[0, 1, 2], [3, 4, 5]]))
        view[1, 1] = 40
        self.assertEqual(x[1, 1].item(), 40)
        self.assertEqual(memoryview(x.t()).strides, (4, 12))
        self.assertRaises(BufferError, memoryview, x.bfloat16())

    def test_memory_stays_where_it_is_while_a_buffer_shows_it(self):
        x = torch.zeros(4)
        view = memoryview(x)
        with self.assertRaises(RuntimeError):
            x.resize_(10**6)
        del x
        gc.collect()
        self.assertEqual(view.tolist(), [0.0] * 4)

    def test_a_buffer_as_a_tensor(self):
        numbers = array.array("d", [1.0, 2.0, 3.0])
        x = torch.from_numpy(numbers)
        x[0] = 7
        self.assertEqual((numbers[0], x.dtype), (7.0, torch.float64))
        self.assertRaises(BufferError, numbers.append, 4.0)
        del x
        numbers.append(4.0)
        self.assertEqual(torch.tensor(numbers).tolist(), [7.0, 2.0, 3.0, 4.0])
        self.assertRaises(BufferError, torch.from_numpy, b"bytes")
        self.assertRaises(TypeError, torch.tensor, memoryview(b"ab").cast("c"))


class DLPack(unittest.TestCase):
    def test_round_trips(self):
        for dtype in (torch.float32, torch.float64, torch.int8, torch.uint8, torch.int64, torch.bool, torch.bfloat16):
            x = torch.tensor([[1, 0, 3], [4, 5, 6]]).to(dtype).t()
            y = torch.from_dlpack(x)
            self.assertEqual((y.tolist(), y.dtype, y.stride()), (x.tolist(), dtype, x.stride()))
            y[0, 0] = 0
            self.assertFalse(x[0, 0])

    def test_capsules(self):
        x = torch.ones(3)
        for version in (None, (1, 0)):
            capsule = x.__dlpack__(max_version=version)
            y = torch.from_dlpack(capsule)
            self.assertRaises(TypeError, torch.from_dlpack, capsule)  # it was taken
            del capsule
            self.assertEqual(y.tolist(), [1.0] * 3)
        del x, y
        torch.zeros(2).__dlpack__()  # and never taken
        self.assertEqual(torch.ones(1).__dlpack_device__(), (1, 0))
        self.assertRaises((TypeError, AttributeError), torch.from_dlpack, 5)


@unittest.skipUnless(numpy, "NumPy is not there")
class NumPy(unittest.TestCase):
    def test_arrays(self):
        for name in ("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "bool"):
            a = numpy.array([[1, 0], [2, 3]]).astype(name)
            shared = [torch.from_numpy(a), torch.tensor(a), torch.as_tensor(a)]
            if name != "bool":  # which NumPy's DLPack has since version 1.25 only
                shared.append(torch.from_dlpack(a))
            for x in shared:
                self.assertEqual((repr(x.dtype), x.tolist()), ("torch." + name, a.tolist()))
                self.assertEqual((x.numpy().dtype, x.numpy().tolist()), (a.dtype, a.tolist()))
            self.assertEqual(torch.tensor(a[:, 1]).tolist(), a[:, 1].tolist())

    def test_shared_or_copied(self):
        a = numpy.zeros(3, dtype=numpy.float32)
        shared, copied = torch.from_numpy(a), torch.tensor(a)
        a[0] = 1
        shared.numpy()[1] = 2
        self.assertEqual((a.tolist(), copied.tolist()), ([1.0, 2.0, 0.0], [0.0] * 3))
        a.flags.writeable = False
        self.assertRaises((ValueError, BufferError), torch.from_numpy, a)
        self.assertEqual(torch.tensor(a).tolist(), [1.0, 2.0, 0.0])

    def test_functions_of_numpy(self):
        x = torch.tensor([3.0, 4.0])
        self.assertEqual(numpy.hypot(x, x).dtype, torch.float32)
        self.assertEqual(float(numpy.linalg.norm(x)), 5.0)
        self.assertEqual(numpy.asarray(x, dtype="int64").tolist(), [3, 4])
        self.assertEqual((x * numpy.float32(2)).tolist(), [6.0, 8.0])
        self.assertEqual(torch.tensor([numpy.float64(1.5), numpy.int64(2)]).tolist(), [1.5, 2.0])

    def test_others(self):
        self.assertRaises(TypeError, torch.tensor, numpy.array(["a"]))
        self.assertRaises(TypeError, torch.from_numpy, numpy.zeros(2, dtype=numpy.longdouble))

    def test_further(self):
        for dtype in (numpy.complex64, numpy.complex128, numpy.uint16, numpy.uint32, numpy.uint64):
            array = numpy.array([1, 2, 3]).astype(dtype)
            if array.dtype.kind == "c":
                array = array * dtype(1 + 2j)
            t = torch.from_numpy(array)
            self.assertEqual(t.tolist(), array.tolist())
            self.assertEqual(t[1].item(), array[1].item())
            self.assertEqual(numpy.asarray(t).dtype, array.dtype)
        z = torch.tensor([1 + 2j, 3])
        self.assertEqual((z.dtype, z.tolist()), (torch.complex64, [1 + 2j, 3 + 0j]))
        self.assertTrue(z.dtype.is_complex and not z.dtype.is_floating_point)


class Files(unittest.TestCase):
    def test_round_trips(self):
        tensors = {"w": torch.rand(2, 3), "n": torch.tensor([1, 2]), "h": torch.ones(2).half()}
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("pt", "safetensors", "npz"):
                path = os.path.join(folder, "all." + ending)
                torch.save(tensors, path)
                loaded = torch.load(path)
                self.assertEqual(set(loaded), set(tensors))
                for name, t in tensors.items():
                    self.assertEqual((loaded[name].tolist(), loaded[name].dtype), (t.tolist(), t.dtype))
            torch.save(torch.ones(2), os.path.join(folder, "one.npy"))
            self.assertEqual(torch.load(os.path.join(folder, "one.npy")).tolist(), [1.0, 1.0])

    def test_worker_ends(self):
        import thaten.utils.data

        class Ending(thaten.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return os._exit(1) if i == 3 else i

        loader = thaten.utils.data.DataLoader(Ending(), num_workers=2, multiprocessing_context="fork")
        with self.assertRaisesRegex(RuntimeError, "exited unexpectedly"):
            list(loader)

    def test_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertRaises(FileNotFoundError, torch.load, os.path.join(folder, "none.pt"))
            self.assertRaises(TypeError, torch.save, {"a": 1}, os.path.join(folder, "a.npz"))
            self.assertEqual(os.listdir(folder), [])

    def test_other_places(self):
        """Files of any name, and those that are open, are PyTorch's."""
        with tempfile.TemporaryDirectory() as folder:
            torch.save({"a": torch.ones(2)}, os.path.join(folder, "a.unknown"))
            self.assertEqual(torch.load(os.path.join(folder, "a.unknown"))["a"].tolist(), [1.0, 1.0])
        file = io.BytesIO()
        torch.save([torch.arange(3), "x", {"n": 2}], file)
        file.seek(0)
        loaded = torch.load(file)
        self.assertEqual((loaded[0].tolist(), loaded[1:]), ([0, 1, 2], ["x", {"n": 2}]))

    def test_event_files(self):
        from thaten.utils.tensorboard import SummaryWriter

        with tempfile.TemporaryDirectory() as folder:
            with SummaryWriter(os.path.join(folder, "runs", "a")) as writer:
                writer.add_scalar("loss/train", torch.tensor(0.5), 3)
                writer.add_histogram("weights", torch.arange(5.0))
                writer.add_image("picture", torch.rand(4, 5, 3), 1, dataformats="HWC")
                writer.add_text("note", "a text")
                self.assertRaises(ValueError, writer.add_image, "picture", torch.rand(3, 4, 5), dataformats="WHC")
                self.assertRaises(RuntimeError, writer.add_image, "picture", torch.rand(2, 4, 5))
            self.assertRaises(ValueError, writer.add_scalar, "loss/train", 1)
            (name,) = os.listdir(writer.get_logdir())
            with open(os.path.join(writer.get_logdir(), name), "rb") as file:
                written = file.read()
            for text in (b"loss/train", b"weights", b"picture", b"note", b"a text", b"PNG"):
                self.assertIn(text, written)

    def test_what_pytorch_wrote(self):
        folder = os.path.join(cases.GOLDEN, "files")
        loaded = 0
        for name in sorted(os.listdir(folder)):
            try:
                torch.load(os.path.join(folder, name), skip=True)
                loaded += 1
            except RuntimeError:
                pass
        self.assertGreater(loaded, 10)


class Programs(unittest.TestCase):
    def check(self, name):
        data = torch.load(os.path.join(PROGRAMS, name + ".npz"))

        def numbered(word):
            return [data[n] for n in sorted((n for n in data if n.startswith(word)), key=lambda n: int(n[len(word):]))]

        program = torch.export.load(os.path.join(PROGRAMS, name + ".pt2"))
        torch.manual_seed(3)  # of the one that draws
        results = program.module()(*numbered("input"))
        results = results if isinstance(results, tuple) else (results,)
        got = [r for r in results if r is not None]
        for mine, want in zip(got, numbered("output"), strict=True):
            self.assertTrue(torch.allclose(mine.double(), want.double(), rtol=1e-4, atol=1e-4), name)

    def test_programs(self):
        names = sorted(f[:-4] for f in os.listdir(PROGRAMS) if f.endswith(".pt2"))
        self.assertGreater(len(names), 10)
        for name in names:
            if name != "own" and not name.startswith("accumulated"):  # they call operations of their own
                with self.subTest(program=name):
                    self.check(name)

    def test_lists(self):
        """Inputs and outputs that are lists, or missing; the values are those that wrote the file."""
        data = torch.load(os.path.join(PROGRAMS, "onnx", "listed.npz"))
        program = torch.export.load(os.path.join(PROGRAMS, "onnx", "listed.onnx"))

        def stored(word, i):
            return [data[n] for n in sorted(data) if n.startswith("%s%d." % (word, i))]

        parts, others, x, rest = stored("input", 0), stored("input", 1), stored("input", 2)[0], stored("input", 3)
        for results in (program(parts, others, x, rest), program(parts, rest=tuple(rest), x=x, others=others)):
            self.assertEqual([isinstance(r, list) for r in results], [True, True, True, False, True, False])
            for i, result in enumerate(results):
                wanted = stored("output", i)
                result = result if isinstance(result, list) else [result]
                self.assertTrue(all(torch.equal(a, b) for a, b in zip(result, wanted, strict=True)), i)
        for missing in ({}, {"x": None, "rest": None}):
            results = program([torch.ones(1), torch.ones(2)], [torch.zeros(1), torch.ones(1)], **missing)
            self.assertIsNone(results[3])
            self.assertEqual((len(results[0]), results[4], results[5].item()), (2, [], 0))
        self.assertEqual(program([], [])[0], [])
        self.assertRaisesRegex(TypeError, "named", program, parts, others, ys=x)
        self.assertRaisesRegex(TypeError, "given twice", program, parts, others, parts=parts)
        self.assertRaisesRegex(TypeError, "no tensor", program, parts, others, "text")
        self.assertRaisesRegex(RuntimeError, "is a list of 2 tensors", program, parts, others, [x, x])
        self.assertRaisesRegex(TypeError, "is NULL", program, parts)

    def test_what_is_in_it(self):
        program = torch.export.load(os.path.join(PROGRAMS, "tiny.pt2"))
        self.assertGreater(len(program.inputs), 0)
        self.assertGreater(len(program.outputs), 0)
        self.assertTrue(str(program))
        self.assertTrue(all(isinstance(t, torch.Tensor) for t in program.state_dict().values()))
        self.assertRaises(RuntimeError, program)
        self.assertRaises(TypeError, program, "text")
        self.assertRaises(RuntimeError, torch.export.load, os.path.join(PROGRAMS, "tiny.npz"))


if __name__ == "__main__":
    unittest.main()
