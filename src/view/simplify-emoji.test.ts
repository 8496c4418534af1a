import { expect, test } from "bun:test";
import { columnsOf } from "./safe-text.ts";
import { simplifyEmoji } from "./simplify-emoji.ts";

test.each([
  { text: "a 👩\u200d👩\u200d👧 b", expected: "a 👩👩👧 b" },
  { text: "🤷🏽\u200d♂\ufe0f", expected: "🤷" },
  { text: "👍🏿!", expected: "👍!" },
  { text: "🏽", expected: "🏽" },
  { text: "🇩🇪 🇫🇷", expected: "DE FR" },
  { text: "❤\ufe0f\u200d🔥 1\ufe0f\u20e3", expected: "❤🔥 1" },
  { text: "क\u094d\u200dष 並 é 😀", expected: "क\u094d\u200dष 並 é 😀" },
])("$text is shown as $expected", ({ text, expected }) => {
  expect(simplifyEmoji(text)).toBe(expected);
});

test("the width of what is shown is that of its characters, whether a terminal joins them or not", () => {
  for (const text of ["👩\u200d👩\u200d👧", "🤷🏽\u200d♂\ufe0f", "👍🏿", "🇩🇪", "❤\ufe0f\u200d🔥", "1\ufe0f\u20e3"]) {
    const shown = simplifyEmoji(text);
    const columns = [...shown].reduce((sum, character) => sum + columnsOf(character), 0);
    expect({ shown, columns }).toEqual({ shown, columns: columnsOf(shown) });
  }
});
