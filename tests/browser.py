"""A page in a real browser: how it lies, whether it can be read, and what it complains of."""

import html
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_NAMES = ("chromium", "google-chrome", "chromium-browser")
_SECONDS = 60

# Measured in the page itself, and left in the title of the page around it for --dump-dom to show.
_PROBE = """
<script>
window.addEventListener("load", () => {
  const ground = element => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(value => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  document.querySelectorAll("details").forEach(details => { details.open = true; });
  const texts = [...document.querySelectorAll("body *")].filter(element =>
    element.getClientRects().length && !element.closest(".diagram") &&
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  const contrasts = texts.map(element => {
    const style = getComputedStyle(element);
    const colour = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(colour), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [ratio, element.tagName + ": " + element.textContent.trim().slice(0, 40)];
  });
  const ids = new Set([...document.querySelectorAll("[id]")].map(element => element.id));
  const links = [...document.querySelectorAll("a")].map(link => link.getAttribute("href"));
  parent.document.title = JSON.stringify({
    width: innerWidth,
    overflow: document.documentElement.scrollWidth - innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    contrast: contrasts.sort((a, b) => a[0] - b[0])[0],
    texts: texts.length,
    links: links.length,
    broken: links.filter(link => !(link && link[0] === "#" && ids.has(link.slice(1)))),
    outside: [...document.querySelectorAll("[src], link[href]")]
      .map(element => element.src || element.href).filter(address => !address.startsWith("data:")),
  });
});
</script>
</body>"""


@dataclass(frozen=True)
class Seen:
    """What the browser says of a page: sizes in CSS pixels; `console` are its complaints.

    `contrast` is the lowest ratio of a text to its ground, and that text. `broken` are links that lead
    nowhere in the page, `outside` what it loads from elsewhere.
    """

    width: int
    overflow: int
    dark: bool
    contrast: tuple[float, str]
    texts: int
    links: int
    broken: list[str]
    outside: list[str]
    console: list[str]


def find_browser() -> str | None:
    """The command of a Chromium that is here."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def look_at(page: Path, browser: str, width: int, dark: bool) -> Seen:
    """Open a page in a window of some width, light or dark, and look at all of it."""
    with tempfile.TemporaryDirectory(prefix="ubload-browser-") as name:
        folder = Path(name)
        text = page.read_text(encoding="utf-8")
        assert text.count("</body>") == 1
        probed = html.escape(text.replace("</body>", _PROBE))
        around = folder / "around.html"
        # A window has a least width, a frame has none.
        frame = f'<iframe width="{width}" height="900" frameborder="0" srcdoc="{probed}"></iframe>'
        around.write_text(f"<!doctype html><title></title>{frame}", encoding="utf-8")
        result = subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update"),
                *("--disable-sync", "--hide-scrollbars", "--enable-logging=stderr"),
                f"--user-data-dir={folder / 'profile'}",
                "--window-size=1600,1000",
                f"--blink-settings=preferredColorScheme={0 if dark else 1}",
                *("--virtual-time-budget=5000", "--dump-dom", around.as_uri()),
            ],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    title = re.search(r"<title>(\{.*?\})</title>", result.stdout, re.DOTALL)
    assert title, f"the page has not been measured: {result.stdout[:500]} {result.stderr[-2000:]}"
    values = json.loads(html.unescape(title[1]))
    console = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    return Seen(**{**values, "contrast": tuple(values["contrast"])}, console=console)
