/* SPDX-License-Identifier: Apache-2.0
 *
 * The providers that the FXT writer writes as: those that the trace's metadata names, and one of its own for each
 * process of which nothing is said.
 */
#include "base/intern.h"
#include "fxt/writer/writer.h"
#include "model/arg_lookup.h"
#include "model/fxt_providers.h"

enum {
  TABLE_BYTES = 16 << 20, /* of one provider's strings */
  TICKS_PER_SECOND = 1000000000,
  MAX_NAME = 255 /* bytes of a provider's name */
};

/* Ticks are ns; the trace's wall-clock time is added where it is known. */
void tb_fxt_write_initialization(struct tb_fxt_writer *w) {
  uint64_t words[] = {TICKS_PER_SECOND, w->base_ns, w->unix_ns};
  tb_fxt_write_separate_record(w, TB_FXT_INITIALIZATION,
                               (struct tb_str){(const char *)words, w->has_anchor ? sizeof(words) : 8});
}

static void write_provider(struct tb_fxt_writer *w, unsigned kind, struct tb_str name) {
  tb_fxt_write_separate_record(
      w, TB_FXT_METADATA | (uint64_t)kind << 16 | (uint64_t)w->provider->id << 20 | (uint64_t)name.len << 52, name);
}

static struct tb_fxt_out_provider *find(const struct tb_fxt_writer *w, uint32_t id) {
  return tb_map_find_pointer(&w->providers, id, 0);
}

static void use(struct tb_fxt_writer *w, struct tb_fxt_out_provider *provider) {
  if (!provider || provider == w->provider) return;
  w->provider = provider;
  write_provider(w, TB_FXT_PROVIDER_SECTION, (struct tb_str){NULL, 0});
}

/* Makes a provider, the current one then; NULL after a failure. */
static struct tb_fxt_out_provider *add(struct tb_fxt_writer *w, uint32_t id, struct tb_str name) {
  const struct tb_allocator *allocator = w->writer->allocator;
  struct tb_fxt_out_provider *provider = tb_calloc(allocator, sizeof(*provider));
  enum tb_status status = provider ? tb_map_put(&w->providers, id, 0, (uint64_t)(uintptr_t)provider) : TB_NO_MEMORY;
  tb_fxt_fail(w, status);
  if (status != TB_OK) {
    tb_free(allocator, provider, sizeof(*provider));
    return NULL;
  }
  tb_fxt_ref_cache_init(&provider->strings, allocator, TB_FXT_STRING_ENTRIES, TABLE_BYTES);
  tb_fxt_ref_cache_init(&provider->threads, allocator, TB_FXT_THREAD_ENTRIES, TABLE_BYTES);
  provider->id = id;
  w->provider = provider;
  write_provider(w, TB_FXT_PROVIDER_INFO, name);
  tb_fxt_write_initialization(w);
  return provider;
}

/* An id that no provider has. */
static uint32_t free_id(struct tb_fxt_writer *w) {
  do w->last_own_id++;
  while (find(w, w->last_own_id));
  return w->last_own_id;
}

void tb_fxt_use_process(struct tb_fxt_writer *w, uint64_t process) {
  struct tb_fxt_out_provider *provider = tb_map_find_pointer(&w->process_providers, process, 0);
  if (provider) {
    use(w, provider);
    return;
  }
  provider = add(w, free_id(w), TB_STR(TB_FXT_OWN_PROVIDER));
  if (provider) tb_fxt_fail(w, tb_map_put(&w->process_providers, process, 0, (uint64_t)(uintptr_t)provider));
}

/* ---- what metadata says ------------------------------------------------------------------------------------------ */

/* The provider that metadata knows by this id and name; by another id where something else has that. NULL after a
 * failure, and where no record could say it. */
static struct tb_fxt_out_provider *find_said(struct tb_fxt_writer *w, uint64_t id, struct tb_str name) {
  if (id > UINT32_MAX || name.len == 0 || name.len > MAX_NAME) return NULL;
  uint64_t hash = tb_str_hash(name, 0);
  struct tb_fxt_out_provider *provider = tb_map_find_pointer(&w->said, id, hash);
  if (provider) return provider;
  provider = add(w, find(w, (uint32_t)id) ? free_id(w) : (uint32_t)id, name);
  if (provider) tb_fxt_fail(w, tb_map_put(&w->said, id, hash, (uint64_t)(uintptr_t)provider));
  return provider;
}

static bool take_trace_metadata(struct tb_fxt_writer *w, const struct tb_event *event) {
  enum { PREFIX = sizeof(TB_PROVIDER_NAME) - 1 };
  uint64_t id;
  struct tb_str number = {event->name.ptr + PREFIX, event->name.len - PREFIX};
  if (!tb_fxt_parse_number(number, &id) || event->arg_count != 1 || event->args[0].type != TB_ARG_STRING) return false;
  struct tb_fxt_out_provider *provider = find_said(w, id, event->args[0].text);
  if (provider && event->sequence == id)
    tb_fxt_fail(w, tb_map_put(&w->sequences, id, 0, (uint64_t)(uintptr_t)provider));
  return provider != NULL;
}

static bool take_process_provider(struct tb_fxt_writer *w, const struct tb_event *event) {
  const struct tb_arg *id = tb_find_member(event->args, event->arg_count, TB_STR("id"));
  const struct tb_arg *name = tb_find_member(event->args, event->arg_count, TB_STR("name"));
  if (!id || (id->type != TB_ARG_INT && id->type != TB_ARG_UINT) || !name || name->type != TB_ARG_STRING) return false;
  struct tb_fxt_out_provider *provider = find_said(w, id->u, name->text);
  if (!provider) return false;
  tb_fxt_fail(w,
              tb_map_put(&w->process_providers, tb_fxt_process_koid(event->track), 0, (uint64_t)(uintptr_t)provider));
  return true;
}

bool tb_fxt_take_provider(struct tb_fxt_writer *w, const struct tb_event *event) {
  if (!tb_is_provider_metadata(event)) return false;
  return event->track ? take_process_provider(w, event) : take_trace_metadata(w, event);
}

/* ---- loss -------------------------------------------------------------------------------------------------------- */

void tb_fxt_put_data_loss(struct tb_fxt_writer *w, const struct tb_event *event) {
  struct tb_fxt_out_provider *source = event->track ? NULL : tb_map_find_pointer(&w->sequences, event->sequence, 0);
  if (source)
    use(w, source);
  else if (event->track || !w->provider)
    tb_fxt_use_process(w, tb_fxt_process_koid(event->track));
  if (!w->provider || (event->track && w->provider->loss_written)) return; /* one for all threads of a provider */
  w->provider->loss_written = true;
  write_provider(w, TB_FXT_PROVIDER_EVENT, (struct tb_str){NULL, 0});
}

void tb_fxt_free_providers(struct tb_fxt_writer *w) {
  size_t at = 0;
  for (struct tb_map_entry entry; tb_map_next(&w->providers, &at, &entry);) {
    struct tb_fxt_out_provider *provider = (void *)(uintptr_t)entry.value;
    tb_fxt_ref_cache_free(&provider->strings);
    tb_fxt_ref_cache_free(&provider->threads);
    tb_free(w->writer->allocator, provider, sizeof(*provider));
  }
  tb_map_free(&w->providers);
  tb_map_free(&w->process_providers);
  tb_map_free(&w->said);
  tb_map_free(&w->sequences);
}
