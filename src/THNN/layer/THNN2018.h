/* THNN.h.  Where that declares Torch7's forms (TH_COMPAT=torch7), also the forms of 2018, under
 * names that end in _2018. */
#ifndef THNN_2018_H
#define THNN_2018_H

#include "THNN.h"

#ifdef TH_COMPAT_TORCH7
#include "THNN/torch7/THNNRename.h"
#define TH_GENERIC_FILE "include/THNN/generic/THNN.h"
#include "THGenerateFloatTypes.h"
#include "THNN/torch7/THNNRenameEnd.h"
#endif

#endif
