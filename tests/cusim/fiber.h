/* Fibers: functions with their own stacks that switch to each other. */
#ifndef CUSIM_FIBER_H
#define CUSIM_FIBER_H

typedef struct CusimFiber CusimFiber;

/* A fiber that has not begun; switching to it calls body, which must not return. */
CusimFiber *cusim_fiber(void (*body)(void));

/* The stack that the program itself runs on. */
CusimFiber *cusim_fiber_main(void);

/* Switches to another fiber; returns when a fiber switches back. */
void cusim_switch(CusimFiber *from, CusimFiber *to);

#endif
