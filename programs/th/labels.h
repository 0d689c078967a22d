/* Names of classes. */
#ifndef TH_LABELS_H
#define TH_LABELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Labels {
  char *text;
  char **names; /* in text */
  int64_t count;
} Labels;

/* Reads a file with a name on each line; prints an error and returns false on failure. */
bool labels_read(Labels *labels, const char *path);
void labels_free(Labels *labels);

#endif
