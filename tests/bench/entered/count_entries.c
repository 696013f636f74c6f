/* SPDX-License-Identifier: Apache-2.0
 *
 * A library to be preloaded (LD_PRELOAD) into a program built with -finstrument-functions: counts how often each
 * function is entered. At the end, ENTERED=FILE gets a line for each: the function's offset in the program, in hex, and
 * the count.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* More than the program has functions, a power of two. */
#define SLOTS ((size_t)1 << 16)

static struct {
  _Atomic(uintptr_t) function;
  atomic_ulong count;
} entries[SLOTS];

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller) {
  (void)caller;
  uintptr_t address = (uintptr_t)function;
  size_t slot = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 48) & (SLOTS - 1);
  for (;; slot = (slot + 1) & (SLOTS - 1)) {
    uintptr_t there = 0;
    if (atomic_compare_exchange_strong(&entries[slot].function, &there, address) || there == address) break;
  }
  atomic_fetch_add(&entries[slot].count, 1);
}

void __cyg_profile_func_exit(void *function, void *caller) {
  (void)function;
  (void)caller;
}

/* The first object is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

__attribute__((destructor)) static void write_counts(void) {
  const char *path = getenv("ENTERED");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  uintptr_t base = 0;
  dl_iterate_phdr(take_base, &base);
  for (size_t i = 0; i < SLOTS; i++)
    if (entries[i].function)
      fprintf(file, "%jx %lu\n", (uintmax_t)(entries[i].function - base), (unsigned long)entries[i].count);
  fclose(file);
}
