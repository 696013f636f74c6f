/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that fails where a test says, and counts what is not returned.
 */
#ifndef TB_TEST_FAILING_ALLOCATOR_H
#define TB_TEST_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tracebridge/base.h"

#if defined(TRACEBRIDGE_SANITIZED)
void __sanitizer_print_stack_trace(void);
#define TB_TEST_PRINT_STACK() __sanitizer_print_stack_trace()
#else
#define TB_TEST_PRINT_STACK() (void)0
#endif

struct faults {
  atomic_size_t calls, held; /* calls that want more memory; bytes that are not freed */
  size_t at;                 /* the call that fails, counted from 0; SIZE_MAX: none */
  bool on;                   /* and all that follow */
  bool print_stack;          /* prints where it is, where a sanitizer can */
};

static inline void *faulty_reallocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct faults *faults = ctx;
  if (new_size > old_size) {
    size_t call = atomic_fetch_add(&faults->calls, 1);
    if (call == faults->at || (faults->on && call > faults->at)) {
      if (faults->print_stack) TB_TEST_PRINT_STACK();
      return NULL;
    }
  }
  atomic_fetch_add(&faults->held, new_size - old_size);
  if (new_size) return realloc(ptr, new_size);
  free(ptr);
  return NULL;
}

static inline struct tb_allocator faulty_allocator(struct faults *faults) {
  return (struct tb_allocator){faulty_reallocate, faults};
}

#endif
