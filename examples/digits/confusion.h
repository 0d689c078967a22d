/* What was taken for what. */
#ifndef DIGITS_CONFUSION_H
#define DIGITS_CONFUSION_H

#include <TH/TH.h>

/* Prints a table: how many images of each digit (a row) got which answer (a column). */
void confusion_print(THLongTensor *labels, THLongTensor *answers);

#endif
