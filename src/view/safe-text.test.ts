import { expect, test } from "bun:test";
import { padColumns, safeLine, safeText } from "./safe-text.ts";

test.each([
  { title: "plain text", text: "Ship it? ✔ 日本 👩‍👩‍👧 café", expected: "Ship it? ✔ 日本 👩‍👩‍👧 café" },
  { title: "line breaks and tabs", text: "a\n\tb", expected: "a\n\tb" },
  { title: "colours", text: "\u001b[1;31mred\u001b[0m", expected: "red" },
  { title: "a colour before a bell", text: "\u001b[31mred\u0007 blue", expected: "red blue" },
  { title: "sequences that nothing ends", text: "\u001b]0;red\nblue \u001b[31", expected: "]0;red\nblue [31" },
  { title: "data for the terminal", text: "\u001bPq#0\u001b\\a\u001b_Gf=1\u009cb\u001b(Bc\u001b7d", expected: "abcd" },
  { title: "cursor movements and the erasing of lines", text: "a\u001b[2K\u001b[1Ab\u001b[?25lc", expected: "abc" },
  { title: "the other screen", text: "\u001b[?1049hx", expected: "x" },
  { title: "a window title ended by BEL", text: "\u001b]0;owned\u0007after", expected: "after" },
  { title: "a window title ended by ST", text: "\u001b]0;owned\u001b\\after", expected: "after" },
  { title: "a write to the clipboard", text: "\u001b]52;c;cm0gLXJm\u0007after", expected: "after" },
  { title: "a link", text: "\u001b]8;;http://evil\u001b\\text\u001b]8;;\u001b\\", expected: "text" },
  { title: "BEL and backspace", text: "a\u0007b\u0008c", expected: "abc" },
  {
    title: "a carriage return, which is a line break",
    text: "rm -rf /\recho\r\rdone\r",
    expected: "rm -rf /\necho\n\ndone\n",
  },
  { title: "line breaks of Windows", text: "a\r\nb\r\u001b[K\n", expected: "a\nb\n" },
  { title: "C1 controls", text: "\u009b31mx\u0085y", expected: "xy" },
  { title: "a sequence within a sequence", text: "\u001b\u001b[31m[31mx", expected: "[31mx" },
  { title: "overrides of the direction of writing", text: "a\u202eb\u2066c\u200fd", expected: "abcd" },
  { title: "spaces without width", text: "a\u200bb\u2060c\ufeffd", expected: "abcd" },
  { title: "line and paragraph separators", text: "a\u2028b\u2029c", expected: "a\nb\nc" },
  { title: "joiners between letters that do not join", text: "pay\u200dpal\u200c.com", expected: "paypal.com" },
  { title: "fillers, tags and soft hyphens", text: "a\u3164b\u00adc\u{e0041}d\u034fe", expected: "abcde" },
  { title: "emoji of several characters", text: "👩‍💻 ❤️ 1️⃣ 👍🏽‍", expected: "👩‍💻 ❤️ 1️⃣ 👍🏽‍" },
  { title: "letters that join", text: "می\u200cخواهم क्\u200dष", expected: "می\u200cخواهم क्\u200dष" },
  { title: "NUL and DEL", text: "a\u0000b\u007fc", expected: "abc" },
])("$title: only what is harmless is left", ({ text, expected }) => {
  expect(safeText(text)).toBe(expected);
});

test("no control character survives, whatever surrounds it", () => {
  for (let code = 0; code < 0xa0; code++) {
    const character = String.fromCharCode(code);
    if (code === 0x09 || code === 0x0a || (code >= 0x20 && code < 0x7f)) continue;
    for (const text of [character, `\u001b${character}`, `a${character}[31mb`, `\u009d${character};x`])
      expect(safeText(text)).not.toMatch(/[^\t\n\P{Control}]/u);
  }
});

test.each([
  { title: "a text that fits", text: "abc", maxColumns: 3, expected: "abc" },
  { title: "a text that is too long", text: "abcd", maxColumns: 3, expected: "ab…" },
  { title: "line breaks and runs of spaces", text: "  a \n\t b  ", maxColumns: 10, expected: "a b" },
  { title: "characters two columns wide", text: "日本語テキスト", maxColumns: 7, expected: "日本語…" },
  { title: "a wide character that would be cut in half", text: "日本語テキスト", maxColumns: 6, expected: "日本…" },
  {
    title: "emoji of several code points",
    text: "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
    maxColumns: 5,
    expected: "👩👩…",
  },
  { title: "combining marks", text: "e\u0301e\u0301e\u0301e\u0301", maxColumns: 3, expected: "e\u0301e\u0301…" },
  { title: "control sequences, which take no room", text: "\u001b[31mabc\u001b[0m", maxColumns: 3, expected: "abc" },
  { title: "no room at all", text: "abc", maxColumns: 0, expected: "…" },
])("$title in one line of $maxColumns columns", ({ text, maxColumns, expected }) => {
  expect(safeLine(text, maxColumns)).toBe(expected);
});

test("padding counts columns, not characters, and never cuts", () => {
  expect([padColumns("ab", 4), padColumns("日本", 6), padColumns("👍", 3), padColumns("abcd", 2)]).toEqual([
    "ab  ",
    "日本  ",
    "👍 ",
    "abcd",
  ]);
});
