"""What all templates have in common."""

from __future__ import annotations

from markupsafe import Markup

from intercore.view.html import coded, environment

DECEPTIVE = "<b>\u202etxt.exe\u200b\x1b[2J"
HARMLESS = "&lt;b&gt;\ufffdtxt.exe\ufffd\ufffd[2J"


def test_text_that_no_template_wrote_is_escaped_and_printable() -> None:
    template = environment("intercore.view").from_string(
        "{{ text }}{% for one in [text] %}{{ one | upper }}{% endfor %}"
    )
    shown = template.render(text=DECEPTIVE)
    assert shown == HARMLESS + "&lt;B&gt;\ufffdTXT.EXE\ufffd\ufffd[2J"


def test_what_a_template_wrote_stays() -> None:
    template = environment("intercore.view").from_string(
        "{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}{{ bold(text) }}"
    )
    assert template.render(text=DECEPTIVE) == f"<b>{HARMLESS}</b>"
    assert environment("intercore.view").from_string("{{ one }}").render(one=Markup("<i>5</i>")) == "<i>5</i>"


def test_what_stands_between_backticks_is_code_and_nothing_else_is() -> None:
    assert coded("`affinity` pins <it>, ` alone") == "<code>affinity</code> pins &lt;it&gt;, ` alone"
    assert coded("`<b>`") == "<code>&lt;b&gt;</code>"
