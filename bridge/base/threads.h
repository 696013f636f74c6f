/* SPDX-License-Identifier: Apache-2.0
 *
 * How many threads to use where the caller does not say.
 */
#ifndef TB_BASE_THREADS_H
#define TB_BASE_THREADS_H

#include <unistd.h>

/* As many as the machine has cores, at most 4: there is no work for more. */
static inline unsigned tb_default_threads(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > 4 ? 4 : (unsigned)cores;
}

#endif
