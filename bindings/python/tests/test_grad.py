"""Gradients, modules, optimizers and data beyond what the scripts do: errors, and that nothing is kept."""

import copy
import gc
import math
import os
import sys
import tempfile
import unittest

import thaten as torch
import thaten.nn as nn
import thaten.optim as optim
from thaten.utils import data


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0]


class Gradients(unittest.TestCase):
    def test_attributes(self):
        x = torch.ones(2, requires_grad=True)
        y = x * 3
        self.assertEqual((x.requires_grad, x.is_leaf, y.requires_grad, y.is_leaf, x.grad), (True, True, True, False, None))
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [3.0, 3.0])
        x.grad += 1
        self.assertEqual(x.grad.tolist(), [4.0, 4.0])
        x.grad = None
        self.assertIsNone(x.grad)
        self.assertFalse(x.detach().requires_grad or x.data.requires_grad)
        x.data = torch.zeros(2)
        self.assertEqual((x.tolist(), x.requires_grad), ([0.0, 0.0], True))
        self.assertEqual(copy.deepcopy(x).requires_grad, True)

    def test_switches(self):
        x = torch.ones(1, requires_grad=True)

        @torch.no_grad()
        def quiet():
            return x * 2

        @torch.no_grad
        def quieter():
            with torch.enable_grad():
                return (x * 2).requires_grad and not torch.no_grad()(lambda: (x * 2).requires_grad)()

        self.assertFalse(quiet().requires_grad)
        self.assertTrue(quieter())
        with torch.set_grad_enabled(False):
            self.assertFalse(torch.is_grad_enabled())
        with torch.inference_mode():
            self.assertFalse((x * 2).requires_grad)
        self.assertTrue(torch.is_grad_enabled())

    def test_errors(self):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        for wrong in (lambda: y.backward(), lambda: torch.ones(1).backward(), lambda: x.numpy(),
                      lambda: torch.ones(1, dtype=torch.int64).requires_grad_(), lambda: setattr(x, "grad", torch.ones(3)),
                      lambda: setattr(y, "requires_grad", False), lambda: torch.autograd.grad(y.sum(), torch.ones(1)),
                      lambda: torch.ones(2).register_hook(print), lambda: y.sum().backward(torch.ones(3))):
            with self.assertRaises((RuntimeError, TypeError)):
                wrong()
        self.assertIsNone(x.grad)
        z = (x * x).exp()
        z.sum().backward()
        with self.assertRaises(RuntimeError):
            z.sum().backward()

    def test_exceptions_leave_a_pass(self):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, when):
                ctx.when = when
                return [1][when] if when == 1 else x.clone()

            @staticmethod
            def backward(ctx, grad):
                if ctx.when == 2:
                    raise KeyError("here")
                return (grad,) if ctx.when == 3 else (torch.ones(7), None)

        x = torch.ones(2, requires_grad=True)
        for when, error in ((1, IndexError), (2, KeyError), (3, RuntimeError), (4, RuntimeError)):
            with self.assertRaises(error):
                Wrong.apply(x, when).sum().backward()
        x.register_hook(lambda grad: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            x.sum().backward()
        self.assertIsNone(x.grad)
        self.assertEqual((x.detach() + 1).tolist(), [2.0, 2.0])  # no error is left behind

    def test_results_that_no_gradient_reaches(self):
        seen = []

        class Three(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, materializes):
                ctx.set_materialize_grads(materializes)
                signs = a > 0
                ctx.mark_non_differentiable(signs)
                return a * 2, a.sum(), signs

            @staticmethod
            def backward(ctx, *grads):
                seen.append([None if g is None else g.tolist() for g in grads])
                return (torch.zeros(2) if grads[0] is None else grads[0] * 2) + (0 if grads[1] is None else grads[1]), None

        for materializes in (True, False):
            a = torch.tensor([1.0, 2.0], requires_grad=True)
            zeros, zero, signs = ([0.0, 0.0], 0.0, [False, False]) if materializes else (None, None, None)
            x, s, _ = Three.apply(a, materializes)
            x.sum().backward(retain_graph=True)
            (s * 3).backward(retain_graph=True)
            (x.sum() + s).backward()
            self.assertEqual(seen, [[[1.0, 1.0], zero, signs], [zeros, 3.0, signs], [[1.0, 1.0], 1.0, signs]])
            self.assertEqual(a.grad.tolist(), [8.0, 8.0])
            seen.clear()

    def test_casts_of_parameters(self):
        w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)

        def casts():
            y = x.matmul(w), x.matmul(w)
            return len({one.grad_fn.next_functions[1][0] for one in y})

        with torch.autocast("cpu"):
            self.assertEqual(casts(), 1)
            with torch.autocast("cpu", cache_enabled=False):
                self.assertFalse(torch.is_autocast_cache_enabled())
                self.assertEqual(casts(), 2)
            self.assertTrue(torch.is_autocast_cache_enabled())
            self.assertEqual(casts(), 1)
            torch.clear_autocast_cache()

    def test_parameters_that_are_given(self):
        layer, w = nn.Linear(2, 1), torch.ones(1, 2)
        y = torch.func.functional_call(layer, {"weight": w, "bias": torch.zeros(1)}, torch.ones(2))
        self.assertEqual((y.tolist(), y.requires_grad, w.requires_grad, layer.weight.requires_grad), ([2.0], False, False, True))
        for add, remove in ((nn.utils.weight_norm, nn.utils.remove_weight_norm), (nn.utils.spectral_norm, nn.utils.remove_spectral_norm)):
            layer = nn.Linear(2, 1)
            before = add(layer).weight.tolist()
            remove(layer)
            self.assertEqual((sorted(dict(layer.named_parameters())), layer.weight.requires_grad), (["bias", "weight"], True))
            if add is nn.utils.weight_norm:
                self.assertTrue(torch.allclose(layer.weight, torch.tensor(before), atol=1e-6))
            layer(torch.ones(2)).sum().backward()
            self.assertEqual(layer.weight.grad.tolist(), [[1.0, 1.0]])

    def test_rrelu(self):
        """Slopes are drawn where elements are not above 0, and are the gradient there."""
        x = torch.tensor([-1.0, -1.0, 2.0], requires_grad=True)
        y = nn.RReLU(0.25, 0.5)(x)
        y.sum().backward()
        slopes = x.grad.tolist()
        self.assertTrue(all(0.25 <= slope <= 0.5 for slope in slopes[:2]) and slopes[2] == 1)
        self.assertEqual(y.tolist(), [-slopes[0], -slopes[1], 2.0])

    def test_hooks_that_remove_hooks(self):
        class First:
            def __init__(self, text):
                self.text = text

            def __call__(self, grad, *others):
                handles.clear()
                for handle in removed:
                    handle.remove()
                removed.clear()
                self.text += "!"
                return grad * 2 if isinstance(grad, torch.Tensor) else tuple(one * 2 for one in grad)

        x = torch.ones(2, requires_grad=True)
        for add in (lambda y: y.register_hook, lambda y: y.grad_fn.register_prehook, lambda y: y.grad_fn.register_hook):
            y, x.grad, handles = x * 3, None, []
            removed = [add(y)(First("here")), add(y)(lambda *grads: 1 / 0)]
            for expected in (6.0, 9.0):
                y.sum().backward(retain_graph=True)
                self.assertEqual(x.grad.tolist(), [expected] * 2)

    def test_nothing_is_kept(self):
        x = torch.rand(20, requires_grad=True)
        net = nn.Sequential(nn.Linear(20, 5), nn.ReLU(), nn.Linear(5, 1))
        adam = optim.Adam(net.parameters())

        def step():
            adam.zero_grad()
            handle = x.register_hook(lambda grad: grad * 2)
            loss = net(Square.apply(x)).sum() + x.sin().sum()
            loss.backward()
            adam.step()
            handle.remove()
            x.grad = None

        def make():
            module = copy.deepcopy(net)
            module.load_state_dict(net.state_dict())
            optim.lr_scheduler.StepLR(optim.SGD(module.parameters()), 1).step()
            try:
                Square.apply(x).sum().backward(torch.ones(9))
            except RuntimeError:
                pass

        def growth(call, count):
            gc.collect()
            objects, blocks = len(gc.get_objects()), sys.getallocatedblocks()
            for _ in range(count):
                call()
            gc.collect()
            return len(gc.get_objects()) - objects, sys.getallocatedblocks() - blocks

        for call, count in ((step, 300), (make, 100)):
            for _ in range(400):  # until what Python keeps for later no longer grows
                call()
            rounds = [growth(call, count) for _ in range(3)]  # what is lost in each call grows in every round
            self.assertLess(min(objects for objects, _ in rounds), 20)
            self.assertLess(min(blocks for _, blocks in rounds), 100)


class Modules(unittest.TestCase):
    def test_members(self):
        net = nn.Sequential(nn.Conv2d(1, 2, 3, bias=False), nn.BatchNorm2d(2), nn.Linear(4, 3))
        self.assertEqual([n for n, _ in net.named_parameters()], ["0.weight", "1.weight", "1.bias", "2.weight", "2.bias"])
        self.assertEqual(list(net.state_dict())[1:6],
                         ["1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked"])
        self.assertIsNone(net[0].bias)
        self.assertEqual((net[2].in_features, net[0].kernel_size, len(net), net[-1] is net[2]), (4, (3, 3), 3, True))
        self.assertEqual(repr(net).split("\n")[1], "  (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), bias=False)")
        net.eval()
        self.assertFalse(net[1].training)
        self.assertRaises(AttributeError, lambda: net.none)
        net[2].weight = nn.Parameter(torch.zeros(3, 4))
        self.assertEqual((net[2](torch.ones(1, 4)) - net[2].bias).abs().sum().item(), 0.0)
        with self.assertRaises(RuntimeError):
            net[2].weight = nn.Parameter(torch.zeros(4, 4))
        self.assertEqual(net[2].weight.shape, (3, 4))
        layer = nn.TransformerEncoderLayer(8, 2, dropout=0.0)
        self.assertIsInstance(layer.self_attn, nn.MultiheadAttention)
        self.assertEqual(len(list(layer.modules())), 10)
        self.assertEqual(nn.TransformerEncoder(layer, 2)(torch.rand(3, 1, 8)).shape, (3, 1, 8))

    def test_dictionaries(self):
        modules = nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.ReLU()})
        self.assertEqual((list(modules), "b" in modules, list(modules.state_dict())), (["a", "b"], True, ["a.weight", "a.bias"]))
        parameters = nn.ParameterDict({"w": torch.ones(2)})
        parameters["v"] = torch.zeros(1)
        self.assertEqual(list(parameters.keys()), list(parameters.state_dict()))
        for members, name in ((modules, "b"), (parameters, "v")):
            del members[name]
            self.assertEqual(len(members), 1)
            self.assertRaises(KeyError, lambda: members[name])

    def test_several_tensors(self):
        loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0]), label_smoothing=0.0)
        self.assertAlmostEqual(loss(torch.zeros(2, 2), torch.tensor([0, 1])).item(), math.log(2), delta=1e-6)
        self.assertEqual((loss.reduction, list(loss.state_dict()), repr(loss)), ("mean", ["weight"], "CrossEntropyLoss()"))
        self.assertEqual(nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape, (5, 4))
        y, indices = nn.functional.max_pool2d(torch.rand(1, 4, 6), 2, return_indices=True)
        self.assertEqual(nn.MaxUnpool2d(2)(y, indices, output_size=(5, 6)).shape, (1, 5, 6))
        adaptive = nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0)
        made = adaptive(torch.rand(3, 4), torch.tensor([0, 5, 8]))
        self.assertAlmostEqual(made.loss.item(), -made.output.mean().item(), delta=1e-6)
        self.assertEqual(adaptive.predict(torch.rand(3, 4)).shape, (3,))
        near = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1), margin=0.5)
        self.assertEqual(near(torch.zeros(2, 3), torch.ones(2, 3), torch.zeros(2, 3)).item(), 3.5)
        net = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0)
        mask = net.generate_square_subsequent_mask(4)
        self.assertEqual(net(torch.rand(3, 1, 8), torch.rand(4, 1, 8), tgt_mask=mask).shape, (4, 1, 8))
        with self.assertRaisesRegex(TypeError, r"takes \(input, target\)"):
            loss(torch.zeros(2, 2))

    def test_lazy(self):
        self.assertEqual(nn.Conv2d(1, 2, 3, padding="same")(torch.rand(1, 1, 4, 5)).shape, (1, 2, 4, 5))
        net = nn.Sequential(nn.LazyConv2d(3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
        self.assertEqual(list(net.parameters()), [])
        self.assertEqual(net(torch.rand(2, 4, 3, 3)).shape, (2, 2))
        self.assertEqual(type(net[3]).__name__, "Linear")
        self.assertEqual([p.shape for p in net.parameters()], [(3, 4, 2, 2), (3,), (2, 12), (2,)])

    def test_ties_and_types(self):
        a, b = nn.Linear(3, 3), nn.Linear(3, 3)
        b.weight = a.weight
        net = nn.ModuleList([a, b]).double()
        self.assertIs(a.weight, b.weight)
        self.assertEqual((len(list(net.parameters())), a.weight.dtype), (3, torch.float64))
        with torch.no_grad():
            a.weight.fill_(2.0)
        b.bias.data = torch.zeros(3)
        self.assertEqual(b(torch.ones(1, 3).double()).tolist(), [[6.0] * 3])
        both = copy.deepcopy(a)
        both.weight.data = torch.zeros(3, 3)
        self.assertEqual(a.weight.sum().item(), 18.0)

    def test_states(self):
        net = nn.LSTM(2, 3, 1)
        wrong = {**net.state_dict(), "bias_hh_l0": torch.zeros(5)}
        before = net.weight_ih_l0.tolist()
        wrong["weight_ih_l0"] = torch.zeros(12, 2)
        with self.assertRaises(RuntimeError):
            net.load_state_dict(wrong)
        with self.assertRaises(RuntimeError):
            net.load_state_dict({"more": torch.ones(1)})
        self.assertEqual(net.weight_ih_l0.tolist(), before)
        self.assertEqual(net.load_state_dict({"more": torch.ones(1)}, strict=False).unexpected_keys, ["more"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.pt")
            torch.save({"epoch": 3, "name": "x", "rates": [0.5, None], "net": net.state_dict()}, path)
            loaded = torch.load(path)
            self.assertEqual((loaded["epoch"], loaded["name"], loaded["rates"]), (3, "x", [0.5, None]))
            self.assertEqual(loaded["net"]["weight_ih_l0"].tolist(), before)

    def test_hooks_and_errors(self):
        net, seen = nn.Linear(2, 2), []
        handle = net.register_forward_hook(lambda module, args, result: seen.append(result.shape))
        net(torch.ones(3, 2))
        handle.remove()
        net(torch.ones(3, 2))
        self.assertEqual(seen, [(3, 2)])
        for wrong in (lambda: nn.Linear(-1, 2), lambda: nn.Linear("a", 2), lambda: nn.Conv2d(3, 4, 3, groups=2),
                      lambda: nn.Embedding(2, 2, sparse=True), lambda: net(torch.ones(3)), lambda: net(5),
                      lambda: nn.Module()(1), lambda: nn.Dropout(2.0), lambda: nn.LayerNorm(list(range(30)))):
            with self.assertRaises((RuntimeError, TypeError, NotImplementedError)):
                wrong()


class InferenceMode(unittest.TestCase):
    def test_nests(self):
        is_on, w = torch.is_inference_mode_enabled, torch.ones(2, requires_grad=True)

        @torch.inference_mode()
        def inside():
            return is_on(), (w * 2).requires_grad

        with torch.inference_mode():
            self.assertEqual((is_on(), torch.is_grad_enabled(), (w * 2).requires_grad), (True, False, False))
            with torch.inference_mode(False):
                self.assertEqual((is_on(), torch.is_grad_enabled()), (False, True))
            self.assertTrue(is_on())
        self.assertEqual((is_on(), torch.is_grad_enabled()), (False, True))
        self.assertEqual((inside(), torch.inference_mode(is_on)(), is_on()), ((True, False), True, False))
        with self.assertRaises(KeyError), torch.inference_mode():
            raise KeyError
        self.assertFalse(is_on())


class Optimizers(unittest.TestCase):
    def test_groups(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        sgd = optim.SGD([{"params": [a], "lr": 0.5}, {"params": [b], "momentum": 0.9}], lr=0.1)
        self.assertEqual([(g["lr"], g["momentum"]) for g in sgd.param_groups], [(0.5, 0.0), (0.1, 0.9)])
        adam = optim.Adam([a], betas=(0.8, 0.9))
        adam.param_groups[0]["betas"] = (0.7, 0.9)
        self.assertEqual(adam.param_groups[0]["betas"], (0.7, 0.9))
        for wrong in (lambda: optim.SGD([]), lambda: optim.SGD([a, a]),
                      lambda: optim.Adam([a], lr=-1.0), lambda: optim.SGD(a), lambda: sgd.param_groups[0].__setitem__("lr", -1.0)):
            with self.assertRaises((RuntimeError, TypeError, ValueError)):
                wrong()
        self.assertEqual(sgd.param_groups[0]["lr"], 0.5)

    def test_closures(self):
        x = nn.Parameter(torch.tensor([3.0, -2.0]))
        lbfgs = optim.LBFGS([x], line_search_fn="strong_wolfe")

        def closure():
            lbfgs.zero_grad()
            loss = ((x - 1) ** 2).sum()
            loss.backward()
            return loss

        self.assertEqual(lbfgs.step(closure).item(), 13.0)
        self.assertLess((x.detach() - 1).abs().max().item(), 1e-5)
        with self.assertRaises(ZeroDivisionError):
            lbfgs.step(lambda: 1 / 0)

    def test_batches(self):
        samples = data.TensorDataset(torch.arange(7), torch.arange(7) * 2)
        for last, count in ((False, 3), (True, 2)):
            loader = data.DataLoader(samples, batch_size=3, shuffle=True, drop_last=last)
            batches = list(loader)
            self.assertEqual((len(batches), len(loader)), (count, count))
            self.assertTrue(all((2 * x == y).all() for x, y in batches))
        self.assertEqual([len(s) for s in data.random_split(samples, [0.5, 0.5])], [4, 3])
        self.assertRaises(ValueError, data.random_split, samples, [2, 3])

    def test_schedule_states(self):
        """A schedule that is resumed knows the best metric: the rate falls at once."""
        def made():
            optimizer = torch.optim.SGD([torch.ones(1).requires_grad_()], lr=0.1)
            return optimizer, torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)

        optimizer, schedule = made()
        for _ in range(3):
            schedule.step(1.0)
        state = schedule.state_dict()
        self.assertEqual((state["best"], state["last_epoch"], state["num_bad_epochs"]), (1.0, 3, 0))
        again, resumed = made()
        again.load_state_dict(optimizer.state_dict())
        resumed.load_state_dict(state)
        self.assertAlmostEqual(again.param_groups[0]["lr"], 1e-3)
        resumed.step(1.0)
        self.assertAlmostEqual(again.param_groups[0]["lr"], 1e-4)


if __name__ == "__main__":
    unittest.main()
