import { expect, test } from "bun:test";
import { makeVisible, visibleLabel, visibleLine, visibleMessage } from "./visible-text.ts";

test.each([
  { title: "a bidirectional override", text: "echo \u202egnp.exe", shown: "echo \\u202egnp.exe", code: "U+202E" },
  { title: "a window title", text: "a\u001b]0;x\u0007b", shown: "a\\u001b]0;x\\u0007b", code: "U+001B, U+0007" },
  {
    title: "a cleared line",
    text: "rm -rf ~\r\u001b[2Kls",
    shown: "rm -rf ~\\u000d\\u001b[2Kls",
    code: "U+000D, U+001B",
  },
  { title: "a C1 control", text: "\u009b31m", shown: "\\u009b31m", code: "U+009B" },
  { title: "a delete", text: "a\u007f", shown: "a\\u007f", code: "U+007F" },
  { title: "a zero-width space", text: "rm\u200b -rf", shown: "rm\\u200b -rf", code: "U+200B" },
  { title: "a byte order mark", text: "\ufeffls", shown: "\\ufeffls", code: "U+FEFF" },
  { title: "a soft hyphen", text: "a\u00adb", shown: "a\\u00adb", code: "U+00AD" },
  { title: "a Hangul filler", text: "a\u3164b", shown: "a\\u3164b", code: "U+3164" },
  { title: "a no-break space", text: "ls\u00a0-l", shown: "ls\\u00a0-l", code: "U+00A0" },
  { title: "a wide space", text: "ls\u3000-l", shown: "ls\\u3000-l", code: "U+3000" },
  { title: "an empty Braille pattern", text: "ls\u2800", shown: "ls\\u2800", code: "U+2800" },
  { title: "a line separator", text: "a\u2028b", shown: "a\\u2028b", code: "U+2028" },
  { title: "a tag", text: "a\u{e0041}b", shown: "a\\u{e0041}b", code: "U+E0041" },
  { title: "a variation selector", text: "a\ufe0f", shown: "a\\ufe0f", code: "U+FE0F" },
  { title: "an unpaired surrogate", text: "a\ud800b", shown: "a\\ud800b", code: "U+D800" },
  { title: "a private character", text: "\ue000", shown: "\\ue000", code: "U+E000" },
  { title: "a stroke over ASCII", text: "a\u0338b", shown: "a\\u0338b", code: "U+0338" },
])("shows $title", ({ text, shown, code }) => {
  expect(makeVisible(text)).toEqual({ lines: [shown], warnings: [`contains characters that cannot be seen: ${code}`] });
});

test.each([
  { title: "a Cyrillic letter in a word", text: "cаt x", shown: "c\\u0430t x", named: "а (U+0430)" },
  {
    title: "a whole word of look-alikes",
    text: "сору",
    shown: "\\u0441\\u043e\\u0440\\u0443",
    named: "с (U+0441), о (U+043E), р (U+0440), у (U+0443)",
  },
  { title: "a Greek letter", text: "nοde", shown: "n\\u03bfde", named: "ο (U+03BF)" },
  { title: "any letter of another script between ASCII", text: "gжt", shown: "g\\u0436t", named: "ж (U+0436)" },
  { title: "a division slash", text: "a∕b", shown: "a\\u2215b", named: "∕ (U+2215)" },
  {
    title: "typographic quotes",
    text: "echo “a; b”",
    shown: "echo \\u201ca; b\\u201d",
    named: "“ (U+201C), ” (U+201D)",
  },
  { title: "a full-width character", text: "a＆b", shown: "a\\uff06b", named: "＆ (U+FF06)" },
  { title: "a mathematical letter", text: "𝗋m", shown: "\\u{1d5cb}m", named: "𝗋 (U+1D5CB)" },
  { title: "a Greek question mark", text: "a\u037eb", shown: "a\\u037eb", named: "\u037e (U+037E)" },
  {
    title: "Japanese strokes alone",
    text: "rm ー一",
    shown: "rm \\u30fc\\u4e00",
    named: "ー (U+30FC), 一 (U+4E00)",
  },
  { title: "a long vowel mark before a word", text: "rm ーサ", shown: "rm \\u30fcサ", named: "ー (U+30FC)" },
  { title: "a stroke between Japanese and ASCII", text: "サーx", shown: "サ\\u30fcx", named: "ー (U+30FC)" },
  { title: "a rare stroke", text: "表丨表", shown: "表\\u4e28表", named: "丨 (U+4E28)" },
  { title: "a dotless i", text: "gıt", shown: "g\\u0131t", named: "ı (U+0131)" },
])("marks $title", ({ text, shown, named }) => {
  expect(makeVisible(text)).toEqual({ lines: [shown], warnings: [`contains look-alike characters: ${named}`] });
});

test.each([
  "npm test -- --grep 'a b' && git commit -m \"x; y\"",
  "git commit -m 'Исправлено: всё работает'",
  "echo Größe café naïve Ångström cafe\u0301",
  "echo 日本語 APIの説明 你好",
  "echo サーバーの一覧 第一 ノート 'データ' 一个文件",
  "echo שלום مرحبا",
  "echo ✅ 🚀 —",
])("does not change text without look-alikes: %s", (text) => {
  expect(makeVisible(text)).toEqual({ lines: [text], warnings: [] });
});

const COMMENT = "// 说明";

test.each([
  { title: "a dotless i between ASCII", word: "g\u0131t", shown: "g\\u0131t", named: "ı (U+0131)" },
  { title: "an IPA letter between ASCII", word: "\u0261it", shown: "\\u0261it", named: "ɡ (U+0261)" },
  { title: "a Latin alpha", word: "c\u0251t", shown: "c\\u0251t", named: "ɑ (U+0251)" },
  { title: "a click between ASCII", word: "a\u01c0b", shown: "a\\u01c0b", named: "ǀ (U+01C0)" },
  { title: "Latin look-alikes only", word: "\u0261\u0131", shown: "\\u0261\\u0131", named: "ɡ (U+0261), ı (U+0131)" },
  { title: "a Turkish word", word: "kapalı", shown: "kapal\\u0131", named: "ı (U+0131)" },
  { title: "a Chinese stroke between ASCII", word: "a\u4e00b", shown: "a\\u4e00b", named: "一 (U+4E00)" },
  { title: "a Chinese stroke between digits", word: "7\u4e002", shown: "7\\u4e002", named: "一 (U+4E00)" },
  { title: "a Japanese stroke between ASCII", word: "a\u30ceb", shown: "a\\u30ceb", named: "ノ (U+30CE)" },
  { title: "a stroke next to ASCII and before a word", word: "rm\u30fcサ", shown: "rm\\u30fcサ", named: "ー (U+30FC)" },
  { title: "a modifier as a quote", word: "\u02b9ls\u02b9", shown: "\\u02b9ls\\u02b9", named: "ʹ (U+02B9)" },
  { title: "a rare stroke", word: "a表丨表", shown: "a表\\u4e28表", named: "丨 (U+4E28)" },
  { title: "a Cyrillic letter between ASCII", word: "c\u0430t", shown: "c\\u0430t", named: "а (U+0430)" },
  { title: "a Russian word", word: "копия", shown: "копия", named: undefined },
  { title: "a Russian word of look-alikes", word: "а", shown: "а", named: "а (U+0430)" },
  { title: "a Chinese word", word: "第一", shown: "第一", named: undefined },
  { title: "a Chinese word with a digit", word: "第1一", shown: "第1一", named: "一 (U+4E00)" },
  { title: "a Japanese word after ASCII", word: "APIサーバー", shown: "APIサーバー", named: "ー (U+30FC)" },
  { title: "a Japanese word before ASCII", word: "サーバーAPI", shown: "サーバーAPI", named: "ー (U+30FC)" },
  { title: "German, French and Vietnamese words", word: "Größe cœur được", shown: "Größe cœur được", named: undefined },
])(
  "code in a line with another script marks look-alikes outside words of that script: $title",
  ({ word, shown, named }) => {
    const warnings = named === undefined ? [] : [`contains look-alike characters: ${named}`];
    expect(makeVisible(`${word} ${COMMENT}`, { kind: "code" })).toEqual({ lines: [`${shown} ${COMMENT}`], warnings });
  },
);

test("line breaks separate lines or are escaped, and tabs are escaped", () => {
  expect(makeVisible("a\n\tb\n").lines).toEqual(["a", "\\tb", ""]);
  expect(visibleLine("a\nb")).toBe("a\\nb");
});

test("a message ends with its warnings, which name a limited number of characters", () => {
  expect(visibleMessage("l\u200bs")).toBe("l\\u200bs\n(contains characters that cannot be seen: U+200B)");
  const many = Array.from({ length: 20 }, (_, index) => String.fromCodePoint(0xe000 + index)).join("");
  expect(makeVisible(many).warnings[0]).toEndWith("U+E00A, U+E00B, and 8 more");
});

test.each([
  { title: "dashes, quotes and an ellipsis", text: "Café – “quoted” it’s … ok…", shown: "Café – “quoted” it’s … ok…" },
  {
    title: "words of languages in the Latin script",
    text: "kapı ışık Größe cœur được",
    shown: "kapı ışık Größe cœur được",
  },
  { title: "words of one letter", text: "Как а, о и с?", shown: "Как а, о и с?" },
  { title: "full-width punctuation", text: "发布吗？", shown: "发布吗？" },
  { title: "emoji", text: "⚠️ 👩🏽‍💻 ok", shown: "⚠️ 👩🏽‍💻 ok" },
  { title: "a no-break space", text: "Oui\u00a0?", shown: "Oui ?" },
])("prose is not changed: $title", ({ text, shown }) => {
  expect(visibleMessage(text)).toBe(shown);
  expect(visibleLabel(text)).toBe(shown);
});

test.each([
  { title: "a Cyrillic letter in a word", text: "c\u0430t", shown: "c\\u0430t" },
  { title: "a bidirectional override", text: "a\u202eb", shown: "a\\u202eb" },
  { title: "a control", text: "a\u001b[2J", shown: "a\\u001b[2J" },
  { title: "a variation selector after a letter", text: "a\ufe0f", shown: "a\\ufe0f" },
])("prose with hidden characters is escaped: $title", ({ text, shown }) => {
  expect(visibleLabel(text)).toBe(shown);
  expect(visibleMessage(text)).toStartWith(`${shown}\n(contains `);
});

test("a line of a megabyte takes linear time", () => {
  const line = "long ".repeat(200_000);
  expect(visibleLabel(line)).toBe(line);
});
