import { expect, test } from "bun:test";
import { spellLinks } from "./spell-links.ts";

test.each([
  { from: "[a](https://b.example)", to: "a (<https://b.example>)" },
  { from: '[https://good.example](https://evil.example/b "t")', to: "https://good.example (<https://evil.example/b>)" },
  {
    from: "[a](https://b.example 't') [c](https://d.example (t))",
    to: "a (<https://b.example>) c (<https://d.example>)",
  },
  { from: "[https://good.example](<https://evil.example/c>)", to: "https://good.example (<https://evil.example/c>)" },
  { from: "[a]( https://b.example )", to: "a (<https://b.example>)" },
  { from: "[a](https://b.example/c(d)e) end", to: "a (<https://b.example/c(d)e>) end" },
  { from: "[a](https://b.example/\\(c)", to: "a (<https://b.example/(c>)" },
  { from: "[docs](vscode://evil/f) [y](ssh://evil/h)", to: "docs (`vscode://evil/f`) y (`ssh://evil/h`)" },
  { from: "[x](file:///etc/g) <vscode://evil>", to: "x (`file:///etc/g`) `vscode://evil`" },
  { from: "[a](javascript:alert`1`)", to: "a (`` javascript:alert`1` ``)" },
  { from: "[write](mailto:a@b.example)", to: "write (<mailto:a@b.example>)" },
  { from: "![https://good.example](https://evil.example/x)", to: "https://good.example (<https://evil.example/x>)" },
  { from: "[![alt](https://b.example/i)](https://c.example)", to: "alt (<https://b.example/i>) (<https://c.example>)" },
  {
    from: "[a [b](https://one.example) c](https://two.example)",
    to: "a b (<https://one.example>) c (<https://two.example>)",
  },
  { from: "[`src/a.ts`](src/a.ts) [src/a.ts](src/a.ts)", to: "`src/a.ts` `src/a.ts`" },
  { from: "[`a.ts:3`](src/a.ts#L3)", to: "`a.ts:3` (`src/a.ts#L3`)" },
  { from: "**[a](https://b.example)**", to: "**a (<https://b.example>)**" },
  { from: "[https://b.example](https://b.example)", to: "<https://b.example>" },
  { from: "[](https://b.example)", to: "<https://b.example>" },
  { from: "`[a](https://b.example)` and ``[`](c)``", to: "`[a](https://b.example)` and ``[`](c)``" },
  { from: "a[0] and [1,2] then [ERR], \\[x](y)", to: "a[0] and [1,2] then [ERR], \\[x](y)" },
  { from: "[a](b c) and [open ![also", to: "[a](b c) and [open ![also" },
  { from: "| [a](https://b.example) | 漢字 |", to: "| a (<https://b.example>) | 漢字 |" },
])("$from shows where it leads", ({ from, to }) => {
  expect(spellLinks([from])).toEqual([to]);
});

test("a reference link shows the target of its first definition", () => {
  const definitions = ["[One]: https://evil.example/ref 'title'", "[one]: https://other.example", "[two]: <a b>"];
  const lines = ["[https://good.example][one]", "[ONE][] [one] [two] [three][3]", ...definitions];
  expect(spellLinks(lines)).toEqual([
    "https://good.example (<https://evil.example/ref>)",
    "ONE (<https://evil.example/ref>) one (<https://evil.example/ref>) two (`a b`) [three][3]",
    ...definitions,
  ]);
});

test("code blocks stay as they are", () => {
  const lines = ["```", "[a](https://b.example)", "```"];
  expect(spellLinks(lines)).toEqual(lines);
});

test("a line of many brackets is read in time that grows with its length only", () => {
  const line = "[".repeat(9_000) + "]".repeat(9_000);
  expect(spellLinks([line])).toEqual([line]);
});
