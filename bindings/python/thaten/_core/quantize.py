"""Numbers rounded as an integer type would hold them, for training with that in view."""

from .. import _C


class _FakeQuantize:
    """Numbers rounded to multiples of a scale as an integer type would hold them; the gradient passes where nothing was cut."""

    function = None

    @classmethod
    def apply(cls, *args):
        if cls.function is None:
            from ..autograd import Function

            def forward(ctx, x, scale, zero, low, high):
                steps = _C.round(x * (1 / scale) + zero)
                ctx.save_for_backward((steps >= low) & (steps <= high))
                return (steps.clamp(low, high) - zero) * scale

            def backward(ctx, grad):
                return (grad * ctx.saved_tensors[0], None, None, None, None)

            cls.function = type("FakeQuantize", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
        return cls.function.apply(*args)


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """(clamp(round(x / scale + zero_point), quant_min, quant_max) - zero_point) * scale."""
    if quant_min > quant_max:
        raise ValueError("fake_quantize_per_tensor_affine(): quant_min %d is above quant_max %d" % (quant_min, quant_max))
    return _FakeQuantize.apply(input, scale, zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """The same with a scale and a zero point for each index of axis."""
    if scale.shape != (input.shape[axis],) or zero_point.shape != scale.shape:
        raise RuntimeError("fake_quantize_per_channel_affine(): scale is of %s, zero_point of %s, and the axis of size %d" % (
            tuple(scale.shape), tuple(zero_point.shape), input.shape[axis]))
    shape = [-1 if i == axis % input.dim() else 1 for i in range(input.dim())]
    return _FakeQuantize.apply(input, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


__all__ = ["fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine"]
