/* SPDX-License-Identifier: Apache-2.0
 *
 * Members of a JSON event whose values have a form of their own (times, ids, stacks), and what the members together
 * say.
 *
 * The readers of values return the byte after the value. NULL with scan->status TB_TOKENIZER_OK: the value has a
 * form that the field cannot take, and nothing was stored; NULL with another status: failure. They set the status
 * themselves.
 */
#ifndef TB_CHROME_JSON_READER_FIELD_PARSER_H
#define TB_CHROME_JSON_READER_FIELD_PARSER_H

#include "chrome_json/reader/reader.h"

/* An event while its members are read: what is decided only when all are known. */
struct tb_json_event_parse {
  struct tb_event *event;
  struct tb_json_key_prediction *predictions; /* TB_JSON_KEY_PREDICTIONS of them: what its next keys may be */
  struct tb_str phase;
  struct tb_str instant_scope; /* s */
  struct tb_str binding_point; /* bp */
  struct tb_json_id pid, tid;
  struct tb_id id2;
  bool flow_in, flow_out, use_async_tts;
  bool has_rare;         /* one of id2, bp and the three flags may be there */
  bool has_doubled_args; /* the last ones count */
};

const char *tb_json_time_slow(struct tb_tokenizer *scan, const char *p, int64_t *ns);

/* Three digits at `p` and nothing else before the next member: their number, else -1. */
static inline int32_t tb_json_three_decimals(const char *p) {
  uint32_t v = tb_load32(p) ^ UINT32_C(0x303030);
  char after = (char)(v >> 24);
  if (((v | (v + UINT32_C(0x767676))) & UINT32_C(0x808080)) || (after != ',' && after != '}')) return -1;
  return (int32_t)((v & 0xff) * 100 + (v >> 8 & 0xff) * 10 + (v >> 16 & 0xff));
}

/* Microseconds, as a number or a number in a string, to ns. */
static inline const char *tb_json_time(struct tb_tokenizer *scan, const char *p, int64_t *ns) {
  static const uint32_t scale[] = {1, 10, 100, 1000};
  uint64_t mantissa = 0;
  const char *at = tb_tokenizer_digits(p, &mantissa), *digits = at;
  int32_t decimals3 = *at == '.' ? tb_json_three_decimals(at + 1) : -1;
  if (decimals3 >= 0 && digits != p && digits - p <= 13) {
    *ns = (int64_t)(mantissa * 1000) + decimals3;
    return at + 4;
  }
  if (*at == '.') at = tb_tokenizer_digits(at + 1, &mantissa);
  ptrdiff_t decimals = at > digits ? at - digits - 1 : 0;
  if (digits == p || at - p > 16 || decimals > 3 || (*at != ',' && *at != '}')) return tb_json_time_slow(scan, p, ns);
  *ns = (int64_t)(mantissa * scale[3 - decimals]); /* at most 16 digits: no overflow */
  return at;
}

const char *tb_json_process_id_slow(struct tb_tokenizer *scan, const char *p, struct tb_json_id *id);

/* A pid or tid. */
static inline const char *tb_json_process_id(struct tb_tokenizer *scan, const char *p, struct tb_json_id *id) {
  uint64_t value = 0;
  const char *at = tb_tokenizer_digits(p, &value);
  if (at == p || at - p > 18 || (*at != ',' && *at != '}')) return tb_json_process_id_slow(scan, p, id);
  id->kind = TB_JSON_ID_NUMBER;
  id->number = (int64_t)value;
  id->text = (struct tb_str){NULL, 0};
  return at;
}

const char *tb_json_id(struct tb_tokenizer *scan, const char *p, struct tb_id *id);
const char *tb_json_id2(struct tb_tokenizer *scan, const char *p, struct tb_id *id);
const char *tb_json_frame_ref(struct tb_tokenizer *scan, const char *p, struct tb_stack *stack);
const char *tb_json_stack(struct tb_tokenizer *scan, const char *p, struct tb_stack *stack);
const char *tb_json_flag(struct tb_tokenizer *scan, const char *p, bool *flag);

/* Type, track and the other conclusions. False when memory is exhausted. */
bool tb_json_finish(struct tb_json_state *state, struct tb_json_event_parse *parse);

/* Makes a THREAD_STATE of an event of phase T that is OTHER, where it is one. chrome_json/reader/task_state.c */
void tb_json_take_task_state(struct tb_event *event);

#endif
