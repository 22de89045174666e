"""page.py PAGE.html [RUN.json]: says what is wrong with a page of winord-stress --html, and whether it tells what -J tells."""
import json
import re
import sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

LOADS = {"script", "link", "img", "iframe", "object", "embed", "image", "use", "base", "audio", "video"}
EMPTY = {"meta", "br"}
# Where a page may name another resource.
ADDRESSES = {"src", "href", "xlink:href", "srcset", "data", "action", "poster", "background"}


class Reader(HTMLParser):
    """The page as a browser's tokenizer sees it: tags that match, and nothing that loads."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag in LOADS:
            self.wrong.append(f"<{tag}>")
        self.wrong += [f"{tag} {name}={value}" for name, value in attrs if name in ADDRESSES or name.startswith("on")]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> without its start")


def text(element):
    return " ".join("".join(element.itertext()).split())


def own(cell):
    """A cell's first text, without the small print below it."""
    return (cell.text or "").strip()


def number(value):
    return f"{value:,}"


def check_form(source):
    reader = Reader()
    reader.feed(source)
    reader.close()
    wrong = reader.wrong + [f"<{tag}> stays open" for tag in reader.open]
    if re.search(r"https?:|@import|url\((?!#)|javascript:", source):
        wrong.append("an address or an import")
    root = tree.fromstring(source)
    marks = {element.get("id") for element in root.iter()}
    wrong += [f"no {mark}" for mark in set(re.findall(r"url\(#(\w+)\)", source)) - marks]
    return root, wrong


def row_wanted(row):
    late = row["lateness"]
    times = [number(late[key]) for key in ("p50_ns", "p99_ns", "max_ns")] if sum(late["log2_ns"]) else ["–"] * 3
    bound = f"{row['block_bound']:.3g}" if row["blocks"] else "–"
    return [row["scenario"], row["asked"], row["registered"], number(row["tries"]), number(row["blocks"]),
            number(row["blocks_with_violation"]), bound, number(row["violations"]), *times, row["expected"], row["verdict"]]


def row_got(line):
    cells = list(line)
    return [own(cell) for cell in cells[:-1]] + [text(cells[-1])]


def classes_wanted(row):
    return [f"{name} {number(count)}" for name, count in row["classes"].items() if name != "ok" and count]


def pair(witness, key):
    want, got = witness["want"][key], witness["got"][key]
    return f"{want}, got {got}" if witness["wrong"] and want != got else str(want)


def witness_wanted(witness):
    wrong, late = witness["wrong"], witness["lateness_ns"]
    want, got = witness["want"]["round"], witness["got"]["round"]
    ahead = (got - want + 2**19) % 2**20 - 2**19
    which = "–" if not wrong else "the same" if not ahead else f"{abs(ahead)} {'newer' if ahead > 0 else 'older'}"
    return [witness["outcome"], number(witness["time_ns"]), number(witness["block"]), number(witness["receiver"]),
            pair(witness, "source"), pair(witness, "context"), pair(witness, "slot"), str(want), str(got) if wrong else "–",
            which, pair(witness, "word"), f"{wrong} of {witness['words']}", number(late) if late else "–"]


def heat_wanted(size):
    return f"{size['violations']} of {size['tries']} tries"


def bars_wanted(row):
    return [f"{2**k if k else 0} to {2**(k + 1) - 1} ns: {count}" for k, count in enumerate(row["lateness"]["log2_ns"]) if count]


def compare(what, wanted, got):
    return [] if wanted == got else [f"{what}: wanted {wanted}, got {got}"]


def check_rows(root, rows):
    lines = root.findall(".//table[@class='rows']/tbody/tr")
    wrong = compare("rows", len(rows), len(lines))
    for row, line in zip(rows, lines):
        wrong += compare(row["scenario"], row_wanted(row), row_got(line))
        wrong += compare("classes", classes_wanted(row), [text(small) for small in list(line)[7].findall("small")])
    return wrong


def check_witnesses(root, rows):
    ordered = [row for row in rows if row["verdict"] == "VIOLATION"] + [row for row in rows if row["verdict"] != "VIOLATION"]
    wanted = [witness_wanted(witness) for row in ordered for witness in row["witnesses"]]
    got = [[text(cell) for cell in line] for line in root.iterfind(".//tr[@class='witness']")]
    return compare("witnesses", wanted, got)


def pattern_cells(root):
    return [text(title) for svg in root.iter("svg") if svg.get("class") == "patterns" for title in svg.iter("title")]


def check_patterns(root, patterns):
    sizes = len(patterns[0]["sizes"]) if patterns else 0
    panels = [range(first, min(first + 12, sizes)) for first in range(0, sizes, 12)]
    wanted = [heat_wanted(pattern["sizes"][i]) for panel in panels for pattern in patterns for i in panel]
    return compare("patterns", wanted, pattern_cells(root))


def check_figures(root, rows):
    titles = [text(title) for title in root.iter("title")]
    cells = [title for title in titles if title.endswith(" tries")]
    cells = cells[: len(cells) - len(pattern_cells(root))]
    bars = [title for title in titles if " ns: " in title]
    sizes = len(rows[0]["sizes"])
    panels = [range(first, min(first + 12, sizes)) for first in range(0, sizes, 12)]
    wrong = compare("heatmap", [heat_wanted(row["sizes"][i]) for panel in panels for row in rows for i in panel], cells)
    return wrong + compare("histograms", [bar for row in rows for bar in bars_wanted(row)], bars)


def check_run(root, run):
    page = text(root.find("body"))
    verdict = {"ok": "No violation seen", "VIOLATION": "Violation", "inconclusive": "Inconclusive"}[run["verdict"]]
    wrong = compare("verdict", verdict, text(root.find(".//div[@class='words']/h2")))
    seed = run["seed"] % 2**64
    for needed in (f"Seed{seed}", run["transport"], f"pattern {run['pattern']}", f"{run['ranks']} ranks", "--replay"):
        if needed not in page.replace("Seed ", "Seed"):
            wrong.append(f"does not say {needed}")
    if ("interrupted" in page) != run["interrupted"]:
        wrong.append("interrupted or not")
    if run["verdict"] == "ok" and "Zero of N is a bound, not safety." not in page:
        wrong.append("does not say what zero means")
    return wrong


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        root, wrong = check_form(file.read())
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            run = json.load(file)
        wrong += check_run(root, run) + check_rows(root, run["rows"]) + check_witnesses(root, run["rows"])
        if run["rows"]:
            wrong += check_figures(root, run["rows"]) + check_patterns(root, run["patterns"])
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
