/* How ATen's functions are declared. */
#ifndef ATEN_MACROS_H
#define ATEN_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define AT_API extern "C" __attribute__((visibility("default")))
#else
#define AT_API extern __attribute__((visibility("default")))
#endif

/* For functions whose result must be released: to drop it outside of a scope leaks memory. */
#define AT_MUST_USE __attribute__((warn_unused_result))

typedef struct at_storage at_storage;
typedef struct at_tensor at_tensor;
typedef struct at_type at_type;

#endif
