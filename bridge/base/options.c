/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

enum { SIZE_MAX_OF_OPTIONS = 64 * 1024 }; /* more is memory that was never set */

enum tb_status tb_options_take(void *filled, size_t known, const void *options, struct tb_error *error) {
  size_t size;
  if (!options) return TB_OK;
  memcpy(&size, options, sizeof(size));
  if (size < 2 * sizeof(size))
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET,
                   "the size of the options is not set: it is the sizeof their struct");
  if (size > SIZE_MAX_OF_OPTIONS)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the size of the options, %zu, is that of no version", size);
  for (size_t i = known; i < size; i++)
    if (((const char *)options)[i])
      return tb_fail(error, TB_INVALID, TB_NO_OFFSET,
                     "an option is set that this version of the library does not have");
  memcpy(filled, options, size < known ? size : known);
  memcpy(filled, &known, sizeof(known));
  return TB_OK;
}
