/* SPDX-License-Identifier: Apache-2.0
 *
 * The inputs on the common time line, and messages between them.
 */
#include "base/time_text.h"
#include "merge/report/page.h"

enum { ROW = 260, BAR_HEIGHT = 130, BAR_TOP = 65 };

static void put_input(const struct tb_page *page, size_t input) {
  const struct tb_merge_input_report *in = &page->report->inputs[input];
  int top = ROW * (int)input;
  tb_page_put_name(page, in->name, top + BAR_TOP + 105);
  if (!tb_page_draws(in)) return;
  int x = tb_page_x(page, in->first_ns), width = tb_page_x(page, in->last_ns) - x;
  tb_page_put(page,
              "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" data-first-ns=\"%" PRId64
              "\" data-last-ns=\"%" PRId64 "\"><title>",
              x, top + BAR_TOP, width < 20 ? 20 : width, BAR_HEIGHT, in->first_ns, in->last_ns);
  tb_page_put_text(page, in->name);
  tb_page_put(page, ", ");
  tb_page_put_duration(page, (double)in->last_ns - (double)in->first_ns);
  tb_page_put(page, " long</title></rect>\n");
  tb_page_put_marks(page, input, top + BAR_TOP / 2, BAR_HEIGHT + BAR_TOP);
}

struct message_line {
  int x1, y1, x2, y2;
};

/* From the one bar's edge to the other's. */
static struct message_line line_of(const struct tb_page *page, const struct tb_evidence_message *message) {
  int down = message->to > message->from;
  int from = ROW * (int)message->from + BAR_TOP, to = ROW * (int)message->to + BAR_TOP;
  return (struct message_line){tb_page_x(page, message->sent_ns), from + (down ? BAR_HEIGHT : 0),
                               tb_page_x(page, message->received_ns), to + (down ? 0 : BAR_HEIGHT)};
}

/* Messages as one path, with a dot where each arrives; those that run backwards one by one, above the others. */
static void put_messages(const struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  for (int arrivals = 0; arrivals < 2; arrivals++) {
    tb_page_put(page, "<path class=\"%s\" d=\"", arrivals ? "arrival" : "message");
    for (size_t i = 0; i < report->message_count; i++) {
      struct message_line l = line_of(page, &report->messages[i]);
      if (report->messages[i].is_backwards) continue;
      if (arrivals)
        tb_page_put(page, "M%d %dh0", l.x2, l.y2);
      else
        tb_page_put(page, "M%d %dL%d %d", l.x1, l.y1, l.x2, l.y2);
    }
    tb_page_put(page, "\"/>\n");
  }
  for (size_t i = 0; i < report->message_count; i++) {
    const struct tb_evidence_message *message = &report->messages[i];
    struct message_line l = line_of(page, message);
    if (!message->is_backwards) continue;
    tb_page_put(page,
                "<line class=\"backwards\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" data-sent-ns=\"%" PRId64
                "\" data-received-ns=\"%" PRId64 "\"><title>flow %" PRIu64 " arrives ",
                l.x1, l.y1, l.x2, l.y2, message->sent_ns, message->received_ns, message->id);
    tb_page_put_duration(page, (double)message->sent_ns - (double)message->received_ns);
    tb_page_put(page, " before it was sent</title></line>\n");
  }
}

static void put_date(const struct tb_page *page, uint64_t since, const char *anchor, int x, int y) {
  char date[TB_TIME_TEXT];
  int64_t ns = (int64_t)((uint64_t)page->wall_ns + since);
  if (!tb_is_wall_time(ns)) return;
  tb_date_text(ns, date);
  tb_page_put(page, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", anchor, x, y, date);
}

static void put_caption(const struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  tb_page_put(page, "<h2>Inputs on the common time line</h2>\n<p>");
  if (page->has_time) {
    tb_page_put(page, "0 is %" PRId64 " ns on the merged trace's clock; all is ", page->first_ns);
    tb_page_put_duration(page, (double)page->length);
    tb_page_put(page, " long.");
  }
  if (page->wall_input) {
    tb_page_put(page, " Dates are by the wall clock of ");
    tb_page_put_text(page, page->wall_input);
    tb_page_put(page, ".");
  }
  if (report->messages_sent) {
    tb_page_put(page, " Lines are messages, with a dot where they arrive: %zu of %" PRIu64 " are drawn; ",
                report->message_count, report->messages_sent);
    tb_page_put_outliers(page, report->messages_backwards, "run backwards");
    tb_page_put(page, ".");
  }
  tb_page_put(page, "</p>\n");
}

void tb_page_put_timeline(const struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  int height = ROW * (int)report->count, dates = page->wall_input ? TB_PAGE_TEXT_HEIGHT : 0;
  put_caption(page);
  tb_page_put(page,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"timeline-title\" "
              "id=\"timeline\" viewBox=\"0 0 %d %d\" data-first-ns=\"%" PRId64 "\" data-length-ns=\"%" PRIu64
              "\" data-messages=\"%" PRIu64 "\" data-drawn=\"%zu\" data-backwards=\"%" PRIu64 "\">",
              TB_PAGE_WIDTH, height + TB_PAGE_AXIS_HEIGHT + dates, page->first_ns, page->length, report->messages_sent,
              report->message_count, report->messages_backwards);
  tb_page_put(page, "<title id=\"timeline-title\">%zu inputs on the common time line</title>\n", report->count);
  tb_page_put_axis(page, height);
  for (size_t i = 0; i < report->count; i++) put_input(page, i);
  if (report->message_count) put_messages(page);
  if (page->wall_input) {
    int y = height + 2 * TB_PAGE_TEXT_HEIGHT + TB_PAGE_MARGIN;
    put_date(page, 0, "from", TB_PAGE_PLOT_LEFT, y);
    put_date(page, page->length, "name", TB_PAGE_PLOT_LEFT + TB_PAGE_PLOT_WIDTH, y);
  }
  tb_page_put(page, "</svg>\n");
}
