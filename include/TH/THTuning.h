/* Numbers that speed depends on and that differ between machines.
 *
 * A value comes from a variable of the environment, else from a file that `th tune` wrote after it
 * measured, else the library chooses.  Nothing is measured unasked, and results are the same within
 * rounding.  The file is in $XDG_CACHE_HOME/th or ~/.cache/th, one for each kind of machine.  A file is
 * ignored unless it is a regular one that belongs to the user of the process and that nobody else
 * may write, or if anything in it is out of range; a program with more rights than who starts it reads
 * neither variables nor files. */
#ifndef TH_TUNING_H
#define TH_TUNING_H

#include "THGeneral.h"

typedef enum THTunable {
  TH_TUNE_STREAM_BYTES, /* TH_STREAM_BYTES: bytes of a result that is written by non-temporal stores */
  TH_TUNE_SUM_DOUBLES, /* TH_SUM_DOUBLES: floats are added in vectors of 4 or 8 doubles (AVX-512) */
  TH_TUNE_THREAD_WORK, /* TH_THREAD_WORK: elements of a simple loop that pay for a thread */
  TH_TUNABLES
} THTunable;

typedef enum THTuningSource {
  TH_TUNED_BY_LIBRARY,
  TH_TUNED_BY_FILE,
  TH_TUNED_BY_ENVIRONMENT,
  TH_TUNED_BY_PROGRAM /* THTuning_set */
} THTuningSource;

/* The name in files, such as "stream_bytes". */
TH_API const char *THTuning_name(THTunable which);

/* The value; -1 if the library chooses. */
TH_API int64_t THTuning_get(THTunable which);
TH_API THTuningSource THTuning_source(THTunable which);

/* Sets the value for this process, or gives the choice back to the library with -1; raises if it is
 * out of range.  Other threads may compute meanwhile. */
TH_API void THTuning_set(THTunable which, int64_t value);

/* What the file is for: the processor, and how many there are. */
TH_API const char *THTuning_machine(void);

/* The path of the file, which need not exist; NULL if the environment names no folder. */
TH_API const char *THTuning_path(void);

/* Writes the values that are not -1 to the file, which appears complete or not at all; 0 and errno on
 * failure. */
TH_API int THTuning_save(void);

#endif
