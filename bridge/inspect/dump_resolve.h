/* SPDX-License-Identifier: Apache-2.0
 *
 * What ids in packets stand for: interned data by sequence, tracks by uuid. For comments in dumps only: texts are
 * shortened, and an id that is not known has no text.
 */
#ifndef TB_INSPECT_DUMP_RESOLVE_H
#define TB_INSPECT_DUMP_RESOLVE_H

#include <protobuf-c/protobuf-c.h>

#include "base/intern.h"
#include "base/map.h"
#include "perfetto/packet/sequence_table.h"
#include "protobuf/iid_index.h"
#include "tracebridge/packet.h"

/* Fields of InternedData that hold what is looked up have lower numbers. */
enum { TB_RESOLVER_FIELDS = 48 };

/* The interned data of a sequence: by field of InternedData, iid -> text. */
struct tb_resolver_sequence {
  struct tb_iid_index fields[TB_RESOLVER_FIELDS];
};

struct tb_resolver {
  const struct tb_allocator *allocator;
  struct tb_intern texts;
  struct tb_map tracks;               /* uuid -> text */
  struct tb_sequence_table sequences; /* by whose numbers `data` is */
  struct tb_resolver_sequence *data;
  size_t data_count, data_capacity;
  struct tb_resolver_sequence *current; /* of the current packet; NULL where it has none */
};

void tb_resolver_init(struct tb_resolver *resolver, const struct tb_allocator *allocator);
void tb_resolver_free(struct tb_resolver *resolver);

/* Takes in what a packet says before its ids are looked up. TB_OK or TB_NO_MEMORY. */
TB_MUST_CHECK enum tb_status tb_resolver_packet(struct tb_resolver *resolver, const struct tb_packet *packet);

/* What the value of a field stands for; empty where the field is no id, or nothing is known of it. */
struct tb_str tb_resolver_text(const struct tb_resolver *resolver, const ProtobufCMessageDescriptor *message,
                               const ProtobufCFieldDescriptor *field, uint64_t value);

#endif
