/* Generators' states, and Philox against the numbers that its authors publish. */
#include "thc_test.h"

#include "THPhilox.h"

/* Known answers of Random123 1.09 for philox4x32 with 10 rounds (tests/kat_vectors). */
static void philox(void **unused)
{
  static const struct {
    uint32_t counter[4], key[2], expected[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  uint32_t words[4];
  for (int k = 0; k < 3; k++) {
    THPhilox_rounds(known[k].counter, known[k].key, words);
    for (int i = 0; i < 4; i++)
      CHECK_EQ(words[i], known[k].expected[i]);
  }
  THPhilox_words(UINT64_C(0x299f31d0a4093822), UINT64_C(0x0370734413198a2e),
                 UINT64_C(0x85a308d3243f6a88), words);
  CHECK_EQ(words[3], known[2].expected[3]);
}

static void seeds(void **unused)
{
  THCState *state = thc_state();
  THCRandom_manualSeed(state, 123);
  CHECK_EQ(THCRandom_initialSeed(state), 123);
  const uint64_t seed = THCRandom_seed(state), other = THCRandom_seed(state);
  CHECK(seed != other);
  CHECK_EQ(THCRandom_initialSeed(state), other);
  const uint64_t all = THCRandom_seedAll(state);
  for (int d = 0; d < thc_devices(); d++) {
    CHECK_CUDA(cudaSetDevice(d));
    CHECK_EQ(THCRandom_initialSeed(state), all);
  }
  THCRandom_manualSeed(state, 5); /* the last device's */
  CHECK_CUDA(cudaSetDevice(0));
  if (thc_devices() > 1)
    CHECK_EQ(THCRandom_initialSeed(state), all);
  THCRandom_manualSeedAll(state, 6);
  CHECK_EQ(THCState_getRngState(state)->gen[thc_devices() - 1].initial_seed, 6);
}

static void saved(void **unused)
{
  THCState *state = thc_state();
  THCGenerator *generator = &THCState_getRngState(state)->gen[0];
  THCRandom_manualSeed(state, 77);
  generator->philox_seed_offset = 40;
  THByteTensor *bytes = THByteTensor_new();
  THCRandom_getRNGState(state, bytes);
  CHECK_EQ(THByteTensor_nElement(bytes), 16);
  THCRandom_manualSeed(state, 1);
  CHECK_EQ(generator->philox_seed_offset, 0);
  THCRandom_setRNGState(state, bytes);
  CHECK_EQ(THCRandom_initialSeed(state), 77);
  CHECK_EQ(generator->philox_seed_offset, 40);
  THByteTensor_fill(bytes, 255);
  CHECK_RAISES(1, "no state", THCRandom_setRNGState(state, bytes));
  THByteTensor_resize1d(bytes, 15);
  CHECK_RAISES(1, "15 bytes", THCRandom_setRNGState(state, bytes));
  CHECK_EQ(THCRandom_initialSeed(state), 77);
  THByteTensor_free(bytes);
  CHECK_RAISES(0, "state is NULL", THCRandom_seed(NULL));
  CHECK_RAISES(2, "no device", THCRandom_init(state, 1, 3));
}

static void generator_states(void **unused)
{
  THCState *state = thc_state();
  THCRandom_manualSeed(state, 77);
  struct curandStateMtgp32 *states = THCRandom_generatorStates(state);
  CHECK(states && states == THCRandom_generatorStates(state));
  CHECK(THCState_getRngState(state)->gen[0].kernel_params != NULL);
  uint32_t words[2][8];
  CHECK_CUDA(cudaMemcpy(words[0], states, sizeof words[0], cudaMemcpyDeviceToHost));
  THCRandom_manualSeed(state, 78);
  states = THCRandom_generatorStates(state);
  CHECK_CUDA(cudaMemcpy(words[1], states, sizeof words[1], cudaMemcpyDeviceToHost));
  CHECK(memcmp(words[0], words[1], sizeof words[0]));
  THCRandom_init(state, thc_devices(), 0); /* anew */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox),
      cmocka_unit_test(seeds),
      cmocka_unit_test(saved),
      cmocka_unit_test(generator_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
