/* The confusion table. */
#include "confusion.h"

#include "data.h"

void confusion_print(THLongTensor *labels, THLongTensor *answers)
{
  int64_t counts[DIGIT_CLASSES][DIGIT_CLASSES] = {{0}};
  for (int64_t i = 0; i < labels->size[0]; i++)
    counts[THLongTensor_get1d(labels, i)][THLongTensor_get1d(answers, i)]++;

  printf("\ndigit  read as");
  for (int answer = 0; answer < DIGIT_CLASSES; answer++)
    printf("%5d", answer);
  putchar('\n');
  for (int digit = 0; digit < DIGIT_CLASSES; digit++) {
    printf("%5d         ", digit);
    for (int answer = 0; answer < DIGIT_CLASSES; answer++)
      if (counts[digit][answer])
        printf("%5lld", (long long)counts[digit][answer]);
      else
        printf("    .");
    putchar('\n');
  }
}
