#!/usr/bin/env python3
"""The dashboard as a browser shows it: test_dashboard.py DASHBOARD_SERVER [SCREENSHOT.png]

Skipped, saying so, where there is no Chromium.
"""
import subprocess
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402

# Every text against what lies behind it: the smallest contrast, and whose [WCAG 2.1, 1.4.3].
CONTRAST = """(() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  let worst = [99, ''];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.offsetParent || e.tagName === 'SCRIPT') continue;
    const a = light(parse(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40)];
  }
  return worst;
})()"""

NAMELESS = """[...document.querySelectorAll('table, [role=meter], [role=list], [role=img], button')].filter((e) =>
  !(e.getAttribute('aria-label') || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent || e.textContent.trim())).length"""


def shows_the_jobs(page):
    page.wait("document.querySelectorAll('#jobs .job').length > 0")
    assert page.value("document.getElementById('state').textContent") == "ready"
    title = page.value("document.querySelector('#jobs .title').textContent")
    assert title.startswith("<script>window.pwned=2</script>"), title
    cells = page.value("[...document.querySelectorAll('#jobs .job:first-child .cell')].map((c) => c.className)")
    assert cells == ["cell gpu", "cell synth_done"] + ["cell pending"] * 8, cells
    assert "proving" in page.value("document.querySelector('.cell.gpu').getAttribute('aria-label')")
    assert "<script>window.pwned=3</script>" in page.value("document.querySelector('main').innerText")
    assert "\ufffd" in page.value("document.getElementById('queue').innerText")
    recent = page.value("document.getElementById('recent').innerText")
    assert "porep-1000-1" in recent and "completed" in recent and "constraint 7" in recent, recent
    assert "[1 2 3 4 5 6 7 255]" in recent, recent
    assert page.value("document.querySelectorAll('#recent .phases > span').length") > 2
    assert page.value("document.querySelector('[role=meter]').getAttribute('aria-valuemax')") == "1000000"
    assert page.value("document.querySelectorAll('#keys tr').length") >= 3


def runs_nothing_of_a_client(page):
    assert page.value("typeof window.pwned") == "undefined"
    assert page.value("document.scripts.length") == 1
    assert page.value("document.images.length") == 0


def can_be_read(page, shot):
    assert page.value(NAMELESS) == 0
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    light = brightness(page, "light", None)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = brightness(page, "dark", shot)
    assert light > 200 and dark < 60, (light, dark)
    page.value("document.getElementById('theme').click()")  # light, whatever the system wants
    assert brightness(page, "light by choice", None) > 200


def brightness(page, name, shot):
    """Of the picture's corner; the picture is not empty and every text stands out."""
    width, height, rows, png = page.screenshot()
    colors = {row[i:i + 3] for row in rows[::3] for i in range(0, len(row), 9)}
    assert width == 600 and height == 450 and len(colors) > 8, (name, width, height, len(colors))
    if shot:
        with open(shot, "wb") as file:
            file.write(png)
    contrast, whose = page.value(CONTRAST)
    assert contrast >= 4.5, (name, contrast, whose)
    return rows[2][2 * 3]


def goes_on(page, server):
    server.stdin.write("go\n")
    server.stdin.flush()
    page.wait("document.getElementById('recent').innerText.includes('window.pwned=2')")
    page.wait("document.querySelectorAll('#jobs .job').length == 0 && !document.getElementById('no-jobs').hidden")
    runs_nothing_of_a_client(page)


def asks_nobody_else(page, url):
    others = [r for r in page.requests if not r.startswith((url, "data:", "about:"))]
    assert not others, others
    assert not page.complaints, page.complaints


def refuses_foreign_code(page):
    """Even where a script could be put into the page, the policy stops it. (The page then complains.)"""
    page.value("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.pwned = 9'}))")
    page.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned = 9\">')")
    page.value("fetch('http://127.0.0.1:1/').catch(() => 0)")
    page.wait("true")
    assert page.value("typeof window.pwned") == "undefined"
    assert any("Content Security Policy" in c for c in page.complaints), page.complaints


def says_when_the_server_is_gone(page, server):
    server.stdin.close()
    server.wait(30)
    page.wait("document.getElementById('state').textContent == 'unreachable'")


def main():
    if not chromium.find():
        print("[  SKIPPED ] no Chromium here: tools/install-deps check installs it")
        return 0  # the line tells ctest
    shot = sys.argv[2] if len(sys.argv) > 2 else None
    server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        with chromium.Browser() as page:
            page.call("Page.navigate", url=url)
            shows_the_jobs(page)
            runs_nothing_of_a_client(page)
            can_be_read(page, shot)
            goes_on(page, server)
            asks_nobody_else(page, url)
            refuses_foreign_code(page)
            says_when_the_server_is_gone(page, server)
    finally:
        server.kill()
        server.wait()
    assert server.returncode == 0, server.returncode
    print("the dashboard is as it should be")
    return 0


sys.exit(main())
