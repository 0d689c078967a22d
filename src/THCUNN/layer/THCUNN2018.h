/* THCUNN.h.  Where that declares Torch7's forms (TH_COMPAT=torch7), also the forms of 2018, under
 * names that end in _2018, as THNN2018.h does for THNN. */
#ifndef THCUNN_2018_H
#define THCUNN_2018_H

#include "THCUNN/THCUNN.h"

#ifdef TH_COMPAT_TORCH7
#include "THNN/torch7/THNNRename.h"
#define THC_GENERIC_FILE "THCUNN/generic/THCUNN2018.h"
#include "THC/THCGenerateFloatTypes.h"
#include "THNN/torch7/THNNRenameEnd.h"
#endif

#endif
