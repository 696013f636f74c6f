/* SPDX-License-Identifier: Apache-2.0
 *
 * Text for people that is written to a sink, until that stops.
 */
#ifndef TB_BASE_TEXT_PAGE_H
#define TB_BASE_TEXT_PAGE_H

#include "tracebridge/escape.h"

struct tb_text_page {
  tb_text_sink sink;
  void *ctx;
  bool stopped;
};

/* Writes the text as it is. */
void tb_text_page_put(struct tb_text_page *page, const char *text, size_t len);

/* As tb_escape_print. */
void tb_text_page_print(struct tb_text_page *page, const char *format, ...) TB_PRINTF(2, 3);

#endif
