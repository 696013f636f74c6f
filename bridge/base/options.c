/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

enum { SIZE_MAX_OF_STRUCT = 64 * 1024 }; /* more is memory that was never set */

static size_t size_of(const void *sized) {
  size_t size;
  memcpy(&size, sized, sizeof(size));
  return size;
}

static bool is_size(size_t size) { return size >= 2 * sizeof(size) && size <= SIZE_MAX_OF_STRUCT; }

static enum tb_status check_size(const void *sized, const char *what, struct tb_error *error) {
  size_t size = size_of(sized);
  if (is_size(size)) return TB_OK;
  if (size <= SIZE_MAX_OF_STRUCT)
    return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the size of the %s is not set: it is the sizeof their struct",
                   what);
  return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the size of the %s, %zu, is that of no version", what, size);
}

enum tb_status tb_options_take(void *filled, size_t known, const void *options, struct tb_error *error) {
  if (!options) return TB_OK;
  enum tb_status status = check_size(options, "options", error);
  if (status != TB_OK) return status;
  size_t size = size_of(options);
  for (size_t i = known; i < size; i++)
    if (((const char *)options)[i])
      return tb_fail(error, TB_INVALID, TB_NO_OFFSET,
                     "an option is set that this version of the library does not have");
  memcpy(filled, options, size < known ? size : known);
  memcpy(filled, &known, sizeof(known));
  return TB_OK;
}

/* How many bytes of members a report and `known` bytes have in common, behind the size. */
static size_t common(const void *report, size_t known) {
  size_t size = size_of(report);
  return (size < known ? size : known) - sizeof(size);
}

enum tb_status tb_report_begin(void *report, size_t known, struct tb_error *error) {
  if (!report) return TB_OK;
  enum tb_status status = check_size(report, "members of the report", error);
  if (status == TB_OK) memset((char *)report + sizeof(size_t), 0, common(report, known));
  return status;
}

void tb_report_give(void *report, const void *filled, size_t known) {
  if (!report) return;
  memcpy((char *)report + sizeof(size_t), (const char *)filled + sizeof(size_t), common(report, known));
}

bool tb_report_has(const void *report, size_t end) {
  return report && is_size(size_of(report)) && end <= size_of(report);
}
