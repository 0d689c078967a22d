/* Packed sequences, masks of attention and parts of transformers: what is refused, and every allocation
 * failing.  layers.c has their values. */
#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

#define FAILS(PART, CALL)                                                          \
  {                                                                                \
    CHECK(!at_defined(CALL));                                                      \
    CHECK_MSG(strstr(at_error_message(), PART), "it says %s", at_error_message()); \
    at_error_clear();                                                              \
  }

static at_tensor *longs(at_ints values)
{
  return at_fromArray(AT_CPU(AT_LONG), values.data, AT_SHAPE(values.count));
}
#define LONGS(...) longs(AT_INTS(__VA_ARGS__))

/* The numbers are those of a list on paper. */
static void paddings(void **state)
{
  AT_SCOPE
  {
    static const float rows[] = {1, 2, -1, 3, 4, 5};
    at_tensor *const want = at_fromArray(AT_CPU(AT_FLOAT), rows, AT_SHAPE(2, 3));
    at_tensor *const a = at_requires_grad_(at_fromArray(AT_CPU(AT_FLOAT), rows, AT_SHAPE(2)));
    at_tensor *const b = at_fromArray(AT_CPU(AT_FLOAT), rows + 3, AT_SHAPE(3));
    at_tensor *const got =
        at_pad_sequence(AT_TENSORS(a, b), .batch_first = true, .padding_value = -1);
    CHECK(at_equal(at_detach(got), want));
    CHECK(at_equal(at_detach(at_pad_sequence(AT_TENSORS(a, b), .padding_value = -1)), at_t(want)));
    CHECK(at_backward(at_sum(at_square(got))));
    CHECK(at_equal(at_grad(a), at_mul(at_detach(a), 2)));
    FAILS("there are 0 sequences", at_pad_sequence(((at_tensors){NULL, 0})));
    FAILS("the longest of 0 elements", at_pad_sequence(AT_TENSORS(at_ones(AT_SCALAR_SHAPE))));
    FAILS("size", at_pad_sequence(AT_TENSORS(at_ones(AT_SHAPE(2, 2)), at_ones(AT_SHAPE(1, 3)))));
  }
}

static void wrong_lengths(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(4, 3, 2)); /* steps x sequences */
    FAILS("lengths has 2 numbers, and input 3 sequences",
          at_pack_padded_sequence(x, LONGS(4, 2)).data);
    FAILS("lengths[1] is 5, and has to be from 1 to 4",
          at_pack_padded_sequence(x, LONGS(4, 5, 1), .enforce_sorted = false).data);
    FAILS("lengths[2] is 0", at_pack_padded_sequence(x, LONGS(4, 2, 0)).data);
    FAILS("lengths[2] is 3, more than the one before: without enforce_sorted",
          at_pack_padded_sequence(x, LONGS(4, 2, 3)).data);
    FAILS("lengths is of size [1 x 3]",
          at_pack_padded_sequence(x, at_unsqueeze(LONGS(4, 2, 3), 0)).data);
    FAILS("lengths", at_pack_padded_sequence(x, at_ones(AT_SHAPE(3))).data);
    FAILS("input is of size [3]", at_pack_padded_sequence(at_ones(AT_SHAPE(3)), LONGS(1)).data);
    FAILS("lengths[0] is 4, and has to be from 1 to 3",
          at_pack_padded_sequence(x, LONGS(4, 2, 2, 1), .batch_first = true).data);
  }
}

static void wrong_packs(void **state)
{
  at_module *const gru = at_GRU(2, 5, .num_layers = 2), *const lstm = at_LSTM(2, 5);
  AT_SCOPE
  {
    const at_packed_sequence p = at_pack_padded_sequence(at_ones(AT_SHAPE(4, 3, 2)), LONGS(2, 4, 1),
                                                         .enforce_sorted = false);
    CHECK_EQ(at_size(p.data, 0), 7);
    FAILS("self is a LSTM, and not a GRU",
          at_GRU_forward_packed(lstm, p.data, p.batch_sizes).output);
    FAILS("batch_sizes[1] is 3: they have to be positive, not to grow, and to add up to the 7 rows",
          at_GRU_forward_packed(gru, p.data, LONGS(2, 3, 2)).output);
    FAILS("batch_sizes add up to 5, and data is of size [7 x 2]",
          at_pad_packed_sequence(p.data, LONGS(3, 2)).padded);
    FAILS("batch_sizes[0] is 9223372036854775807",
          at_pad_packed_sequence(p.data, LONGS(INT64_MAX, 2)).padded);
    FAILS("unsorted_indices, of size [3], have to be the numbers below 3",
          at_LSTM_forward_packed(lstm, p.data, p.batch_sizes, .unsorted_indices = LONGS(0, 2, 2))
              .output);
    FAILS("unsorted_indices, of size [2]",
          at_pad_packed_sequence(p.data, p.batch_sizes, .unsorted_indices = LONGS(0, 1)).padded);
    FAILS("total_length is 3, and has to be from 4, the longest length",
          at_pad_packed_sequence(p.data, p.batch_sizes, .total_length = 3).padded);
    FAILS("total_length is 9223372036854775807",
          at_pad_packed_sequence(p.data, p.batch_sizes, .total_length = INT64_MAX).padded);
    FAILS("c_0 is of size [1 x 2 x 5], and has to be of [1 x 3 x 5]",
          at_LSTM_forward_packed(lstm, p.data, p.batch_sizes, .c_0 = at_zeros(AT_SHAPE(1, 2, 5)))
              .output);
    FAILS("data is of size [4 x 3 x 2], and has to have 2 dimensions",
          at_LSTM_forward_packed(lstm, at_ones(AT_SHAPE(4, 3, 2)), p.batch_sizes).output);
  }
  at_module_free(gru);
  at_module_free(lstm);
}

static void wrong_masks(void **state)
{
  at_module *const attention = at_MultiheadAttention(4, 2, .kdim = 3, .batch_first = true);
  AT_SCOPE
  {
    at_tensor *const q = at_ones(AT_SHAPE(2, 5, 4)), *const k = at_ones(AT_SHAPE(2, 6, 3)),
                     *const v = at_ones(AT_SHAPE(2, 6, 4));
#define ATTEND(Q, K, V, ...) at_MultiheadAttention_forward(attention, Q, K, V, __VA_ARGS__).output
    FAILS("key is of size [2 x 6 x 4], and its last dimension has to be 3",
          ATTEND(q, v, v, .need_weights = false));
    FAILS("value is of size [2 x 5 x 4], and key of size [2 x 6 x 3]",
          ATTEND(q, k, q, .need_weights = false));
    FAILS("key is of size [1 x 6 x 3], and query of size [2 x 5 x 4]",
          ATTEND(q, at_narrow(k, 0, 0, 1), v, .need_weights = false));
    FAILS("attn_mask is of size [6 x 5], and has to be of [5 x 6] or [4 x 5 x 6]",
          ATTEND(q, k, v, .attn_mask = at_zeros(AT_SHAPE(6, 5))));
    FAILS("key_padding_mask is of size [6], and has to be of [2 x 6]",
          ATTEND(q, k, v, .key_padding_mask = at_zeros(AT_SHAPE(6))));
    FAILS("key_padding_mask is of type CPULongType, and has to be of Bool or of a floating type",
          ATTEND(q, k, v, .key_padding_mask = at_zeros(AT_SHAPE(2, 6), .type = AT_CPU(AT_LONG))));
    CHECK(at_defined(ATTEND(q, k, v, .attn_mask = at_zeros(AT_SHAPE(4, 5, 6)),
                            .average_attn_weights = false)));
  }
  at_module_free(attention);
}

static at_tensor *twice(at_module *self, at_tensors inputs)
{
  return at_add(inputs.data[0], inputs.data[1]);
}

static void parts(void **state)
{
  static const at_module_kind plain = {"Plain", .call = twice, .inputs = 2};
  CHECK(!at_Transformer_of(at_Linear(2, 2), NULL));
  CHECK(strstr(at_error_message(), "Transformer_of: the decoder is NULL"));
  at_error_clear();
  at_module *const t = at_Transformer_of(at_Linear(4, 4), at_module_new(&plain));
  CHECK(t);
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(3, 2, 4)), *const mask = at_zeros(AT_SHAPE(3, 3));
    CHECK(at_defined(at_Transformer_forward(t, x, x)));
    FAILS("a Linear takes no masks", at_Transformer_forward(t, x, x, .src_mask = mask));
    FAILS("a Plain takes no masks", at_Transformer_forward(t, x, x, .tgt_is_causal = true));
    CHECK(!at_Embedding_from_pretrained(at_ones(AT_SHAPE(3))));
    CHECK(strstr(at_error_message(), "embeddings is of size [3], and has to have 2 dimensions"));
    at_error_clear();
    CHECK(!at_Embedding_from_pretrained(at_ones(AT_SHAPE(3, 2)), .padding_idx = 3));
    CHECK(strstr(at_error_message(), "padding_idx is 3, and there are 3 rows"));
    at_error_clear();
    CHECK(!at_EmbeddingBag_from_pretrained(at_ones(AT_SHAPE(3, 2)), .mode = "most"));
    CHECK(strstr(at_error_message(), "mode is 'most'"));
    at_error_clear();
    at_module *const table = at_Embedding_from_pretrained(at_ones(AT_SHAPE(3, 2)));
    CHECK(!at_requiresGrad(at_module_get(table, "weight")));
    at_module_free(table);
  }
  at_module *const copy = at_module_clone(t);
  CHECK(copy);
  at_module_free(copy);
  at_module_free(t);
}

static void everything(void *unused)
{
  AT_SCOPE
  {
    at_module *const gru = at_GRU(2, 3, .bidirectional = true);
    at_module *const table = at_Embedding_from_pretrained(at_ones(AT_SHAPE(3, 2)));
    at_module *const pool = at_MaxPool1d(2);
    at_tensor *const lengths = at_arange_start(1, 4);
    const at_packed_sequence p =
        at_pack_padded_sequence(at_ones(AT_SHAPE(3, 3, 2)), lengths, .batch_first = true,
                                .enforce_sorted = false);
    const at_output_h_n r =
        at_GRU_forward_packed(gru, p.data, p.batch_sizes, .unsorted_indices = p.unsorted_indices);
    const at_padded_lengths y =
        at_pad_packed_sequence(r.output, p.batch_sizes, .unsorted_indices = p.unsorted_indices);
    (void)at_backward(at_add(at_sum(y.padded), at_sum(r.h_n)));
    CHECK(at_numel(at_pad_sequence(AT_TENSORS(p.data, at_ones(AT_SHAPE(1, 2))))) <= 24);
    (void)at_MaxPool1d_forward(pool, y.padded).indices;
    at_module_free(gru);
    at_module_free(table);
    at_module_free(pool);
    at_module_free(at_Transformer_of(at_Linear(2, 2), at_ReLU()));
  }
  at_error_clear();
}

static void allocations(void **state)
{
  CHECK(th_fail_each(everything, NULL) > 100);
}

/* A network of a lower type is computed in Float and rounded once, with gradients and without; so are the
 * gradients. */
static void lower_types(void **state)
{
  static const at_scalar_type types[] = {AT_BFLOAT16, AT_HALF};
  for (int i = 0; i < 2; i++)
    AT_SCOPE
    {
      const at_type *const lower = AT_CPU(types[i]), *const wide = AT_CPU(AT_FLOAT);
      at_module *const net = at_LSTM(3, 4, .num_layers = 2, .type = lower),
                       *const other = at_module_clone(net);
      CHECK(at_module_to(other, wide));
      at_tensor *const x = at_to(at_randn(AT_SHAPE(5, 2, 3)), lower);
      at_tensor *const y = at_forward(net, x), *const z = at_forward(other, at_to(x, wide));
      CHECK(at_requiresGrad(y) && at_equal(y, at_to(z, lower)));
      AT_NO_GRAD CHECK(at_equal(y, at_forward(net, x)));
      at_tensor *const grad = at_to(at_randn(at_sizes(y)), lower);
      CHECK(at_backward(y, .gradient = grad) && at_backward(z, .gradient = at_to(grad, wide)));
      const at_tensors *const p = at_module_parameters(net), *const q = at_module_parameters(other);
      for (int k = 0; k < p->count; k++)
        CHECK(at_equal(at_grad(p->data[k]), at_to(at_grad(q->data[k]), lower)));
      at_module *const cell = at_GRUCell(3, 4, .type = lower), *const wider = at_module_clone(cell);
      CHECK(at_module_to(wider, wide));
      at_tensor *const first = at_select(x, 0, 0);
      CHECK(at_equal(at_forward(cell, first), at_to(at_forward(wider, at_to(first, wide)), lower)));
      at_module_free(net);
      at_module_free(other);
      at_module_free(cell);
      at_module_free(wider);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(paddings),    cmocka_unit_test(wrong_lengths),
                                     cmocka_unit_test(wrong_packs), cmocka_unit_test(wrong_masks),
                                     cmocka_unit_test(parts),       cmocka_unit_test(allocations),
                                     cmocka_unit_test(lower_types)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
