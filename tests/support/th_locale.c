/* Locales; see th_locale.h. */
#define _GNU_SOURCE
#include "th_locale.h"

#include <locale.h>

#include "th_test.h"

int th_locale_comma(const char *folder)
{
  static const char *const known[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (setlocale(LC_ALL, known[i]))
      return 1;
  char command[256];
  snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
           folder);
  if (system(command))
    return 0;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

void th_locale_plain(const char *folder)
{
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8", folder);
  CHECK_EQ(system(command), 0);
}
