/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TB_BASE_ERROR_H
#define TB_BASE_ERROR_H

#include "tracebridge/base.h"

/* Sets *error unless it is NULL or set already, and returns `code`, so that `return tb_fail(…)` reads well. */
enum tb_status tb_fail(struct tb_error *error, enum tb_status code, uint64_t offset, const char *format, ...)
    TB_PRINTF(4, 5);

/* As tb_fail, for a system call that left errno. */
enum tb_status tb_fail_errno(struct tb_error *error, enum tb_status code, int system_errno, const char *format, ...)
    TB_PRINTF(4, 5);

/* What tb_reader_error and the like return where the object is NULL. */
extern const struct tb_error tb_error_of_null;

/* What every call that opens something needs: a name, and a pointer for what it makes. TB_OK or TB_INVALID. */
enum tb_status tb_check_open(const char *name, const void *made, struct tb_error *error);

/* Names the file that an error is about; keeps a name that is there. */
void tb_error_set_file(struct tb_error *error, const char *file);

#endif
