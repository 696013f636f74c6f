/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader on any bytes: in one piece and in small pieces, which has to make no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "tracebridge/reader.h"

/* Touches all that an event points to, for the sanitizers, and sums it up. */
static uint64_t sum_bytes(uint64_t sum, struct tb_str text) {
  for (size_t i = 0; i < text.len; i++) sum = (sum ^ (unsigned char)text.ptr[i]) * UINT64_C(1099511628211);
  return sum + text.len;
}

static uint64_t sum_args(uint64_t sum, const struct tb_arg *args, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    sum = sum_bytes(sum + args[i].type, args[i].name);
    if (args[i].span == 0 || args[i].span > count - i) abort();
    if (args[i].type == TB_ARG_STRING || args[i].type == TB_ARG_JSON)
      sum = sum_bytes(sum, args[i].text);
    else if (args[i].type == TB_ARG_INT || args[i].type == TB_ARG_UINT)
      sum += args[i].u;
  }
  return sum;
}

static uint64_t sum_event(uint64_t sum, const struct tb_event *event) {
  sum = sum * 31 + (uint64_t)event->type + event->has + (uint64_t)event->ts + (uint64_t)event->dur + event->offset;
  sum = sum_bytes(sum_bytes(sum, event->name), event->categories);
  sum = sum_bytes(sum_bytes(sum_bytes(sum, event->id.text), event->bind_id.text), event->scope);
  sum = sum_args(sum_args(sum, event->args, event->arg_count), event->extra, event->extra_count);
  for (uint32_t i = 0; i < event->stack.frame_count; i++) sum = sum_bytes(sum, event->stack.frames[i].function);
  sum = sum_bytes(sum_bytes(sum, event->phase_text), event->parent_frame);
  if (event->track) sum += (uint64_t)event->track->pid + (uint64_t)event->track->tid + event->track->index;
  return event->type == TB_EVENT_SYSTEM_TRACE ? sum : sum_bytes(sum, event->blob);
}

static uint64_t read_all(const char *data, size_t size, size_t chunk) {
  struct tb_reader_options options = {
      .size = sizeof(options), .shape = TB_SHAPE_SOURCE, .format = TB_FORMAT_JSON, .max_record_bytes = 1 << 20};
  struct tb_reader *reader;
  const struct tb_event *event;
  uint64_t sum = 0;
  if (tb_reader_create_feed("fuzz", &options, &reader, NULL) != TB_OK) abort();
  for (enum tb_status status;;) {
    while ((status = tb_reader_next(reader, &event)) == TB_OK)
      if (event->type != TB_EVENT_SYSTEM_TRACE) sum = sum_event(sum, event);
    if (status != TB_AGAIN) {
      sum = sum * 31 + (uint64_t)status;
      break;
    }
    size_t n = size < chunk ? size : chunk;
    if (n && tb_reader_feed(reader, data, n) != TB_OK) abort();
    if (!n) tb_reader_feed_end(reader);
    data += n;
    size -= n;
  }
  size_t count;
  const struct tb_loss *losses = tb_reader_losses(reader, &count);
  for (size_t i = 0; i < count; i++) sum = sum * 31 + losses[i].count + losses[i].first_offset;
  tb_reader_close(reader);
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  bool compressed = size < 2 || (data[0] == 0x1f && data[1] == 0x8b) || data[0] == 0x28;
  uint64_t whole = read_all(text, size, SIZE_MAX), pieces = read_all(text, size, size % 61 + 1);
  if (whole != pieces && !compressed) abort();
  return 0;
}
