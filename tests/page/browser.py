"""Opens pages in headless Chromium by its DevTools protocol, over a pipe: what it complains of, lays out badly.

Each page is opened as HTML and as XML, light and dark. Pages with planted mistakes are opened as well: those must be
found.
"""
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from chromium import Chromium  # noqa: E402

# Texts of a drawing that meet or leave it; what is wider than the page; text that is hard to read.
LAYOUT = r"""(() => {
  const found = [];
  const inside = (r, s) => r.left >= s.left - 2 && r.right <= s.right + 2
                           && r.top >= s.top - 2 && r.bottom <= s.bottom + 2;
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')];
    if (frame.width < 100 || frame.height < 10) found.push('a drawing has no size');
    const boxes = texts.map(t => [[...t.childNodes].map(n => n.nodeType == 3 ? n.data : '').join(''),
                                  t.getBoundingClientRect()]);
    boxes.forEach(([a, r], i) => {
      if (!inside(r, frame)) found.push('text outside of its drawing: ' + a);
      for (const [b, s] of boxes.slice(i + 1))
        if (r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 2
            && s.top < r.bottom - 2) found.push('texts meet: ' + a + ' | ' + b);
    });
  }
  if (document.documentElement.scrollWidth > window.innerWidth) found.push('the page is too wide');
  if (document.getElementsByTagName('parsererror').length) found.push('it is not well-formed');
  if (!document.querySelector('svg')) found.push('there is no drawing');
  const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(linear);
    return .2126 * r + .7152 * g + .0722 * b; };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const kinds = { p: 'color', 'svg text': 'fill', 'span.outlier': 'color', 'svg text.info': 'fill',
                 'svg text.warning': 'fill' };
  for (const [kind, property] of Object.entries(kinds)) {
    const one = document.querySelector(kind), ink = one && light(getComputedStyle(one)[property]);
    if (one && (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05) < 4.5) found.push('hard to read: ' + kind);
  }
  return found;
})()"""

PLANTED = {
    "script error": ("</body>", "<script>undefined.error()</script></body>"),
    "broken SVG": ('<rect class="bar" x="', '<rect class="bar" width="-5" x="-'),
    "no XML": ("</table>", ""),
    "picture from elsewhere": ("</body>", '<img src="http://example.invalid/x.png"/></body>'),
    "texts that meet": ("</svg>",
                        '<text x="2000" y="90">one text</text><text x="2100" y="100">other text</text></svg>'),
    "page without drawings": ("<svg ", "<div "),
}


def complaint(event, url):
    """What an event says is wrong; None where it is as it should be."""
    method, parameters = event.get("method"), event.get("params", {})
    if method == "Runtime.exceptionThrown":
        return f"exception: {parameters['exceptionDetails'].get('text')}"
    if method == "Runtime.consoleAPICalled":
        return f"console: {parameters['type']}"
    if method == "Log.entryAdded":
        return f"log: {parameters['entry']['level']}: {parameters['entry']['text']}"
    if method == "Network.requestWillBeSent" and parameters["request"]["url"] != url:
        return f"request: {parameters['request']['url']}"
    return None


def complaints(chromium, path, scheme="light"):
    """What the browser says of a page, and what is laid out badly."""
    url = pathlib.Path(path).as_uri()
    chromium.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    chromium.events.clear()
    chromium.call("Page.navigate", url=url)
    chromium.wait_for("Page.loadEventFired")
    result = chromium.call("Runtime.evaluate", expression=LAYOUT, returnByValue=True)["result"]
    return [c for c in (complaint(e, url) for e in chromium.events) if c] + result.get("value",
                                                                                       [f"no layout: {result}"])


def check_planted(chromium, page):
    """Each mistake that is put into a page is found, in HTML or in XML."""
    text, missed = page.read_text(encoding="utf-8"), []
    for name, (old, new) in PLANTED.items():
        found = []
        for suffix in ("html", "xhtml"):
            planted = page.with_name(f"planted.{suffix}")
            planted.write_text(text.replace(old, new), encoding="utf-8")
            found += complaints(chromium, planted)
        if text.replace(old, new) == text or not found:
            missed.append(f"a planted mistake is not found: {name}")
    return missed


def check(pages):
    """What is wrong with pages, or with finding it."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="page-chromium-", ignore_cleanup_errors=True) as profile:
        chromium = Chromium(profile)
        chromium.open_tab()
        for page in pages:
            xml = page.with_suffix(".xhtml")
            shutil.copy(page, xml)
            for path, scheme in ((page, "light"), (page, "dark"), (xml, "light")):
                wrong += [f"{path.name}, {scheme}: {c}" for c in complaints(chromium, path, scheme)]
        wrong += check_planted(chromium, pages[0])
        chromium.close()
    return wrong
