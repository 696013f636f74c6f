/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling a trace's format by its first bytes.
 */
#ifndef TB_CONVERT_FORMAT_DETECT_H
#define TB_CONVERT_FORMAT_DETECT_H

#include <stdbool.h>

#include "model/capabilities.h"
#include "tracebridge/reader.h"

struct tb_format_entry;

/* The entry of the format that is surest of an input that starts with these (decompressed) bytes, the first where
 * several are; NULL when it is none that we read. *sure: how sure it is. */
const struct tb_format_entry *tb_format_find(const char *data, size_t len, enum tb_detection *sure);

/* The format of an input that starts with these (decompressed) bytes; UNKNOWN when it is none that we read. */
enum tb_format tb_format_detect(const char *data, size_t len);

/* What to say of an input of unknown format that starts with these bytes: what it is, and what to do. A constant; NULL
 * where it is nothing that we know. */
const char *tb_format_known_foreign(const char *data, size_t len);

/* Fails with TB_UNKNOWN_FORMAT: says what it is, or which formats are read and that one can be named. */
enum tb_status tb_format_fail_unknown(struct tb_error *error, const char *data, size_t len);

/* Whether it is JSON that other programs write, and no trace. */
bool tb_format_is_foreign_document(const char *data, size_t len);

#endif
