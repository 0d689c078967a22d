/* pooling.c includes this for each number N of axes: the calls of layers whose results, or operands,
 * are maxima and their indices. */
#define OF_AXES(BEFORE, AFTER) TH_CONCAT_3(BEFORE, N, AFTER)
#define FORWARD(LAYER)         OF_AXES(at_##LAYER, d_forward)
#define FORWARD_NAME(LAYER)    TH_STRING_OF(OF_AXES(LAYER, d_forward))
#define FIELDS(LAYER)          OF_AXES(at_##LAYER, d_fields)
#define KIND(LAYER)            OF_AXES(at_kind_##LAYER, d)

at_tensor *(FORWARD(MaxUnpool))(at_module *self, at_tensor *input, at_tensor *indices,
                                const OF_AXES(at_MaxUnpool, d_forward_options) * options)
{
  const FIELDS(MaxUnpool) *const own = at_module_own(self);
  if (!at_isKind(FORWARD_NAME(MaxUnpool), self, &KIND(MaxUnpool)))
    return at_undefined();
  return unpooled_by(input, indices, own->kernel_size, own->stride, own->padding, N,
                     options ? options->output_size : (at_ints){NULL, 0});
}

at_output_indices(FORWARD(MaxPool))(at_module *self, at_tensor *input)
{
  if (!is_call(FORWARD_NAME(MaxPool), self, &KIND(MaxPool), input))
    return (at_output_indices){at_undefined(), at_undefined()};
  AT_SCOPE_GUARD;
  const FIELDS(MaxPool) *const own = at_module_own(self);
  const OF_AXES(at_max_pool, d_options)
      options = {own->stride, own->padding, own->dilation, own->ceil_mode};
  return escaped((OF_AXES(at_max_pool, d))(input, own->kernel_size, &options));
}

at_output_indices(FORWARD(AdaptiveMaxPool))(at_module *self, at_tensor *input)
{
  if (!is_call(FORWARD_NAME(AdaptiveMaxPool), self, &KIND(AdaptiveMaxPool), input))
    return (at_output_indices){at_undefined(), at_undefined()};
  AT_SCOPE_GUARD;
  const FIELDS(AdaptiveMaxPool) *const own = at_module_own(self);
  return escaped((OF_AXES(at_adaptive_max_pool, d))(input, own->output_size));
}

#if N > 1
at_output_indices(FORWARD(FractionalMaxPool))(at_module *self, at_tensor *input)
{
  if (!is_call(FORWARD_NAME(FractionalMaxPool), self, &KIND(FractionalMaxPool), input))
    return (at_output_indices){at_undefined(), at_undefined()};
  AT_SCOPE_GUARD;
  const FIELDS(FractionalMaxPool) *const own = at_module_own(self);
  return escaped(at_fractionallyPooled(input, N, own->kernel_size, own->output_size,
                                       own->output_ratio));
}
#endif

#undef OF_AXES
#undef FORWARD
#undef FORWARD_NAME
#undef FIELDS
#undef KIND
#undef N
