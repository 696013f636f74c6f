/* SPDX-License-Identifier: Apache-2.0
 *
 * How blobs of FXT are kept in formats that have none (docs/MAPPING.md): as the members FXT_BLOB (the type, 0: a large
 * record) and FXT_BYTES (in base64) of an instant, see carried_fields.h, or as a metadata event.
 */
#ifndef TB_MODEL_FXT_BLOBS_H
#define TB_MODEL_FXT_BLOBS_H

#include "base/memory.h"
#include "tracebridge/event.h"

#define TB_BLOB_METADATA "fxt.blob" /* args: name, type, category, bytes in base64 */

enum { TB_BLOB_PERFETTO = 3 }; /* blob_type of TB_EVENT_PACKETS that was in a blob */

/* Gives `put` a TB_EVENT_BLOB as an event that such formats have: with a track and a time an INSTANT, else METADATA,
 * valid during the call. TB_OK, TB_NO_MEMORY or what `put` returned. */
TB_MUST_CHECK enum tb_status tb_blob_put_as_event(const struct tb_allocator *allocator, const struct tb_event *blob,
                                                  enum tb_status (*put)(void *ctx, const struct tb_event *event),
                                                  void *ctx);

#endif
