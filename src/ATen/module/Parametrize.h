/* Parameters that are computed from other tensors: how they are described, and put into modules. */
#ifndef ATEN_PARAMETRIZE_INSIDE_H
#define ATEN_PARAMETRIZE_INSIDE_H

#include "Layers.h"

enum { AT_SOURCES = 3 };

/* What a parameter is computed from: parameters first, then buffers; NULL where there are fewer. */
typedef struct at_sources {
  at_tensor *of[AT_SOURCES];
} at_sources;

/* A way to compute a parameter. */
typedef struct at_rule {
  const char *kind; /* the name of its module in PyTorch */
  at_tensor *(*compute)(const at_derivation *derivation, const at_sources *from, bool training);
  /* The names of its sources, and how many of them are parameters. */
  const char *names[AT_SOURCES], *oldNames[AT_SOURCES];
  int parameters;
} at_rule;

struct at_derivation {
  const at_rule *rule;
  bool isOld;             /* with the names of PyTorch's older functions */
  char *from[AT_SOURCES]; /* the paths of the sources from the module; NULL where there is none */
  int64_t dim, iterations;
  double eps;
};

/* The parameter of that name, which is a tensor and not computed yet; NULL and an error if there is
 * none. */
at_member *at_plainParameter(const char *operation, at_module *self, const char *name);

/* Computes the parameter of that name from now on by a copy of how, from these tensors, which become
 * members of self or of a child "parametrizations".  False after an error, and nothing has changed. */
bool at_derive(const char *operation, at_module *self, const char *name, const at_derivation *how,
               const at_sources *from);

/* Makes the parameter of that name a tensor again: its value, or the one that it was computed from. */
bool at_underive(const char *operation, at_module *self, const char *name, const at_rule *rule,
                 bool isOld, bool keepsValue);

#endif
