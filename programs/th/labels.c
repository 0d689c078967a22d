/* Reads names of classes. */
#include "labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MOST_BYTES = 1 << 26 };

/* The whole file, with a 0 at its end. */
static char *read_text(const char *path)
{
  FILE *const file = fopen(path, "rb");
  char *const text = file ? malloc(MOST_BYTES) : NULL;
  const size_t size = text ? fread(text, 1, MOST_BYTES - 1, file) : 0;
  const bool good = text && !ferror(file) && feof(file);
  if (!good)
    fail("%s: cannot read it: %s", path,
         text && !ferror(file) ? "it is too large" : strerror(errno));
  if (file)
    fclose(file);
  if (!good) {
    free(text);
    return NULL;
  }
  text[size] = '\0';
  return text;
}

bool labels_read(Labels *labels, const char *path)
{
  *labels = (Labels){.text = read_text(path)};
  if (!labels->text)
    return false;
  int64_t lines = 0;
  for (const char *at = labels->text; *at; at++)
    lines += *at == '\n' || !at[1];
  labels->names = calloc((size_t)lines + 1, sizeof *labels->names);
  if (!labels->names) {
    fail("%s: there is no memory", path);
    return false;
  }
  for (char *at = labels->text; *at; labels->count++) {
    labels->names[labels->count] = at;
    at += strcspn(at, "\n");
    if (at > labels->names[labels->count] && at[-1] == '\r')
      at[-1] = '\0';
    if (*at)
      *at++ = '\0';
  }
  return true;
}

void labels_free(Labels *labels)
{
  free(labels->names);
  free(labels->text);
}
