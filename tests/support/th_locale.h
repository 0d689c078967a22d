/* A locale that writes 1,5 for 1.5, for tests of what must not depend on it. */
#ifndef TH_LOCALE_H
#define TH_LOCALE_H

/* Sets it for all of the process, from the system or, if that has none, made in folder; 0 if that
 * is not possible. */
int th_locale_comma(const char *folder);

/* Sets the one that C starts with, and removes what was made in folder. */
void th_locale_plain(const char *folder);

#endif
