/* Regions in which the operations choose the element types that they compute with, as torch.autocast
 * has them: some in a lower precision, some in Float, and some in the widest type of their arguments.
 * Tensors of Double and of integers stay what they are. */
#include "ATenOps.h"
#include "Program.h"

/* Names between spaces. */
typedef struct Policies {
  const char *lower, *single, *widest;
} Policies;

static const Policies policies[AT_AUTOCASTS] = {
    [AT_AUTOCAST_CPU] =
        {" _addmm_activation _convolution _native_multi_head_attention addbmm addmm baddbmm bmm "
         "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d "
         "linalg_vecdot linear matmul mkldnn_rnn_layer mm prelu scaled_dot_product_attention ",
         " adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy "
         "binary_cross_entropy_with_logits cdist cholesky_inverse cholesky_solve "
         "cosine_embedding_loss cross_entropy_loss ctc_loss fake_quantize_per_tensor_affine "
         "fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_irfft "
         "fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn fractional_max_pool2d "
         "fractional_max_pool3d geqrf grid_sampler grid_sampler_2d grid_sampler_3d "
         "hinge_embedding_loss huber_loss inverse kl_div l1_loss linalg_cholesky "
         "linalg_cholesky_ex linalg_cond linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh "
         "linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_matrix_rank "
         "linalg_qr linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve "
         "lu_solve margin_ranking_loss max_pool3d max_unpool2d max_unpool3d mse_loss "
         "multi_margin_loss multilabel_margin_loss nanquantile nll_loss nll_loss2d orgqr ormqr "
         "pinverse poisson_nll_loss polar prod quantile reflection_pad1d reflection_pad2d "
         "replication_pad1d replication_pad2d replication_pad3d smooth_l1_loss soft_margin_loss "
         "stft svd trace triangular_solve triplet_margin_loss view_as_complex ",
         " cat index_copy stack "},
    [AT_AUTOCAST_CUDA] =
        {" _convolution addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d "
         "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution einsum gru_cell "
         "linalg_multi_dot linalg_vecdot linear lstm_cell matmul mm mv prelu rnn_relu_cell "
         "rnn_tanh_cell scaled_dot_product_attention ",
         " _upsample_bicubic2d_aa _upsample_bilinear2d_aa acos asin "
         "binary_cross_entropy_with_logits cdist cosh cosine_embedding_loss cosine_similarity "
         "cumprod cumsum dist erfinv exp expm1 group_norm hinge_embedding_loss huber_loss kl_div "
         "l1_loss layer_norm linalg_matrix_norm linalg_vector_norm log log10 log1p log2 "
         "log_softmax logsumexp margin_ranking_loss mse_loss multi_margin_loss "
         "multilabel_margin_loss native_layer_norm nll_loss nll_loss2d norm nuclear_norm pdist "
         "poisson_nll_loss pow prod reciprocal renorm rms_norm rsqrt sinh smooth_l1_loss "
         "soft_margin_loss softmax softplus sum tan triplet_margin_loss upsample_bicubic2d "
         "upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d "
         "upsample_nearest3d upsample_trilinear3d ",
         " addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot "
         "vdot "},
};

static bool is_among(const char *names, const char *name, size_t length)
{
  for (const char *at = names; (at = strchr(at, ' ')) && at[1]; at++)
    if (!strncmp(at + 1, name, length) && at[1 + length] == ' ')
      return true;
  return false;
}

static bool is_cast(const at_tensor *t)
{
  return at_isFloating(t->type->scalarType) && t->type->scalarType != AT_DOUBLE;
}

/* The widest floating type among the node's tensors and the lower one. */
static at_scalar_type widest_of(const at_frame *frame, const at_graphNode *node,
                                at_scalar_type lower)
{
  at_scalar_type widest = lower;
  for (int32_t i = 0; i < node->inputCount; i++)
    for (int32_t p = 0; p < node->inputs[i].count; p++) {
      const at_cell cell = at_frame_get(frame, &node->inputs[i].parts[p]);
      if (cell.kind == AT_CELL_TENSOR && at_isFloating(cell.is.tensor->type->scalarType) &&
          cell.is.tensor->type->scalarType != widest && widest != AT_DOUBLE)
        widest = cell.is.tensor->type->scalarType == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
    }
  return widest;
}

const at_type *at_autocast_wanted(const at_frame *frame, const at_graphNode *node)
{
  static const char prefix[] = "aten.";
  const bool onCpu = frame->autocast[AT_AUTOCAST_CPU] != NULL;
  const at_type *const lower = frame->autocast[onCpu ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA];
  const Policies *const p = &policies[onCpu ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA];
  if (!lower || strncmp(node->target, prefix, strlen(prefix)))
    return NULL;
  const char *const name = node->target + strlen(prefix);
  const size_t length = strcspn(name, ".");
  if (is_among(p->lower, name, length))
    return lower;
  if (is_among(p->single, name, length))
    return at_cpuType(AT_FLOAT);
  return is_among(p->widest, name, length) ? at_cpuType(widest_of(frame, node, lower->scalarType))
                                           : NULL;
}

at_tensor *at_autocast_tensor(const at_frame *frame, const at_graphNode *node, at_tensor *t)
{
  if (!frame->castTo || !t || !is_cast(t) || t->type->scalarType == frame->castTo->scalarType)
    return t;
  at_tensor *const r = (at_to)(t, frame->castTo);
  if (!at_defined(r))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  return r;
}

/* wrap_with_autocast(device_type, dtype, enabled, cache_enabled, graph, ...) */
void at_autocast_set(at_frame *frame, const at_graphNode *node)
{
  const at_given *const device = at_inputOf(node, "device_type", 0), *const type =
                                                                         at_inputOf(node, "dtype",
                                                                                    1);
  const char *const name = device && device->kind == AT_GIVEN_TEXT ? device->text : "";
  const bool isCpu = !strcmp(name, "cpu"),
             isEnabled = at_inputBool(frame, node, "enabled", 2, true);
  at_scalar_type lower = isCpu ? AT_BFLOAT16 : AT_HALF;
  if (type)
    lower = type->kind == AT_GIVEN_TYPE ? type->type : AT_SCALAR_TYPES;
  if (!isCpu && strcmp(name, "cuda")) {
    if (isEnabled)
      at_nodeFails(node, "autocast of the device \"%.20s\" is not here", name);
    return;
  }
  if (isEnabled && lower != AT_BFLOAT16 && lower != AT_HALF)
    at_nodeFails(node, "autocast is to BFloat16 or Half");
  frame->autocast[isCpu ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA] =
      isEnabled ? at_cpuType(lower) : NULL;
}
