/* SPDX-License-Identifier: Apache-2.0
 *
 * The sync report as one page: well-formed XHTML that is HTML too, with drawings in SVG, without scripts and without
 * anything from elsewhere. Numbers that are drawn are data-* attributes too, for scripts that read the page.
 */
#include "merge/report/page.h"
#include "merge/report/render.h"

static const char head[] =
    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"UTF-8\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width\"/><title>Merge report</title><style>\n"
    ":root { color-scheme: light dark; --text: #222; --paper: #fff; --grid: #ddd; --zero: #999; --used: #1f6fb5;\n"
    "  --bad: #c62828; --info: #6a4c93; --message: #2e7d32 }\n"
    "@media (prefers-color-scheme: dark) { :root { --text: #ddd; --paper: #15181c; --grid: #353a40; --zero: #777;\n"
    "  --used: #6db3f2; --bad: #ff7b72; --info: #c3a6f0; --message: #7bc97f } }\n"
    "body { font: 14px sans-serif; max-width: 84em; margin: 1em auto; padding: 0 1em; color: var(--text);\n"
    "  background: var(--paper) }\n"
    "h3 { margin: 1.5em 0 0; overflow-wrap: anywhere } h3 + p { margin-top: .3em } p { margin: .6em 0 }\n"
    ".wide { overflow-x: auto } table { border-collapse: collapse; font-size: 12px }\n"
    "td, th { border: 1px solid var(--grid); padding: 2px 6px; text-align: left }\n"
    "td:first-child { overflow-wrap: anywhere; min-width: 8em } td:nth-child(2) { min-width: 9em }\n"
    "td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }\n"
    "svg { display: block; width: 100%; break-inside: avoid } svg text { font: 110px sans-serif; fill: var(--text) }\n"
    "svg .name { text-anchor: end } svg .tick { text-anchor: middle } .bar { fill: var(--used); fill-opacity: .6 }\n"
    ".grid { stroke: var(--grid); stroke-width: 8 } .zero { stroke: var(--zero); stroke-width: 8 }\n"
    ".band { fill: var(--used); fill-opacity: .18; stroke: var(--used); stroke-opacity: .5; stroke-width: 8 }\n"
    "circle.bound { fill: var(--used); fill-opacity: .5 } span.band { color: var(--used); opacity: .4 }\n"
    "path { fill: none; stroke-linecap: round } path.used { stroke: var(--used); stroke-width: 55 }\n"
    "circle.outlier { fill: var(--bad) } span.used { color: var(--used) } span.outlier { color: var(--bad) }\n"
    ".message { stroke: var(--message); stroke-width: 8; stroke-opacity: .5 }\n"
    ".arrival { stroke: var(--message); stroke-width: 30 } .backwards { stroke: var(--bad); stroke-width: 14 }\n"
    ".wait { stroke: var(--used); stroke-width: 14 } .mark { stroke-width: 18 } .mark.info { stroke: var(--info) } "
    ".mark.warning { stroke: var(--bad) }\n"
    ".mark.readings_thrown_out { stroke-dasharray: 40 40 }\n"
    "svg text.info { fill: var(--info) } svg text.warning { fill: var(--bad) }\n"
    "span.info { color: var(--info) } span.warning, li.warning b { color: var(--bad) }\n"
    "</style></head><body>\n";

static void put_heading(const struct tb_page *page) {
  const struct tb_merge_report *report = page->report;
  tb_json_emit_raw(page->out, head, sizeof(head) - 1);
  tb_page_put(page, "<h1>Merged trace: ");
  tb_page_put_text(page, report->output ? report->output : "(not written)");
  tb_page_put(page, "</h1>\n<p>Clock ");
  tb_page_put_text(page, report->summary.trace_clock[0] ? report->summary.trace_clock : "unknown");
  tb_page_put(page, ", %" PRIu64 " packets, %" PRIu64 " bytes.</p>\n", report->summary.packets_out,
              report->summary.bytes_out);
}

void tb_render_html(const struct tb_merge_report *report, struct tb_json_emit *out) {
  struct tb_page page = {.report = report, .out = out};
  tb_page_find_span(&page);
  put_heading(&page);
  tb_page_put_timeline(&page);
  tb_page_put_panels(&page);
  tb_page_put_inputs(&page);
  tb_page_put_notes(&page);
  tb_page_put(&page, "</body></html>\n");
}
