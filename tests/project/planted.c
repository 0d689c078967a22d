/* A library that says when it is loaded, for the test `loading`. */
#include <stdio.h>

__attribute__((constructor)) static void say(void)
{
  printf("planted\n");
  fflush(stdout);
}
