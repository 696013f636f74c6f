/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct tb_error tb_error_of_null = {
    .code = TB_INVALID, .offset = TB_NO_OFFSET, .record = TB_NO_OFFSET, .message = "the object is NULL"};

enum tb_status tb_check_open(const char *name, const void *made, struct tb_error *error) {
  if (!made) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "there is no pointer for what is opened");
  return name ? TB_OK : tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the name of the input or output is NULL");
}

const char *tb_version(void) { return TB_VERSION; }

const char *tb_status_text(enum tb_status status) {
  static const char *const texts[] = {
#define TB_STATUS_TEXT(name, text) text,
      TB_STATUS_LIST(TB_STATUS_TEXT)
#undef TB_STATUS_TEXT
  };
  if ((size_t)status >= sizeof(texts) / sizeof(texts[0])) return "unknown status";
  return texts[status];
}

static void set(struct tb_error *error, enum tb_status code, uint64_t offset, int system_errno, const char *format,
                va_list args) {
  if (!error || error->code != TB_OK) return;
  error->code = code;
  error->offset = offset;
  error->record = TB_NO_OFFSET;
  error->system_errno = system_errno;
  size_t used = (size_t)vsnprintf(error->message, sizeof(error->message), format, args);
  if (system_errno && used < sizeof(error->message))
    (void)snprintf(error->message + used, sizeof(error->message) - used, ": %s", strerror(system_errno));
}

enum tb_status tb_fail(struct tb_error *error, enum tb_status code, uint64_t offset, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set(error, code, offset, 0, format, args);
  va_end(args);
  return code;
}

enum tb_status tb_fail_errno(struct tb_error *error, enum tb_status code, int system_errno, const char *format, ...) {
  va_list args;
  va_start(args, format);
  set(error, code, TB_NO_OFFSET, system_errno, format, args);
  va_end(args);
  return code;
}

void tb_error_set_file(struct tb_error *error, const char *file) {
  if (!error || error->file[0] || !file) return;
  (void)snprintf(error->file, sizeof(error->file), "%s", file);
}
