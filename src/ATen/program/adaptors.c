/* Where PyTorch's operations and ours differ: one line each.  All others have the same names. */
#include "Program.h"

static const at_adaptor adaptors[] = {
    /* Other names. */
    {"aten.detach.default", "alias"},
    {"aten.detach_.default", "alias"},
    {"aten.lift_fresh.default", "alias"},
    {"aten.lift_fresh_copy.default", "clone"},
    {"aten.detach_copy.default", "clone"},
    {"aten.alias_copy.default", "clone"},
    {"aten._softmax.default", "softmax", "half_to_float="},
    {"aten._log_softmax.default", "log_softmax", "half_to_float="},
    {"aten._unsafe_index.Tensor", "index"},
    {"aten._unsafe_view.default", "reshape", .overload = ""},
    {"aten.pow.Scalar", "pow", "self=base exponent=self"},
    {"aten.complex.default", "complex", "real=re imag=im"},
    {"aten.stft.default", "_stft_frames", "align_to_window="},
    {"aten.swapaxes.default", "transpose", "axis0=dim0 axis1=dim1"},
    {"aten._is_all_true.default", "all"},
    {"aten._is_any_true.default", "any"},
    /* Of other libraries. */
    {"transformers.grouped_mm_fallback.default", "_grouped_mm", "input=self weight=mat2"},
    /* Sizes and other numbers. */
    {"aten.sym_size.int", .compute = at_computeSize},
    {"aten.sym_stride.int", .compute = at_computeStride},
    {"aten.sym_numel.default", .compute = at_computeNumel},
    {"aten.sym_storage_offset.default", .compute = at_computeOffset},
    {"aten.item.default", .compute = at_computeItem},
    {"aten._local_scalar_dense.default", .compute = at_computeItem},
    {"aten.scalar_tensor.default", .compute = at_computeScalarTensor},
    /* Checks. */
    {"aten._assert_scalar.default", .compute = at_computeAssert},
    {"aten._assert_async.default", .compute = at_computeAssert},
    {"aten._assert_async.msg", .compute = at_computeAssert},
    {"aten._assert_tensor_metadata.default", .compute = at_computeMetadata},
    {"aten.sym_constrain_range.default", .compute = at_computeNothing},
    {"aten.sym_constrain_range_for_size.default", .compute = at_computeNothing},
    /* Conversions. */
    {"aten.to.dtype", .compute = at_computeTo},
    {"aten.to.device", .compute = at_computeTo},
    {"aten.to.dtype_layout", .compute = at_computeTo},
    {"aten.to.other", .compute = at_computeTo},
    {"aten._to_copy.default", .compute = at_computeTo},
    {"aten.full.default", .compute = at_computeNew},
    {"aten.new_zeros.default", .compute = at_computeNew},
    {"aten.new_ones.default", .compute = at_computeNew},
    {"aten.new_full.default", .compute = at_computeNew},
    {"aten.new_empty.default", .compute = at_computeNew},
    {"aten.empty_permuted.default", .compute = at_computeNew},
    /* What does nothing outside of training. */
    {"aten.dropout.default", .compute = at_computeSame},
    {"aten.dropout_.default", .compute = at_computeSame},
    {"aten.feature_dropout.default", .compute = at_computeSame},
    {"aten.alpha_dropout.default", .compute = at_computeSame},
    /* Nested graphs. */
    {"higher_order.wrap_with_set_grad_enabled", .compute = at_computeWrapped},
    {"higher_order.wrap_with_autocast", .compute = at_computeWrapped},
    {"higher_order.cond", .compute = at_computeCond},
    {"higher_order.while_loop", .compute = at_computeWhile},
    {"higher_order.map_impl", .compute = at_computeMap},
};

const at_adaptor *at_adaptorOf(const char *target)
{
  for (size_t i = 0; i < sizeof adaptors / sizeof *adaptors; i++)
    if (!strcmp(adaptors[i].target, target))
      return &adaptors[i];
  return NULL;
}
