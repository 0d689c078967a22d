/* What stands for numbers: LabelEncoder. */
#include <math.h>

#include "Ml.h"

/* Keys are compared as integers; those of floats have the order of their bits. */
typedef struct Encoder {
  at_mlKey *keys; /* sorted; the first of equal ones counts */
  int64_t count;
  bool isFloat;          /* keys are floats */
  at_mlFloats floats;    /* the values, if they are floats */
  at_mlInts integers;    /* the values, if they are integers */
  double otherwiseFloat; /* the value, if a float, for numbers that are no key */
  int64_t otherwise;     /* the value, if an integer, for numbers that are no key */
  at_scalar_type type;   /* of what is given */
} Encoder;

/* A key for a number: 0 and -0 have the same, and so has every NaN. */
static int64_t key_of(double number)
{
  int64_t bits;
  const double plain = isnan(number) ? NAN : number + 0.0;
  memcpy(&bits, &plain, sizeof bits);
  return bits;
}

static void read_keys(const at_mlSource *s, Encoder *m, const char *name)
{
  const at_mlFloats floats = m->isFloat ? at_mlFloatsOf(s, name, -1) : (at_mlFloats){0};
  const at_mlInts integers = m->isFloat ? (at_mlInts){0} : at_mlIntsOf(s, name, -1);
  m->count = m->isFloat ? floats.count : integers.count;
  m->keys = at_mlTake(s, m->count, sizeof *m->keys);
  for (int64_t i = 0; i < m->count; i++)
    m->keys[i] = (at_mlKey){m->isFloat ? key_of(floats.data[i]) : integers.data[i], 0, i};
  at_mlSort(m->keys, m->count);
}

static void read_values(const at_mlSource *s, Encoder *m, const char *name)
{
  if (at_isFloating(m->type))
    m->floats = at_mlFloatsOf(s, name, m->count);
  else
    m->integers = at_mlIntsOf(s, name, m->count);
}

/* What numbers become that are no key. */
static void read_default(const at_mlSource *s, Encoder *m, bool isTensor)
{
  const char *const name = "default_tensor";
  if (!isTensor) {
    m->otherwiseFloat = at_mlFloat(s, "default_float", 0);
    m->otherwise = at_mlInt(s, "default_int64", -1);
  } else if (at_mlHas(s, name) && at_isFloating(m->type)) {
    m->otherwiseFloat = *at_mlFloatsOf(s, name, 1).data;
  } else if (at_mlHas(s, name)) {
    m->otherwise = *at_mlIntsOf(s, name, 1).data;
  } else {
    m->otherwise = -1;
  }
}

const void *at_prepareLabelEncoder(at_names *names, const at_onnxItem *item)
{
  const at_mlSource s = {names, item};
  Encoder *const m = at_mlTake(&s, 1, sizeof *m);
  const at_scalar_type keys = at_mlTypeOf(&s, "keys_tensor"),
                       values = at_mlTypeOf(&s, "values_tensor");
  const bool isTensor = values != AT_SCALAR_TYPES, hasFloats = at_mlHas(&s, "values_floats");
  m->isFloat = at_mlHas(&s, "keys_tensor") ? keys != AT_SCALAR_TYPES && at_isFloating(keys)
                                           : at_mlHas(&s, "keys_floats");
  m->type = isTensor ? values : hasFloats ? AT_FLOAT : AT_LONG;
  if (at_isComplex(m->type))
    at_mlFails(&s, "its values are complex numbers");
  read_keys(&s, m,
            at_mlHas(&s, "keys_tensor") ? "keys_tensor"
            : m->isFloat                ? "keys_floats"
                                        : "keys_int64s");
  if (m->count == 0 || at_mlHas(&s, "values_strings"))
    at_mlFails(&s, "its keys or values are texts, which are no tensors");
  read_values(&s, m, isTensor ? "values_tensor" : hasFloats ? "values_floats" : "values_int64s");
  read_default(&s, m, isTensor);
  return m;
}

void at_runLabelEncoder(at_onnxCall *c)
{
  const Encoder *const m = c->state;
  at_tensor *const x = at_onnxPlain(c, at_onnxInput(c, 0), m->isFloat ? AT_DOUBLE : AT_LONG);
  const bool isFloat = at_isFloating(m->type);
  at_tensor *const made = at_empty(at_sizes(x), .type = at_cpuType(isFloat ? AT_DOUBLE : AT_LONG));
  double *const floats = at_defined(made) && isFloat ? at_hostData(made) : NULL;
  int64_t *const integers = at_defined(made) && !isFloat ? at_hostData(made) : NULL;
  for (int64_t i = 0; at_defined(made) && i < at_numel(x); i++) {
    const int64_t key = m->isFloat ? key_of(((const double *)at_hostData(x))[i])
                                   : ((const int64_t *)at_hostData(x))[i];
    const int64_t at = at_mlFind(m->keys, m->count, key, 0);
    const bool isKey = at < m->count && m->keys[at].first == key;
    if (floats)
      floats[i] = isKey ? m->floats.data[m->keys[at].index] : m->otherwiseFloat;
    else
      integers[i] = isKey ? m->integers.data[m->keys[at].index] : m->otherwise;
  }
  at_onnxGive(c, 0, at_to(made, at_cpuType(m->type)));
}
