"""Functions of layers with the arguments of torch.nn.functional, as far as operations are there for them."""

from .. import _C
from .._C import (adaptive_avg_pool1d, avg_pool1d, avg_pool2d, avg_pool3d, bilinear, conv1d, conv2d, conv3d, conv_tbc, conv_transpose1d, conv_transpose2d, conv_transpose3d,
                  pairwise_distance, pixel_shuffle, pixel_unshuffle, prelu)  # noqa: F401

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def _reduction(word):
    if word not in _REDUCTIONS:
        raise ValueError("%r is not a reduction: none, mean or sum" % (word,))
    return _REDUCTIONS[word]


# --- activations ------------------------------------------------------------------------------------------


def _activation(name):
    """A function of one tensor that may change its input."""
    function, changing = getattr(_C, name), getattr(_C, name + "_", None)

    def activation(input, *args, inplace=False, **kwargs):
        return (changing if inplace else function)(input, *args, **kwargs)

    activation.__name__, activation.__doc__ = name, function.__doc__
    return activation


relu, relu6, elu, selu, celu, silu, mish, hardswish, hardsigmoid, leaky_relu, threshold = map(
    _activation, ("relu", "relu6", "elu", "selu", "celu", "silu", "mish", "hardswish", "hardsigmoid", "leaky_relu",
                  "threshold"))
sigmoid, tanh = _C.sigmoid, _C.tanh


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_C.hardtanh_ if inplace else _C.hardtanh)(input, min_val, max_val)


relu_, elu_, selu_, celu_, hardtanh_, leaky_relu_, threshold_ = (
    _C.relu_, _C.elu_, _C.selu_, _C.celu_, _C.hardtanh_, _C.leaky_relu_, _C.threshold_)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A draw of the classes of logits, by the softmax of logits with Gumbel noise; with hard one class, with the gradient
    of the softmax."""
    noise = -_C.log(_C.exponential_(_C.empty_like(logits)))
    soft = _C.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    one = _C.scatter(_C.zeros_like(logits), dim, _C.argmax(soft, dim, keepdim=True), 1.0)
    return one - soft.detach() + soft


def gelu(input, approximate="none"):
    return _C.gelu(input, approximate=approximate)


def glu(input, dim=-1):
    return _C.glu(input, dim=dim)


def logsigmoid(input):
    return _C.log_sigmoid(input)


def softplus(input, beta=1, threshold=20):
    return _C.softplus(input, beta=beta, threshold=threshold)


def hardshrink(input, lambd=0.5):
    return _C.hardshrink(input, lambd=lambd)


def softshrink(input, lambd=0.5):
    return _C.softshrink(input, lambd=lambd)


softsign, tanhshrink = _C.softsign, _C.tanhshrink


def _class_dim(input, dim):
    """The dimension of classes where none is given, as it was before there was the argument."""
    return (0 if input.dim() in (0, 1, 3) else 1) if dim is None else dim


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _C.softmax(input, _class_dim(input, dim), dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _C.log_softmax(input, _class_dim(input, dim), dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(_C.neg(input), dim, dtype=dtype)


# --- linear maps, normalization, embeddings -----------------------------------------------------------------


def linear(input, weight, bias=None):
    return _C.linear(input, weight, bias=bias)


def dropout(input, p=0.5, training=True, inplace=False):
    return (_C.dropout_ if inplace else _C.dropout)(input, p, training)


def _channels_dropped(input, p, training, has_batch):
    """Dropout of whole channels, the second dimension."""
    if has_batch:
        return _C.feature_dropout(input, p, training)
    return _C.squeeze(_C.feature_dropout(_C.unsqueeze(input, 0), p, training), 0)


def dropout1d(input, p=0.5, training=True, inplace=False):
    return _channels_dropped(input, p, training, input.dim() == 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    return _channels_dropped(input, p, training, True)  # as in PyTorch, which takes N x C x L


def dropout3d(input, p=0.5, training=True, inplace=False):
    return _channels_dropped(input, p, training, input.dim() == 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _C.alpha_dropout(input, p, training)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _C.feature_alpha_dropout(input, p, training)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    return _C.rrelu(input, lower=lower, upper=upper, training=training)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    return input.copy_(_C.rrelu(input, lower=lower, upper=upper, training=training))


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    return _C.local_response_norm(input, size, alpha=alpha, beta=beta, k=k)


def channel_shuffle(input, groups):
    n, c = input.shape[:2]
    rest = list(input.shape[2:])
    parts = _C.transpose(_C.reshape(input, [n, groups, c // groups] + rest), 1, 2)
    return _C.reshape(parts, [n, c] + rest)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    return _C.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
                  eps=1e-05):
    return _C.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    return _C.layer_norm(input, normalized_shape, weight=weight, bias=bias, eps=eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return _C.rms_norm(input, normalized_shape, weight=weight, eps=eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    return _C.group_norm(input, num_groups, weight=weight, bias=bias, eps=eps)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return _C.normalize(input, p=p, dim=dim, eps=eps)


def _padding_index(padding_idx, weight):
    """The row that is skipped, counted from the end where it is negative; -1 for none."""
    return -1 if padding_idx is None else padding_idx + weight.shape[0] * (padding_idx < 0)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        raise NotImplementedError("embedding() has no max_norm: nn.Embedding has it")
    return _C.embedding(weight, input, padding_idx=_padding_index(padding_idx, weight),
                        scale_grad_by_freq=scale_grad_by_freq)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=None):
    if max_norm is not None or sparse:
        raise NotImplementedError("embedding_bag() has no max_norm and no sparse gradients: nn.EmbeddingBag has the first")
    if input.dim() == 2:
        offsets = _C.arange(0, input.numel(), max(input.shape[1], 1)) if input.shape[1] else _C.zeros([input.shape[0]], dtype=_C.int64)
        per_sample_weights = None if per_sample_weights is None else _C.reshape(per_sample_weights, [-1])
        input = _C.reshape(input, [-1])
    return _C.embedding_bag(weight, input, offsets, scale_grad_by_freq=scale_grad_by_freq,
                            mode={"sum": 0, "mean": 1, "max": 2}[mode], per_sample_weights=per_sample_weights,
                            include_last_offset=include_last_offset, padding_idx=_padding_index(padding_idx, weight))[0]


def pdist(input, p=2.0):
    return _C.pdist(input, p=p)


def one_hot(tensor, num_classes=-1):
    return _C.one_hot(tensor, num_classes=num_classes)


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    return _C.cosine_similarity(x1, x2, dim=dim, eps=eps)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """softmax(query * key^T * scale) * value; with dropout_p, weights are left out at random."""
    if dropout_p == 0:
        return _C.scaled_dot_product_attention(query, key, value, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa)
    if enable_gqa:
        key, value = (_C.repeat_interleave(t, query.shape[-3] // t.shape[-3], dim=-3) for t in (key, value))
    scores = _C.mul(_C.matmul(query, _C.transpose(key, -2, -1)), query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = _C.tril(_C.ones(list(scores.shape[-2:]), dtype=_C.bool))
    if attn_mask is not None:
        if attn_mask.dtype == _C.bool:
            scores = _C.masked_fill(scores, _C.logical_not(attn_mask), float("-inf"))
        else:
            scores = _C.add(scores, attn_mask)
    return _C.matmul(_C.dropout(_C.softmax(scores, -1), dropout_p, True), value)


# --- pooling and images ----------------------------------------------------------------------------------------


def _max_pool(operation):
    def pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        output, indices = operation(input, kernel_size, stride, padding, dilation, ceil_mode)
        return (output, indices) if return_indices else output

    return pool


def _output_size(input, output_size, dims):
    """None stands for the input's size."""
    sizes = output_size if isinstance(output_size, (list, tuple)) else [output_size] * dims
    return [n if size is None else size for size, n in zip(sizes, input.shape[-dims:])]


def _adaptive_max_pool(operation, dims):
    def pool(input, output_size, return_indices=False):
        output, indices = operation(input, _output_size(input, output_size, dims))
        return (output, indices) if return_indices else output

    return pool


max_pool1d, max_pool2d, max_pool3d = map(_max_pool, (_C.max_pool1d, _C.max_pool2d, _C.max_pool3d))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(
    _adaptive_max_pool, (_C.adaptive_max_pool1d, _C.adaptive_max_pool2d, _C.adaptive_max_pool3d), (1, 2, 3))


def _with_indices(pool):
    return lambda *args, **kwargs: pool(*args, **{**kwargs, "return_indices": True})


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d))
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d))


def _lp_pool(dims, mean):
    def pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        size = [kernel_size] * dims if isinstance(kernel_size, int) else list(kernel_size)
        out = mean(_C.pow(input, norm_type), size, stride, 0, ceil_mode)
        count = 1
        for n in size:
            count *= n
        return _C.pow(_C.mul(_C.mul(_C.sign(out), _C.relu(_C.abs(out))), count), 1.0 / norm_type)

    pool.__name__, pool.__doc__ = "lp_pool%dd" % dims, "The p-norm of each window, with p = norm_type."
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = map(_lp_pool, (1, 2, 3), (_C.avg_pool1d, _C.avg_pool2d, _C.avg_pool3d))


def _unpool(dims):
    def unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel, step, pad = ([n] * dims if isinstance(n, int) else list(n)
                             for n in (kernel_size, kernel_size if stride is None else stride, padding))
        sizes = list(output_size)[-dims:] if output_size is not None else [
            (n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[-dims:], step, pad, kernel)]
        if dims == 3:
            return _C.max_unpool3d(input, indices, sizes, step, pad)
        if dims == 2:
            return _C.max_unpool2d(input, indices, sizes)
        return _C.squeeze(_C.max_unpool2d(_C.unsqueeze(input, -1), _C.unsqueeze(indices, -1), sizes + [1]), -1)

    unpool.__name__, unpool.__doc__ = "max_unpool%dd" % dims, "The inverse of max_pool%dd, with zeros between the maxima." % dims
    return unpool


max_unpool1d, max_unpool2d, max_unpool3d = map(_unpool, (1, 2, 3))


def _fractional(operation, axes, input, kernel_size, output_size, output_ratio, return_indices, samples):
    """Maxima over windows that are drawn."""
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (list, tuple)) else [output_ratio] * axes
        output_size = [int(n * r) for n, r in zip(input.shape[-axes:], ratios)]
    if samples is None:
        batch = input.shape[0] if input.dim() == axes + 2 else 1
        samples = _C.rand([batch, input.shape[-axes - 1], axes], dtype=input.dtype)
    output, indices = operation(input, kernel_size, output_size, samples)
    return (output, indices) if return_indices else output


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
    return _fractional(_C.fractional_max_pool2d, 2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
    return _fractional(_C.fractional_max_pool3d, 3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def affine_grid(theta, size, align_corners=None):
    """The positions, between -1 and 1, that grid_sample() takes for images or volumes of that size, N x C x ..., moved by
    the matrices theta, N x 2 x 3 or N x 3 x 4."""
    axes = []
    for n in size[2:]:
        axis = _C.linspace(-1, 1, n, dtype=theta.dtype) if n > 1 else _C.zeros(1, dtype=theta.dtype)
        axes.append(axis if align_corners else axis * ((n - 1) / n))
    grid = _C.meshgrid(axes, indexing="ij")
    base = _C.stack([*reversed(grid), _C.ones_like(grid[0])], -1).reshape(1, -1, len(axes) + 1)
    return _C.matmul(base, theta.transpose(1, 2)).reshape(size[0], *size[2:], len(axes))


def adaptive_avg_pool2d(input, output_size):
    return _C.adaptive_avg_pool2d(input, _output_size(input, output_size, 2))


def adaptive_avg_pool3d(input, output_size):
    return _C.adaptive_avg_pool3d(input, _output_size(input, output_size, 3))


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    return _C.im2col(input, *([n, n] if isinstance(n, int) else n for n in (kernel_size, dilation, padding, stride)))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return _C.col2im(input, *([n, n] if isinstance(n, int) else n
                              for n in (output_size, kernel_size, dilation, padding, stride)))


def pad(input, pad, mode="constant", value=None):
    return _C.pad(input, pad, mode=mode, value=value)


_UPSAMPLING = {("nearest", 3): "upsample_nearest1d", ("nearest", 4): "upsample_nearest2d",
               ("nearest", 5): "upsample_nearest3d", ("nearest-exact", 3): "_upsample_nearest_exact1d",
               ("nearest-exact", 4): "_upsample_nearest_exact2d", ("nearest-exact", 5): "_upsample_nearest_exact3d",
               ("linear", 3): "upsample_linear1d", ("bilinear", 4): "upsample_bilinear2d",
               ("trilinear", 5): "upsample_trilinear3d", ("bicubic", 4): "upsample_bicubic2d"}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """input with other sizes behind its first two dimensions."""
    count = input.dim() - 2
    if mode == "area":
        pools = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
        return pools[count](input, size or [int(n * scale_factor) for n in input.shape[2:]])
    name = _UPSAMPLING.get((mode, input.dim()))
    if name is None:
        raise NotImplementedError("interpolate() has no mode %r for %d dimensions" % (mode, input.dim()))
    if antialias:
        name = {"bilinear": "_upsample_bilinear2d_aa", "bicubic": "_upsample_bicubic2d_aa"}[mode]
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate() takes either size or scale_factor")
    if scale_factor is not None:
        factors = [float(f) for f in (scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * count)]
        size = [int(n * f) for n, f in zip(input.shape[2:], factors)]
        if recompute_scale_factor:
            factors = []
    else:
        size = list(size) if isinstance(size, (list, tuple)) else [size] * count
        factors = []
    scales = dict(zip({1: ["scales"], 2: ["scales_h", "scales_w"], 3: ["scales_d", "scales_h", "scales_w"]}[count], factors))
    if mode.startswith("nearest"):
        return getattr(_C, name)(input, size, **scales)
    return getattr(_C, name)(input, size, bool(align_corners), **scales)


def upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode=mode, align_corners=align_corners)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    modes, paddings = {"bilinear": 0, "nearest": 1, "bicubic": 2}, {"zeros": 0, "border": 1, "reflection": 2}
    if mode not in modes or padding_mode not in paddings:
        raise ValueError("grid_sample() has no mode %r with the padding mode %r" % (mode, padding_mode))
    sampler = _C.grid_sampler_2d if input.dim() == 4 else _C.grid_sampler_3d
    return sampler(input, grid, modes[mode], paddings[padding_mode], bool(align_corners))


# --- losses -----------------------------------------------------------------------------------------------------


def _loss(operation):
    def loss(input, target, size_average=None, reduce=None, reduction="mean", **options):
        return operation(input, target, reduction=_reduction(reduction), **options)

    loss.__doc__ = operation.__doc__
    return loss


mse_loss, l1_loss, soft_margin_loss, smooth_l1_loss, huber_loss, hinge_embedding_loss = map(
    _loss, (_C.mse_loss, _C.l1_loss, _C.soft_margin_loss, _C.smooth_l1_loss, _C.huber_loss, _C.hinge_embedding_loss))


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Kullback and Leibler's divergence; batchmean is the sum by the size of the first dimension."""
    is_batch_mean = reduction == "batchmean"
    loss = _C.kl_div(input, target, reduction=_reduction("sum" if is_batch_mean else reduction), log_target=log_target)
    return _C.div(loss, input.shape[0]) if is_batch_mean and input.dim() > 0 else loss


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _C.nll_loss_nd(input, target, weight=weight, ignore_index=ignore_index, reduction=_reduction(reduction))


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    return _C.cross_entropy_loss(input, target, weight=weight, ignore_index=ignore_index,
                                 reduction=_reduction(reduction), label_smoothing=label_smoothing)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None,
                         label_smoothing=0.0, options=None):
    """The cross entropy of linear(input, linear_weight), whose rows are classes (and more dimensions of the target).  options
    says how PyTorch divides the work, which does not change the result."""
    classes, inputs = list(linear_weight.shape[:-1]), linear_weight.shape[-1]
    if ignore_index is not None and target.is_floating_point():
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(classes) > 1 and input.dim() < 2:
        raise RuntimeError("a loss of %d dimensions takes a batch of inputs, and not one of shape %s" % (len(classes), tuple(input.shape)))
    bias = None if linear_bias is None else _C.reshape(linear_bias, [-1])
    logits = _C.linear(input, _C.reshape(linear_weight, [-1, inputs]), bias=bias)
    return cross_entropy(_C.reshape(logits, list(input.shape[:-1]) + classes), target, weight=weight, reduction=reduction,
                         ignore_index=-100 if ignore_index is None else ignore_index, label_smoothing=label_smoothing)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    return _C.binary_cross_entropy(input, target, weight=weight, reduction=_reduction(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    return _C.binary_cross_entropy_with_logits(input, target, weight=weight, pos_weight=pos_weight,
                                               reduction=_reduction(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction="mean"):
    var = var if hasattr(var, "dim") else _C.full_like(input, var)
    return _C.gaussian_nll_loss(input, target, var, full=full, eps=eps, reduction=_reduction(reduction))


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None,
                     reduction="mean"):
    return _C.poisson_nll_loss(input, target, log_input, full, eps, _reduction(reduction))


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    return _C.margin_ranking_loss(input1, input2, target, margin=margin, reduction=_reduction(reduction))


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    return _C.cosine_embedding_loss(input1, input2, target, margin=margin, reduction=_reduction(reduction))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    return _C.triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap,
                                  reduction=_reduction(reduction))


def _reduced(loss, reduction):
    return {1: _C.mean, 2: _C.sum}.get(_reduction(reduction), lambda one: one)(loss)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    return _C.multi_margin_loss(input, target, p=p, margin=margin, weight=weight, size_average=reduction == "mean",
                                reduce=_reduction(reduction) != 0)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _C.multilabel_margin_loss(input, target, size_average=reduction == "mean", reduce=_reduction(reduction) != 0)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    return _C.multilabel_soft_margin_loss(input, target, weight=weight, reduction=_reduction(reduction))


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Connectionist temporal classification: log_probs T x N x C, targets N x S or one behind the other."""
    return _C.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=blank, reduction=_reduction(reduction),
                       zero_infinity=zero_infinity)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """triplet_margin_loss() with a distance of one's own."""
    if margin <= 0:
        raise ValueError("margin must be greater than 0, got %r" % margin)
    distance = distance_function or pairwise_distance
    far = distance(anchor, negative)
    if swap:
        far = _C.minimum(far, distance(positive, negative))
    return _reduced(_C.clamp(_C.add(_C.sub(distance(anchor, positive), far), margin), min=0), reduction)


from .attention.heads import multi_head_attention_forward  # noqa: E402, F401
