/* What the command line says. */
#ifndef DIGITS_OPTIONS_H
#define DIGITS_OPTIONS_H

#include <stdint.h>

typedef enum Device { CPU, CUDA } Device;

typedef struct Options {
  int64_t epochs;
  uint32_t seed;
  int threads;
  int train; /* digits to learn from */
  Device device;
  const char *data;    /* NULL: the data that comes with the example */
  const char *load;    /* NULL: train a network */
  const char *save;    /* NULL: do not save the network */
  const char *picture; /* where the picture goes */
  int help;            /* print the help and do nothing else */
} Options;

/* Raises an error about the first word of the command line that is wrong. */
Options options_read(int argc, char **argv);

void options_help(void);

#endif
