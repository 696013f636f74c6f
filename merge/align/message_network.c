/* SPDX-License-Identifier: Apache-2.0 */
#include "merge/align/message_network.h"

#include <math.h>

#include "base/map.h"
#include "merge/align/linear_program.h"
#include "merge/align/rough_offsets.h"

/* Programmes count offsets in us, drifts in ppm, distances in time in s, so that numbers are of one size. */
static const double US = 1e3, PPM = 1e-6, SECOND = 1e9;
/* Nanoseconds that rounding may cost, in us; limits are relaxed by as much. */
static const double ROUNDING = 1e-3;
/* A clock's rate is known no better than that. */
static const double RATE_CHANGE = 0.5e-6;
/* Of few messages one way nobody knows how long they take: that is assumed to be enough, in us. Of more, the fastest
 * one takes at most as long as the slowest one seems to. */
enum { ONE_WAY_MESSAGES = 10 };
static const double ONE_WAY_US = 1e4, ONE_WAY_SPREADS = 2;
/* Nothing is further from where the median of its messages puts it, in us; so no programme falls without end. */
static const double FAR_US = 1e9;
/* What a ppm of drift costs where nothing else decides, in us. */
static const double DRIFT_COST = 1e-3;
/* Limits that are broken by much cost little more than those that are broken by this, in us: few are to be broken, not
 * little. */
static const double BROKEN_US = 10;
enum { THIRDS = 3, ROUNDS_MAX = 10000, WEIGHINGS = 8 };

/* Messages from one host to another: the worst by the solution at hand. */
struct link {
  uint32_t from, to;
  size_t count;
  size_t worst; /* of `own`; SIZE_MAX: none */
  double worst_us;
  double slowest_us;
  size_t fastest[THIRDS]; /* of each third of the time; SIZE_MAX: none */
  double fastest_us[THIRDS];
  bool one_way; /* nothing leads back, by way of others either */
};

/* Hosts that messages join, directly or by way of others. */
struct component {
  const struct tb_allocator *allocator;
  struct tb_network_message *messages; /* all */
  size_t *own;                         /* those of the component */
  uint32_t *link_of;                   /* of each of these */
  uint8_t *in_program;                 /* whether the programme at hand has its limit */
  int *broken_by;                      /* and the variable that says by how much it is broken; -1: none */
  size_t own_count, own_capacity;
  struct link *links;
  size_t link_count, link_capacity;
  struct tb_network_host *hosts;
  const uint32_t *members; /* its hosts in their order: the first is the root */
  size_t member_count;
  const uint32_t *member_of; /* of a host */
  int64_t *rough;            /* of a member: an offset to start from */
  double *values;            /* the solution at hand */
  double *corners;           /* the sum of the solutions that count for the estimate */
  size_t corner_count;
  double max_drift; /* ppm */
};

/* A member's variables; SPEED is the drift without its sign. */
enum { OFFSET, DRIFT, SPEED, FIELDS };
static int variable_of(size_t member, int field) { return (int)(member * FIELDS) + field; }

static double seconds_from_middle(const struct component *c, uint32_t host, int64_t time) {
  return (double)((tb_wide)time - c->hosts[host].x0) / SECOND;
}

/* How long a message takes is a linear function of variables, in us. */
struct duration {
  int variables[4];
  double factors[4], constant;
};

static struct duration duration_of(const struct component *c, const struct tb_network_message *m) {
  uint32_t from = c->member_of[m->from], to = c->member_of[m->to];
  tb_wide takes = ((tb_wide)m->received + c->rough[to]) - ((tb_wide)m->sent + c->rough[from]);
  return (struct duration){
      .variables = {variable_of(to, OFFSET), variable_of(to, DRIFT), variable_of(from, OFFSET),
                    variable_of(from, DRIFT)},
      .factors = {1, seconds_from_middle(c, m->to, m->received), -1, -seconds_from_middle(c, m->from, m->sent)},
      .constant = (double)takes / US};
}

static double evaluate(const struct component *c, size_t own) {
  struct duration d = duration_of(c, &c->messages[c->own[own]]);
  double sum = d.constant;
  for (int i = 0; i < 4; i++) sum += d.factors[i] * c->values[d.variables[i]];
  return sum;
}

static bool is_met(const struct component *c, size_t own) { return !c->messages[c->own[own]].unmet; }

/* ---- programmes -------------------------------------------------------------------------------------------------- */

/* Drifts are up to `most_drift`, ppm. */
static struct tb_linear_program *create_program(const struct component *c, double most_drift) {
  struct tb_linear_program *program = tb_linear_program_create(c->allocator);
  for (size_t i = 0; i < c->member_count && program; i++) {
    double most = i ? FAR_US : 0, drift = i ? most_drift : 0; /* the root's line is level */
    tb_linear_program_add_variable(program, -most, most, 0);
    tb_linear_program_add_variable(program, -drift, drift, 0);
    tb_linear_program_add_variable(program, 0, drift, DRIFT_COST);
  }
  for (size_t i = 1; i < c->member_count && program; i++) {
    const int variables[2] = {variable_of(i, SPEED), variable_of(i, DRIFT)};
    tb_linear_program_add_limit(program, variables, (const double[]){1, 1}, 2, 0);
    tb_linear_program_add_limit(program, variables, (const double[]){1, -1}, 2, 0);
  }
  memset(c->in_program, 0, c->own_count);
  return program;
}

/* A programme, and which of its variables says how far each message's limit is broken. */
struct limit_search {
  struct tb_linear_program *program;
  bool yields; /* limits may be broken, at a cost of how far */
  int variables;
  int margin;      /* the variable of what each message takes at least; 0: none, the root's offset is no margin */
  double least_us; /* what each message takes at least, where that is known */
};

static void add_message(const struct component *c, struct limit_search *search, size_t own) {
  struct duration d = duration_of(c, &c->messages[c->own[own]]);
  int variables[5] = {d.variables[0], d.variables[1], d.variables[2], d.variables[3], search->variables};
  double factors[5] = {d.factors[0], d.factors[1], d.factors[2], d.factors[3], 1};
  if (search->yields) {
    tb_linear_program_add_variable(search->program, 0, INFINITY, 1);
    c->broken_by[own] = search->variables++;
  } else if (search->margin) {
    variables[4] = search->margin;
    factors[4] = -1;
  }
  tb_linear_program_add_limit(search->program, variables, factors, search->yields || search->margin ? 5 : 4,
                              search->least_us - d.constant - (search->yields ? 0 : ROUNDING));
  c->in_program[own] = 1;
}

/* Of thousands of limits some dozens count: a message gets into the programme when a solution breaks its limit; of each
 * link the one that is broken most. How many did. */
static size_t add_broken(struct component *c, struct limit_search *search) {
  size_t added = 0;
  double least_us = search->margin ? tb_linear_program_values(search->program)[search->margin] : search->least_us;
  for (size_t i = 0; i < c->link_count; i++) {
    c->links[i].worst = SIZE_MAX;
    c->links[i].worst_us = least_us - 2 * ROUNDING;
  }
  for (size_t i = 0; i < c->own_count; i++) {
    struct link *link = &c->links[c->link_of[i]];
    if (c->in_program[i] || !is_met(c, i)) continue;
    double takes = evaluate(c, i);
    if (takes < link->worst_us) link->worst_us = takes, link->worst = i;
  }
  for (size_t i = 0; i < c->link_count; i++) {
    if (c->links[i].worst == SIZE_MAX) continue;
    add_message(c, search, c->links[i].worst);
    added++;
  }
  return added;
}

/* Solves until the solution breaks no limit that is not in the programme. */
static enum tb_status solve(struct component *c, struct limit_search *search) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    enum tb_status status = tb_linear_program_solve(search->program);
    if (status != TB_OK) return TB_UNSUPPORTED;
    memcpy(c->values, tb_linear_program_values(search->program), c->member_count * FIELDS * sizeof(*c->values));
    if (!add_broken(c, search)) return TB_OK;
  }
  return TB_UNSUPPORTED;
}

/* ---- messages that contradict others ----------------------------------------------------------------------------- */

/* Gives limits that are broken by much a lower cost, so that others are broken less; true where any is broken. */
static bool weigh(const struct component *c, struct limit_search *search) {
  const double *values = tb_linear_program_values(search->program);
  bool any = false;
  for (size_t i = 0; i < c->own_count; i++) {
    if (!c->in_program[i]) continue;
    double broken = values[c->broken_by[i]];
    any |= broken > 2 * ROUNDING;
    tb_linear_program_set_cost(search->program, c->broken_by[i], BROKEN_US / (BROKEN_US + broken));
  }
  return any;
}

/* Leaves out the messages that no lines meet with the rest: nearly the fewest. */
static enum tb_status leave_out_unmet(struct component *c) {
  struct limit_search search = {create_program(c, c->max_drift), true, (int)(c->member_count * FIELDS), 0, 0};
  if (!search.program) return TB_NO_MEMORY;
  enum tb_status status = solve(c, &search);
  for (int i = 0; i < WEIGHINGS && status == TB_OK && weigh(c, &search); i++) status = solve(c, &search);
  for (size_t i = 0; i < c->own_count && status == TB_OK; i++) {
    struct tb_network_message *m = &c->messages[c->own[i]];
    m->unmet = evaluate(c, i) < -3 * ROUNDING;
    c->hosts[m->from].unmet += m->unmet;
    c->hosts[m->to].unmet += m->unmet;
  }
  tb_linear_program_free(search.program);
  return status;
}

/* ---- messages one way -------------------------------------------------------------------------------------------- */

/* Sets which members messages lead to from one of them, by way of others too. */
static void reach_members(const struct component *c, size_t member, uint8_t *reached) {
  memset(reached, 0, c->member_count);
  reached[member] = 1;
  for (bool more = true; more;) {
    more = false;
    for (size_t k = 0; k < c->link_count; k++) {
      uint8_t *to = &reached[c->member_of[c->links[k].to]];
      if (!reached[c->member_of[c->links[k].from]] || *to) continue;
      *to = 1;
      more = true;
    }
  }
}

/* Sets which links no message leads back over: a search from each member, since links may be as many as pairs. */
static enum tb_status find_one_way(struct component *c) {
  uint8_t *reached = tb_alloc(c->allocator, c->member_count);
  if (!reached) return TB_NO_MEMORY;
  for (size_t member = 0; member < c->member_count; member++) {
    reach_members(c, member, reached);
    for (size_t i = 0; i < c->link_count; i++)
      if (c->member_of[c->links[i].to] == member) c->links[i].one_way = !reached[c->member_of[c->links[i].from]];
  }
  tb_free(c->allocator, reached, c->member_count);
  return TB_OK;
}

/* The fastest of each third of a link's time, and the slowest, by the solution at hand. */
static void find_fastest(struct component *c) {
  for (size_t i = 0; i < c->link_count; i++) {
    c->links[i].slowest_us = 0;
    for (int k = 0; k < THIRDS; k++) c->links[i].fastest[k] = SIZE_MAX, c->links[i].fastest_us[k] = INFINITY;
  }
  for (size_t i = 0; i < c->own_count; i++) {
    struct link *link = &c->links[c->link_of[i]];
    const struct tb_network_message *m = &c->messages[c->own[i]];
    const struct tb_network_host *to = &c->hosts[m->to];
    if (!link->one_way || !is_met(c, i)) continue;
    tb_wide span = (tb_wide)to->last - to->first + 1, at = (tb_wide)m->received - to->first;
    int third = (int)(at * THIRDS / span);
    double takes = evaluate(c, i);
    if (takes > link->slowest_us) link->slowest_us = takes;
    if (takes < link->fastest_us[third]) link->fastest_us[third] = takes, link->fastest[third] = i;
  }
}

/* The solution in which messages take the least time together. */
static enum tb_status solve_fastest(struct component *c) {
  struct limit_search search = {create_program(c, c->max_drift), false, 0, 0, 0};
  double *costs = tb_calloc(c->allocator, c->member_count * FIELDS * sizeof(*costs));
  enum tb_status status = search.program && costs ? TB_OK : TB_NO_MEMORY;
  for (size_t i = 0; i < c->own_count && status == TB_OK; i++) {
    struct duration d = duration_of(c, &c->messages[c->own[i]]);
    if (!is_met(c, i)) continue;
    for (int k = 0; k < 4; k++) costs[d.variables[k]] += d.factors[k];
  }
  for (size_t i = 0; i < c->member_count && status == TB_OK; i++) {
    tb_linear_program_set_cost(search.program, variable_of(i, OFFSET), costs[variable_of(i, OFFSET)]);
    tb_linear_program_set_cost(search.program, variable_of(i, DRIFT), costs[variable_of(i, DRIFT)]);
  }
  if (status == TB_OK) status = solve(c, &search);
  if (search.program) tb_linear_program_free(search.program);
  tb_free(c->allocator, costs, c->member_count * FIELDS * sizeof(*costs));
  return status;
}

/* Limits how long the fastest messages of links one way take: to what they take by the fastest solution, or to what the
 * bound assumes. */
static void limit_one_way(const struct component *c, struct limit_search *search, bool assumed) {
  for (size_t i = 0; i < c->link_count; i++) {
    const struct link *link = &c->links[i];
    for (int k = 0; k < THIRDS && link->one_way; k++) {
      if (link->fastest[k] == SIZE_MAX) continue;
      struct duration d = duration_of(c, &c->messages[c->own[link->fastest[k]]]);
      for (int v = 0; v < 4; v++) d.factors[v] = -d.factors[v];
      double most = link->fastest_us[k] + ROUNDING;
      if (assumed) most += link->count < ONE_WAY_MESSAGES ? ONE_WAY_US : ONE_WAY_SPREADS * link->slowest_us;
      tb_linear_program_add_limit(search->program, d.variables, d.factors, 4, d.constant - most);
    }
  }
}

/* ---- the estimate and its bound ---------------------------------------------------------------------------------- */

/* A linear function of one host's line: its time at `at` seconds from its middle, or its drift. */
struct goal {
  size_t member;
  double offset, drift;
};

/* The least (sign 1) or greatest (sign -1) value of a goal. */
static enum tb_status reach(struct component *c, struct limit_search *search, const struct goal *goal, double sign,
                            double *value) {
  int offset = variable_of(goal->member, OFFSET), drift = variable_of(goal->member, DRIFT);
  tb_linear_program_set_cost(search->program, offset, sign * goal->offset);
  tb_linear_program_set_cost(search->program, drift, sign * goal->drift);
  enum tb_status status = solve(c, search);
  tb_linear_program_set_cost(search->program, offset, 0);
  tb_linear_program_set_cost(search->program, drift, 0);
  *value = goal->offset * c->values[offset] + goal->drift * c->values[drift];
  return status;
}

static double ends_of(const struct component *c, size_t member, int end) {
  const struct tb_network_host *h = &c->hosts[c->members[member]];
  return seconds_from_middle(c, c->members[member], end ? h->last : h->first);
}

/* Adds up the corners at which hosts' times at both ends are extreme. */
static enum tb_status find_corners(struct component *c, struct limit_search *search) {
  enum tb_status status = TB_OK;
  for (size_t i = 1; i < c->member_count; i++) {
    for (int corner = 0; corner < 4 && status == TB_OK; corner++) {
      struct goal goal = {i, 1, ends_of(c, i, corner / 2)};
      double value;
      status = reach(c, search, &goal, corner % 2 ? -1 : 1, &value);
      for (size_t v = 0; v < c->member_count * FIELDS && status == TB_OK; v++) c->corners[v] += c->values[v];
      c->corner_count++;
    }
  }
  return status;
}

/* How far a goal's value may be from the estimate's. */
static enum tb_status measure(struct component *c, struct limit_search *search, const struct goal *goal,
                              double *distance) {
  const double *estimate = c->corners;
  double own = goal->offset * estimate[variable_of(goal->member, OFFSET)] +
               goal->drift * estimate[variable_of(goal->member, DRIFT)];
  double least, most;
  enum tb_status status = reach(c, search, goal, 1, &least);
  if (status == TB_OK) status = reach(c, search, goal, -1, &most);
  if (status == TB_OK) *distance = fmax(fmax(most - own, own - least), 0);
  return status;
}

static enum tb_status set_bound(struct component *c, struct limit_search *search, size_t member) {
  struct tb_network_host *h = &c->hosts[c->members[member]];
  int64_t times[3] = {h->first, h->x0, h->last};
  struct tb_time_bound_point points[3] = {{0, 0}};
  size_t count = 0;
  double distance = 0;
  enum tb_status status = TB_OK;
  for (int i = 0; i < 3 && status == TB_OK; i++) {
    if (count && points[count - 1].time == times[i]) continue;
    struct goal goal = {member, 1, seconds_from_middle(c, c->members[member], times[i])};
    status = measure(c, search, &goal, &distance);
    points[count++] = (struct tb_time_bound_point){times[i], tb_time_add(tb_time_round(ceil(distance * US)), 2)};
  }
  if (status == TB_OK) status = measure(c, search, &(struct goal){member, 0, 1}, &distance);
  if (status != TB_OK) return status;
  return tb_time_bound_create(&h->bound, c->allocator, points, count, distance * PPM + RATE_CHANGE);
}

static void set_line(const struct component *c, size_t member) {
  struct tb_network_host *h = &c->hosts[c->members[member]];
  h->root = c->members[0];
  h->offset = tb_time_add(c->rough[member], tb_time_round(c->corners[variable_of(member, OFFSET)] * US));
  h->drift = c->corners[variable_of(member, DRIFT)] * PPM;
}

/* Few messages say little of drift: then the smallest class counts that meets them. Of some more, the smallest that
 * meets them nearly as well as any. */
enum { FEW = 10, SOME = 20 };
static bool has_fewer_messages(const struct component *c, uint64_t count) {
  for (size_t i = 1; i < c->member_count; i++)
    if (c->hosts[c->members[i]].messages < count) return true;
  return false;
}

/* The largest time, in us, that all messages can take at least; *at_most: a drift would be as large as it may be. */
static enum tb_status find_margin(struct component *c, double most_drift, double *margin_us, bool *at_most) {
  static const double AS_LARGE = 0.95;
  struct limit_search search = {create_program(c, most_drift), false, 0, 0, 0};
  if (!search.program) return TB_NO_MEMORY;
  search.margin = (int)(c->member_count * FIELDS);
  tb_linear_program_add_variable(search.program, 0, FAR_US, -1);
  enum tb_status status = solve(c, &search);
  *at_most = false;
  for (size_t i = 1; i < c->member_count && status == TB_OK; i++)
    *at_most |= fabs(c->values[variable_of(i, DRIFT)]) >= AS_LARGE * most_drift;
  *margin_us = status == TB_OK ? tb_linear_program_values(search.program)[search.margin] : 0;
  tb_linear_program_free(search.program);
  return status;
}

/* Drifts are at most one of these, ppm. */
static const double drift_classes[] = {10, 100, INFINITY};
enum { SMALLEST, USUAL, DRIFT_CLASSES };

/* Which drifts are tried first, and most of the time that all messages can take at least then: between the hosts' lines
 * that leave so much to both sides drifts are known well where one direction is slower than the other, and all ways
 * round take their share. 0 us where drifts would have to be as large as they may: then messages do not show them. */
static enum tb_status choose_drifts(struct component *c, size_t *drift_class, double *least_us) {
  static const double SHARE = 0.9, NEARLY = 0.75;
  double margin_us = 0, small_us = 0;
  bool at_most = false;
  enum tb_status status = TB_UNSUPPORTED;
  *least_us = 0;
  for (*drift_class = USUAL; *drift_class < DRIFT_CLASSES; ++*drift_class) {
    status = find_margin(c, fmin(drift_classes[*drift_class], c->max_drift), &margin_us, &at_most);
    if (status != TB_UNSUPPORTED) break;
  }
  if (status != TB_OK || at_most) return status;
  *least_us = SHARE * margin_us;
  if (*drift_class != USUAL || !has_fewer_messages(c, SOME)) return TB_OK;
  status = find_margin(c, fmin(drift_classes[SMALLEST], c->max_drift), &small_us, &at_most);
  if (status != TB_OK || small_us < NEARLY * margin_us) return status;
  *drift_class = SMALLEST;
  *least_us = SHARE * small_us;
  return TB_OK;
}

/* The average of the corners, with the smallest drifts that meet the messages. */
static enum tb_status estimate(struct component *c, bool one_way) {
  size_t first = has_fewer_messages(c, FEW) ? SMALLEST : USUAL;
  double least_us = 0;
  enum tb_status status = TB_UNSUPPORTED;
  if (!one_way && first == USUAL && choose_drifts(c, &first, &least_us) == TB_NO_MEMORY) return TB_NO_MEMORY;
  for (size_t i = first; i < DRIFT_CLASSES && status == TB_UNSUPPORTED; i++) {
    struct limit_search search = {create_program(c, fmin(drift_classes[i], c->max_drift)), false, 0, 0, least_us};
    if (!search.program) return TB_NO_MEMORY;
    memset(c->corners, 0, c->member_count * FIELDS * sizeof(*c->corners));
    c->corner_count = 0;
    if (one_way) limit_one_way(c, &search, false);
    status = find_corners(c, &search);
    tb_linear_program_free(search.program);
    least_us = 0;
  }
  for (size_t v = 0; v < c->member_count * FIELDS && status == TB_OK; v++) c->corners[v] /= (double)c->corner_count;
  return status;
}

static enum tb_status set_lines(struct component *c, bool one_way) {
  struct limit_search search = {create_program(c, c->max_drift), false, 0, 0, 0};
  enum tb_status status = search.program ? TB_OK : TB_NO_MEMORY;
  if (search.program && one_way) limit_one_way(c, &search, true);
  for (size_t i = 1; i < c->member_count && status == TB_OK; i++) {
    set_line(c, i);
    c->hosts[c->members[i]].one_way = one_way;
    status = set_bound(c, &search, i);
  }
  tb_linear_program_free(search.program);
  return status;
}

/* ---- components -------------------------------------------------------------------------------------------------- */

static enum tb_status add_own(struct component *c, size_t message, struct tb_map *links) {
  const struct tb_network_message *m = &c->messages[message];
  uint64_t key = (uint64_t)m->from << 32 | m->to;
  const uint64_t *known = tb_map_find(links, key, 0);
  uint32_t link = known ? (uint32_t)*known : (uint32_t)c->link_count;
  if (!known) {
    void *grown = c->links;
    enum tb_status status =
        tb_grow_array(c->allocator, &grown, &c->link_capacity, c->link_count + 1, sizeof(*c->links), UINT32_MAX / 2);
    c->links = grown;
    if (status == TB_OK) status = tb_map_put(links, key, 0, c->link_count);
    if (status != TB_OK) return status;
    c->links[c->link_count++] = (struct link){.from = m->from, .to = m->to, .count = 1};
  } else {
    c->links[link].count++; /* NOLINT(clang-analyzer-core.NullDereference): a link that is known is there */
  }
  c->link_of[c->own_count] = link;
  c->own[c->own_count++] = message;
  return TB_OK;
}

static void extend(struct tb_network_host *h, int64_t time) {
  if (time < h->first) h->first = time;
  if (time > h->last) h->last = time;
}

/* When its members sent and received messages that are met; of a host that has none, all. */
static void set_extents(struct component *c) {
  for (size_t i = 0; i < c->member_count; i++) {
    struct tb_network_host *h = &c->hosts[c->members[i]];
    if (h->unmet < h->messages) h->first = INT64_MAX, h->last = INT64_MIN;
  }
  for (size_t i = 0; i < c->own_count; i++) {
    const struct tb_network_message *m = &c->messages[c->own[i]];
    if (m->unmet) continue;
    extend(&c->hosts[m->from], m->sent);
    extend(&c->hosts[m->to], m->received);
  }
  for (size_t i = 0; i < c->member_count; i++) {
    struct tb_network_host *h = &c->hosts[c->members[i]];
    h->x0 = (int64_t)(h->first + ((tb_wide)h->last - h->first) / 2);
  }
}

static enum tb_status solve_component(struct component *c) {
  bool one_way = false;
  enum tb_status status =
      tb_rough_offsets(c->allocator, c->messages, c->own, c->own_count, c->member_of, c->member_count, c->rough);
  if (status == TB_OK) status = leave_out_unmet(c);
  if (status == TB_OK) set_extents(c);
  if (status == TB_OK) status = find_one_way(c);
  for (size_t i = 0; i < c->link_count; i++) one_way |= c->links[i].one_way;
  if (status == TB_OK && one_way) status = solve_fastest(c);
  if (status == TB_OK && one_way) find_fastest(c);
  if (status == TB_OK) status = estimate(c, one_way);
  return status == TB_OK ? set_lines(c, one_way) : status;
}

/* Makes the component of these members, which are in the order of hosts, and solves it. */
static enum tb_status take_component(const struct component *like, size_t count) {
  struct component c = *like;
  const struct tb_allocator *a = c.allocator;
  struct tb_map links;
  tb_map_init(&links, a);
  size_t numbers = c.member_count * FIELDS * sizeof(double);
  for (size_t i = 0; i < count; i++) c.own_capacity += c.hosts[c.messages[i].from].root == c.members[0];
  c.own = tb_alloc(a, c.own_capacity * sizeof(*c.own));
  c.link_of = tb_alloc(a, c.own_capacity * sizeof(*c.link_of));
  c.in_program = tb_alloc(a, c.own_capacity);
  c.broken_by = tb_alloc(a, c.own_capacity * sizeof(*c.broken_by));
  c.rough = tb_calloc(a, c.member_count * sizeof(*c.rough));
  c.values = tb_calloc(a, numbers);
  c.corners = tb_calloc(a, numbers);
  bool got = c.own && c.link_of && c.in_program && c.broken_by && c.rough && c.values && c.corners;
  enum tb_status status = got ? TB_OK : TB_NO_MEMORY;
  for (size_t i = 0; i < count && status == TB_OK; i++) {
    const struct tb_network_message *m = &c.messages[i];
    if (c.hosts[m->from].root != c.members[0]) continue;
    status = add_own(&c, i, &links);
  }
  if (status == TB_OK) set_extents(&c);
  if (status == TB_OK) status = solve_component(&c);
  tb_map_free(&links);
  tb_free(a, c.own, c.own_capacity * sizeof(*c.own));
  tb_free(a, c.link_of, c.own_capacity * sizeof(*c.link_of));
  tb_free(a, c.in_program, c.own_capacity);
  tb_free(a, c.broken_by, c.own_capacity * sizeof(*c.broken_by));
  tb_free(a, c.rough, c.member_count * sizeof(*c.rough));
  tb_free(a, c.values, numbers);
  tb_free(a, c.corners, numbers);
  tb_free(a, c.links, c.link_capacity * sizeof(*c.links));
  return status;
}

/* The lowest host that messages join a host to. */
static void set_roots(const struct tb_network_message *messages, size_t count, struct tb_network_host *hosts,
                      size_t host_count) {
  for (size_t i = 0; i < host_count; i++) hosts[i].root = (uint32_t)i;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      uint32_t *p = &hosts[messages[i].from].root, *q = &hosts[messages[i].to].root;
      if (*p == *q) continue;
      *(*p > *q ? p : q) = *p > *q ? *q : *p;
      more = true;
    }
  }
}

enum tb_status tb_message_network_solve(const struct tb_allocator *a, struct tb_network_message *messages, size_t count,
                                        struct tb_network_host *hosts, size_t host_count, double max_drift) {
  uint32_t *members = tb_alloc(a, host_count * sizeof(*members));
  uint32_t *member_of = tb_calloc(a, host_count * sizeof(*member_of));
  enum tb_status status = members && member_of ? TB_OK : TB_NO_MEMORY;
  set_roots(messages, count, hosts, host_count);
  for (size_t i = 0; i < count; i++) {
    messages[i].unmet = false;
    hosts[messages[i].from].messages++;
    hosts[messages[i].to].messages++;
  }
  for (uint32_t root = 0; root < host_count && status == TB_OK; root++) {
    struct component c = {.allocator = a,
                          .messages = messages,
                          .hosts = hosts,
                          .members = members,
                          .member_of = member_of,
                          .max_drift = max_drift / PPM};
    for (uint32_t i = root; i < host_count; i++) {
      if (hosts[i].root != root) continue;
      member_of[i] = (uint32_t)c.member_count;
      members[c.member_count++] = i;
    }
    if (c.member_count > 1) status = take_component(&c, count);
  }
  tb_free(a, members, host_count * sizeof(*members));
  tb_free(a, member_of, host_count * sizeof(*member_of));
  return status;
}
