/* SPDX-License-Identifier: Apache-2.0
 *
 * How blobs of FXT stand in formats that have none (docs/MAPPING.md): as members of an instant, or as a metadata event.
 */
#ifndef TB_EVENT_BLOBS_H
#define TB_EVENT_BLOBS_H

#define TB_BLOB_EXTRA_TYPE "fxt_blob"   /* the blob's type, 0: a large record */
#define TB_BLOB_EXTRA_BYTES "fxt_bytes" /* in base64 */
#define TB_BLOB_METADATA "fxt.blob"     /* args: name, type, category, bytes in base64 */

enum { TB_BLOB_PERFETTO = 3 }; /* blob_type of TB_EVENT_PACKETS that stood in a blob */

#endif
