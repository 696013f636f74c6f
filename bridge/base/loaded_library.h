/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries that are loaded when they are used, so that whoever does not use them neither pays for them nor needs them.
 */
#ifndef TB_BASE_LOADED_LIBRARY_H
#define TB_BASE_LOADED_LIBRARY_H

#include <stddef.h>

#include "tracebridge/base.h"

/* A function of a library, by its name in it: `pointer` is where a pointer to it goes. */
struct tb_library_function {
  const char *name;
  void *pointer;
};

/* Loads the library of that file name, which stays loaded, and finds functions of it. TB_OK; TB_UNSUPPORTED where it is
 * not there or lacks one of them; TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_library_load(const char *file, const struct tb_library_function *functions,
                                             size_t count);

#endif
