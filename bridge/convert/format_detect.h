/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling a trace's format by its first bytes.
 */
#ifndef TB_CONVERT_FORMAT_DETECT_H
#define TB_CONVERT_FORMAT_DETECT_H

#include "tracebridge/reader.h"

/* The format of an input that starts with these (decompressed) bytes; UNKNOWN when it is none that we read. */
enum tb_format tb_format_detect(const char *data, size_t len);

/* What to say of an input of unknown format that starts with these bytes: what it is, and what to do. A constant; NULL where it is
 * nothing that we know. */
const char *tb_format_known_foreign(const char *data, size_t len);

#endif
