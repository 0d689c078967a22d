/* How far something is, on a line of stderr that is gone at the end; nothing where stderr is no
 * terminal. */
#ifndef TH_PROGRESS_H
#define TH_PROGRESS_H

/* Shows what is done, and a bar for the part of it from 0 to 1; below 0 there is no bar. */
void progress_show(const char *what, double part);

/* Removes the line. */
void progress_end(void);

#endif
