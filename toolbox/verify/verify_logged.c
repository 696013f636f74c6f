/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices and flows of traces where a track's events come in no order of time: the log (slice_log.h) brings them into
 * it, and their streams (verify_stream.c) take them then.
 *
 * Where complete slices sort first at their time (tb_source_traits), the events of one time are brought into the order
 * in which the shaper has them, and streams take them as being in order.
 */
#include "timeline/entry_rank.h"
#include "timeline/sort_queue.h"
#include "toolbox/verify/verifier.h"

enum { GROUP_MAX = 1 << 28 };

enum tb_status tb_verify_start_log(struct tb_verifier *v) {
  static const enum tb_finding_code of_streams[] = {TB_FINDS_END_WITHOUT_BEGIN, TB_FINDS_OVERLAP,
                                                    TB_FINDS_FLOW_WITHOUT_SLICE};
  if (!v->has_log || v->ended_with_flows) {
    v->next_way = v->ended_with_flows ? TB_VERIFY_SHAPED : TB_VERIFY_LOGGED;
    return TB_UNSUPPORTED;
  }
  v->way = v->next_way = TB_VERIFY_LOGGED;
  for (size_t i = 0; i < sizeof(of_streams) / sizeof(*of_streams); i++)
    v->tallies[of_streams[i]] = (struct tb_finding_tally){.count = 0};
  v->tallies[TB_FINDS_END_WITHOUT_BEGIN] = v->unpaired_ends;
  tb_verify_reset_streams(v);
  return TB_OK;
}

static enum tb_status take(struct tb_verifier *v, const struct tb_slice_point *point) {
  enum tb_status status = tb_verify_stream_take(v, tb_verify_stream_of(v, point), point, false);
  if (status == TB_UNSUPPORTED) v->next_way = TB_VERIFY_SHAPED; /* too many are open */
  return status;
}

/* ---- events of one time ------------------------------------------------------------------------------------------ */

static int64_t rank_of(const struct tb_slice_point *point) {
  bool ranked = tb_slice_point_type(point) == TB_POINT_COMPLETE && point->dur > 0;
  return ranked ? point->dur : TB_RANK_OTHER;
}

static bool is_ranked(const struct tb_verifier *v) {
  for (size_t i = 1; i < v->group_count; i++)
    if (rank_of(&v->group[i - 1]) < rank_of(&v->group[i])) return false;
  return true;
}

/* Whether an event of the group is the END of a slice that began before it: of one that began in it, as many begin on
 * its stream as end. Asked of each event in turn. The shaper does not ask it of async events. */
static bool ends_older(struct tb_verifier *v, const struct tb_slice_point *point) {
  const enum tb_slice_point_type type = tb_slice_point_type(point);
  const bool is_async = tb_slice_point_stream(point) & TB_ASYNC_STREAM;
  if (is_async || (type != TB_POINT_BEGIN && type != TB_POINT_END)) return false;
  struct tb_verify_stream *stream = tb_verify_stream_of(v, point);
  tb_verify_stream_start_time(stream, point->ts);
  if (type == TB_POINT_BEGIN) stream->begun++;
  if (type == TB_POINT_BEGIN || !stream->begun) return type == TB_POINT_END;
  stream->begun--;
  return false;
}

/* Takes the events of the group whose order is that of refs: ENDs of older slices first where there are complete
 * slices. */
static enum tb_status take_in_order(struct tb_verifier *v, const struct tb_sort_queue_ref *refs,
                                    const struct tb_slice_point **others) {
  size_t other_count = 0;
  const struct tb_slice_point *first = (const struct tb_slice_point *)(const void *)refs[0].record;
  const bool raises = tb_slice_point_type(first) == TB_POINT_COMPLETE;
  enum tb_status status = TB_OK;
  for (size_t i = 0; status == TB_OK && i < v->group_count; i++) {
    const struct tb_slice_point *point = (const struct tb_slice_point *)(const void *)refs[i].record;
    if (raises && ends_older(v, point))
      status = take(v, point);
    else
      others[other_count++] = point;
  }
  for (size_t i = 0; status == TB_OK && i < other_count; i++) status = take(v, others[i]);
  return status;
}

static enum tb_status take_sorted(struct tb_verifier *v) {
  const size_t bytes = v->group_count * sizeof(struct tb_sort_queue_ref);
  struct tb_sort_queue_ref *refs = tb_alloc(v->allocator, bytes), *spare = tb_alloc(v->allocator, bytes);
  const struct tb_slice_point **others = tb_alloc(v->allocator, v->group_count * sizeof(*others));
  enum tb_status status = refs && spare && others ? TB_OK : TB_NO_MEMORY;
  if (status == TB_OK) {
    for (size_t i = 0; i < v->group_count; i++)
      refs[i] = (struct tb_sort_queue_ref){v->group[i].ts, rank_of(&v->group[i]), (const char *)&v->group[i]};
    if (!is_ranked(v)) tb_sort_queue_sort_refs(refs, v->group_count, spare);
    status = take_in_order(v, refs, others);
  }
  tb_free(v->allocator, refs, bytes);
  tb_free(v->allocator, spare, bytes);
  tb_free(v->allocator, others, v->group_count * sizeof(*others));
  return status;
}

static enum tb_status take_group(struct tb_verifier *v) {
  enum tb_status status = TB_OK;
  if (v->group_count == 1)
    status = take(v, v->group);
  else if (v->group_count)
    status = take_sorted(v);
  v->group_count = 0;
  return status;
}

static enum tb_status add_to_group(struct tb_verifier *v, const struct tb_slice_point *point) {
  void *group = v->group;
  enum tb_status status =
      tb_grow_array(v->allocator, &group, &v->group_capacity, v->group_count + 1, sizeof(*v->group), GROUP_MAX);
  v->group = group;
  if (status != TB_OK) return TB_NO_MEMORY;
  v->group[v->group_count++] = *point;
  return TB_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

enum tb_status tb_verify_logged(struct tb_verifier *v) {
  const struct tb_slice_point *point;
  enum tb_status status;
  while ((status = tb_slice_log_next(&v->log, &point, v->error)) == TB_OK) {
    if (!v->complete_first) {
      status = take(v, point);
    } else {
      if (v->group_count && v->group[0].ts != point->ts) status = take_group(v);
      if (status == TB_OK) status = add_to_group(v, point);
    }
    if (status != TB_OK) return status;
  }
  return status == TB_END ? take_group(v) : status;
}
