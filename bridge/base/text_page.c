/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_page.h"

#include <stdarg.h>

void tb_text_page_put(struct tb_text_page *page, const char *text, size_t len) {
  if (!page->stopped && len && !page->sink(page->ctx, text, len)) page->stopped = true;
}

static bool take(void *ctx, const char *text, size_t len) {
  struct tb_text_page *page = ctx;
  tb_text_page_put(page, text, len);
  return !page->stopped;
}

void tb_text_page_print(struct tb_text_page *page, const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)tb_escape_print(take, page, format, args);
  va_end(args);
}
