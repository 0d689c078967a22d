/* See fiber.h.  On x86-64 a switch is a dozen instructions; elsewhere it is swapcontext's system
 * calls. */
#define _GNU_SOURCE
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

/* The page below it is a guard. */
enum { STACK = 128 << 10, GUARD = 4096 };

struct CusimFiber {
  void *stack_pointer;
  void (*body)(void);
  char *stack; /* NULL for the program's own */
#ifndef __x86_64__
  ucontext_t context;
#endif
#ifdef __SANITIZE_ADDRESS__
  void *fake_stack;
  const void *bottom;
  size_t size;
#endif
};

/* --- switching ---------------------------------------------------------------------------- */

#ifdef __x86_64__

/* Pushes what a called function has to keep, changes stacks, and pops it from the other one. */
void cusim_switch_stack(void **from, void *to);
__asm__(
    ".text\n"
    ".globl cusim_switch_stack\n"
    ".hidden cusim_switch_stack\n"
    ".type cusim_switch_stack, @function\n"
    "cusim_switch_stack:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size cusim_switch_stack, . - cusim_switch_stack\n");

#endif

static CusimFiber *running, *left;

/* Called first after a switch, on the new stack. */
static void arrived(void)
{
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(running->fake_stack, left->stack ? NULL : &left->bottom,
                                  left->stack ? NULL : &left->size);
#endif
}

static void begin(void)
{
  arrived();
  running->body();
  abort();
}

void cusim_switch(CusimFiber *from, CusimFiber *to)
{
  left = from;
  running = to;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->size);
#endif
#ifdef __x86_64__
  cusim_switch_stack(&from->stack_pointer, to->stack_pointer);
#else
  swapcontext(&from->context, &to->context);
#endif
  arrived();
}

/* --- making ------------------------------------------------------------------------------- */

CusimFiber *cusim_fiber_main(void)
{
  static CusimFiber program;
  return &program;
}

CusimFiber *cusim_fiber(void (*body)(void))
{
  CusimFiber *fiber = calloc(1, sizeof *fiber);
  char *stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (!fiber || stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE))
    abort();
  fiber->body = body;
  fiber->stack = stack + GUARD;
#ifdef __SANITIZE_ADDRESS__
  fiber->bottom = fiber->stack;
  fiber->size = STACK;
#endif
#ifdef __x86_64__
  /* As if begin had been about to be returned to: six registers and its address, below an address
   * that makes the stack look like that of a called function. */
  uintptr_t *top = (uintptr_t *)(fiber->stack + STACK) - 1;
  top[0] = 0;
  top[-1] = (uintptr_t)begin;
  for (int i = 2; i <= 7; i++)
    top[-i] = 0;
  fiber->stack_pointer = top - 7;
#else
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = STACK;
  makecontext(&fiber->context, begin, 0);
#endif
  return fiber;
}
