/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow events that are known by their id alone, as FXT's are. Readers of JSON join flow events that have one id, one
 * name and one category; so each takes name and category of its flow's begin. In FXT an end closes its flow, whose id
 * may then begin another: in JSON that one has an id of its own.
 */
#include "chrome_json/writer/writer.h"

enum { FLOWS_MAX = 1 << 20 }; /* that are known; of more the events are written as they are */

struct tb_json_id_only_flow {
  uint64_t number;   /* its id in JSON */
  int64_t end;       /* where it `ended` */
  uint32_t category; /* in id_only_names, as the next; 0: none */
  uint32_t name;
  bool ended;
};

void tb_json_free_id_only_flows(struct tb_json_writer *w) {
  tb_map_free(&w->id_only_places);
  tb_intern_free(&w->id_only_names);
  tb_free(w->writer->allocator, w->id_only, w->id_only_capacity * sizeof(*w->id_only));
}

/* The flow of the event; NULL where it is not known. */
static struct tb_json_id_only_flow *find(const struct tb_json_writer *w, const struct tb_event *event) {
  const uint64_t *place = tb_map_find(&w->id_only_places, event->id.value, 0);
  return place ? &w->id_only[*place] : NULL;
}

/* Makes one of the event's id known. NULL, with the writer's error set or not, where it cannot. */
static struct tb_json_id_only_flow *add(struct tb_json_writer *w, const struct tb_event *event) {
  void *id_only = w->id_only;
  if (w->id_only_count == FLOWS_MAX) return NULL;
  enum tb_status status = tb_grow_array(w->writer->allocator, &id_only, &w->id_only_capacity, w->id_only_count + 1,
                                        sizeof(*w->id_only), FLOWS_MAX);
  w->id_only = id_only;
  if (status == TB_OK) status = tb_map_put(&w->id_only_places, event->id.value, 0, w->id_only_count);
  if (status != TB_OK) {
    (void)tb_json_fail(w, status);
    return NULL;
  }
  w->id_only[w->id_only_count] = (struct tb_json_id_only_flow){.number = event->id.value};
  return &w->id_only[w->id_only_count++];
}

static uint32_t intern(struct tb_json_writer *w, struct tb_str text) {
  uint32_t id = text.len ? tb_intern_id(&w->id_only_names, text) : 0;
  if (text.len && !id) (void)tb_json_fail(w, TB_NO_MEMORY);
  return id;
}

static struct tb_str text_of(const struct tb_json_writer *w, uint32_t id) {
  return id ? tb_intern_text(&w->id_only_names, id) : (struct tb_str){"", 0};
}

/* The id is another flow's now. */
static void start_anew(struct tb_json_id_only_flow *flow, uint64_t id) {
  const uint64_t generation[] = {id, flow->number};
  *flow = (struct tb_json_id_only_flow){.number = XXH3_64bits(generation, sizeof(generation))};
}

void tb_json_name_id_only_flow(struct tb_json_writer *w, struct tb_event *event) {
  struct tb_json_id_only_flow *flow = find(w, event);
  if (!flow) flow = add(w, event);
  if (!flow) return;
  /* what is no later is of that flow too, on a thread that comes later in the file */
  if (flow->ended && event->ts > flow->end) start_anew(flow, event->id.value);
  if (event->type == TB_EVENT_FLOW_BEGIN) {
    flow->category = intern(w, event->categories);
    flow->name = intern(w, event->name);
  } else if (flow->name || flow->category) {
    struct tb_str category = text_of(w, flow->category), name = text_of(w, flow->name);
    if (!tb_str_equal(category, event->categories) || !tb_str_equal(name, event->name))
      tb_json_lose(w, "the name of a flow event that is called otherwise than its flow's begin", event);
    event->categories = category;
    event->name = name;
    event->has |= TB_HAS_NAME | (category.len ? TB_HAS_CATEGORIES : 0u);
  }
  if (event->type == TB_EVENT_FLOW_END) {
    flow->ended = true;
    flow->end = event->ts;
  }
  event->id.value = flow->number;
}
