"""The report of a run as one HTML page, without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from maxsidecar.migrate.log import CHANGE, Entry
from maxsidecar.migrate.report import Report

__all__ = ["HtmlReport"]

_STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0 0 1.5rem; }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; vertical-align: top; }
th { font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
details, p.file { margin: .2rem 0; border-left: .3rem solid #8885; padding-left: .6rem; }
.changed { border-color: #2a7; } .failed, .problem { border-color: #d33; }
.not-max { border-color: #e90; }
summary, code { overflow-wrap: anywhere; } code { font-size: .92em; }
ul { margin: .3rem 0 .6rem; padding-left: 1.2rem; } del { opacity: .7; }
.state { font-weight: 600; }
"""
_TITLES: Final = {
    "changed": "changed",
    "unchanged": "without a change",
    "done": "dealt with before",
    "not_max": "no scenes",
    "failed": "failed",
    "changes": "changes told",
    "problems": "problems told",
    "seconds": "seconds",
}


def _text(value: object) -> str:
    """Return text for the page: escaped, and without what could hide or turn it round."""
    return "".join(
        c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in escape(str(value), quote=True)
    )


class HtmlReport(Report):
    """One page: the run, the counts, and every file that there is something to say of."""

    def head(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes first."""
        name = _text(about.get("migration", ""))
        dry = " (dry run: nothing was saved)" if about.get("dry_run") else ""
        rows = [("started", about.get("started")), ("program", about.get("program"))]
        rows += [("root", root) for root in about.get("roots", ())]
        rows += [
            (f"option {option}", value)
            for option, value in about.get("options", {}).items()
            if value not in (None, False, [])
        ]
        rows += [("backup", about["backup"])] if about.get("backup") else []
        return "".join(
            [
                '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n',
                f"<title>maxsidecar migrate {name}</title>\n<style>{_STYLE}</style></head><body>\n",
                f"<h1>migrate {name}{dry}</h1>\n<table>",
                *(f"<tr><th>{_text(k)}</th><td>{_text(v)}</td></tr>\n" for k, v in rows),
                "</table>\n<h2>Totals</h2>\n<table>",
                *(
                    f'<tr><th>{_TITLES.get(k, k)}</th><td class="number">{_text(v)}</td></tr>\n'
                    for k, v in totals.items()
                ),
                "</table>\n<h2>Files</h2>\n",
            ]
        )

    def file(self, line: Mapping[str, Any]) -> str:
        """Return the text about one file; nothing where nothing happened."""
        state, entries = str(line.get("state", "")), line.get("log", [])
        if state == "unchanged" and not entries:
            return ""
        mark = "problem" if line.get("problems") else _text(state)
        head = f'<span class="state">{_text(state)}</span> <code>{_text(line.get("path"))}</code>'
        if line.get("message"):
            message = str(line["message"]).removeprefix(f"{line.get('path')}: ")
            head += f" {_text(message)}"
        if not entries:
            return f'<p class="file {mark}">{head}</p>\n'
        items = [f"<li>{_entry(Entry.parse(entry))}</li>\n" for entry in entries]
        if line.get("left_out"):
            items.append(f"<li>and {_text(line['left_out'])} more</li>\n")
        return (
            f'<details class="{mark}"><summary>{head}: {len(items)}</summary>'
            f"<ul>{''.join(items)}</ul></details>\n"
        )

    def foot(self, about: Mapping[str, Any], totals: Mapping[str, Any]) -> str:
        """Return what comes last."""
        del about, totals
        return "</body></html>\n"


def _entry(entry: Entry) -> str:
    place = f"{_text(entry.place)}: " if entry.place else ""
    text = f"{place}{_text(entry.text)}"
    if entry.kind != CHANGE:
        return f"<strong>{_text(entry.kind)}</strong> {text}"
    old = "" if entry.old is None else f" <del>{_text(entry.old)}</del>"
    new = "" if entry.new is None else f" <ins>{_text(entry.new)}</ins>"
    return text + (":" if old or new else "") + old + new
