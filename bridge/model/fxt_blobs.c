/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fxt_blobs.h"

#include <string.h>

#include "base/base64.h"
#include "model/carried_fields.h"

/* A blob of no time is something that the trace says of itself. */
static enum tb_status put_metadata(const struct tb_event *blob, struct tb_str text,
                                   enum tb_status (*put)(void *ctx, const struct tb_event *event), void *ctx) {
  const struct tb_arg args[] = {
      {.name = TB_STR("name"), .text = blob->name, .span = 1, .type = TB_ARG_STRING},
      {.name = TB_STR("type"), .u = blob->blob_type, .span = 1, .type = TB_ARG_UINT},
      {.name = TB_STR("category"), .text = blob->categories, .span = 1, .type = TB_ARG_STRING},
      {.name = TB_STR("bytes"), .text = text, .span = 1, .type = TB_ARG_STRING}};
  const struct tb_event metadata = {.type = TB_EVENT_METADATA,
                                    .has = TB_HAS_NAME | TB_HAS_ARGS,
                                    .phase = 'M',
                                    .name = TB_STR(TB_BLOB_METADATA),
                                    .args = args,
                                    .arg_count = sizeof(args) / sizeof(args[0]),
                                    .offset = blob->offset};
  return put(ctx, &metadata);
}

static enum tb_status put_instant(const struct tb_allocator *allocator, const struct tb_event *blob, struct tb_str text,
                                  enum tb_status (*put)(void *ctx, const struct tb_event *event), void *ctx) {
  struct tb_event instant = *blob;
  size_t size = ((size_t)blob->extra_count + 2) * sizeof(struct tb_arg);
  struct tb_arg *extra = tb_alloc(allocator, size);
  if (!extra) return TB_NO_MEMORY;
  if (blob->extra_count) memcpy(extra, blob->extra, blob->extra_count * sizeof(*extra));
  extra[instant.extra_count++] = (struct tb_arg){
      .name = tb_carried_key(TB_CARRIED_FXT_BLOB), .u = blob->blob_type, .span = 1, .type = TB_ARG_UINT};
  extra[instant.extra_count++] =
      (struct tb_arg){.name = tb_carried_key(TB_CARRIED_FXT_BYTES), .text = text, .span = 1, .type = TB_ARG_STRING};
  instant.type = TB_EVENT_INSTANT;
  instant.extra = extra;
  enum tb_status status = put(ctx, &instant);
  tb_free(allocator, extra, size);
  return status;
}

enum tb_status tb_blob_put_as_event(const struct tb_allocator *allocator, const struct tb_event *blob,
                                    enum tb_status (*put)(void *ctx, const struct tb_event *event), void *ctx) {
  size_t len = tb_base64_size(blob->blob.len);
  char *text = len == SIZE_MAX ? NULL : tb_alloc(allocator, len);
  if (!text) return TB_NO_MEMORY;
  tb_base64_encode(blob->blob, text);
  bool has_place = blob->track && blob->has & TB_HAS_TS;
  enum tb_status status = has_place ? put_instant(allocator, blob, (struct tb_str){text, len}, put, ctx)
                                    : put_metadata(blob, (struct tb_str){text, len}, put, ctx);
  tb_free(allocator, text, len);
  return status;
}
