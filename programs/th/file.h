/* A file of tensors, or of a program, whichever it is. */
#ifndef TH_FILE_H
#define TH_FILE_H

#include <ATen/ATen.h>

typedef struct File {
  at_program *program; /* NULL if it is a file of tensors */
  at_dict *dict;       /* of a file of tensors */
} File;

typedef enum FileUse {
  FILE_LIST, /* elements of tensors are not read */
  FILE_LOAD,
  FILE_LOAD_SKIPPING /* tensors of types that are not here are skipped */
} FileUse;

/* Reads the file; prints an error and returns false on failure. */
bool file_open(File *file, const char *path, FileUse use);
void file_close(File *file);

/* The tensors, or the weights of the program. */
const at_dict *file_tensors(const File *file);

/* Reads a program, which goes through those passes; prints an error and returns NULL on failure. */
at_program *file_program(const char *path, unsigned passes);

#endif
