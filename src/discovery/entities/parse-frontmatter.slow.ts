import { describe, expect, test } from "bun:test";
import { parse as parseWithPackage } from "yaml";
import { type ParseYaml, parseFrontmatter } from "./parse-frontmatter.ts";

/** Bun has the one, any other runtime gets the other. */
const PARSERS: readonly (readonly [name: string, ParseYaml])[] = [
  ["Bun", (text) => Bun.YAML.parse(text)],
  ["the package yaml", (text) => parseWithPackage(text, { uniqueKeys: false, logLevel: "error" })],
];

const HELLO = { fields: { name: "a" }, body: "Hello.", hasFrontmatter: true, problems: [] };

describe.each(PARSERS)("with %s", (_name, parseYaml) => {
  test.each([
    { title: "a plain head", text: "---\nname: a\n---\nHello.", expected: HELLO },
    { title: "CRLF", text: "---\r\nname: a\r\n---\r\nHello.", expected: HELLO },
    { title: "a BOM", text: "\ufeff---\nname: a\n---\nHello.", expected: HELLO },
    {
      title: "blank lines before it, spaces after the fences",
      text: "\n---  \nname: a\n---\t\nHello.",
      expected: HELLO,
    },
    {
      title: "no head",
      text: "# Title\n\n---\nname: a\n---\n",
      expected: { fields: {}, body: "# Title\n\n---\nname: a\n---\n", hasFrontmatter: false, problems: [] },
    },
    {
      title: "an empty head",
      text: "---\n---\nHello.",
      expected: { ...HELLO, fields: {} },
    },
    {
      title: "three dashes within a value end nothing",
      text: "---\nname: a\ndescription: one --- two\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", description: "one --- two" } },
    },
    {
      title: "an unquoted colon",
      text: "---\nname: a\ndescription: Use this: when needed\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", description: "Use this: when needed" } },
    },
    {
      title: "a description over several lines with colons",
      text: "---\nname: a\ndescription: Use it. Examples:\n  Context: a bug\n  user: fix it\nmodel: opus\n---\nHello.",
      expected: {
        ...HELLO,
        fields: { name: "a", description: "Use it. Examples:\nContext: a bug\nuser: fix it", model: "opus" },
      },
    },
    {
      title: "a description that continues without an indentation",
      text: "---\nname: a\ndescription: one: two\n<example>\nthree\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", description: "one: two\n<example>\nthree" } },
    },
    {
      title: "hints in brackets",
      text: "---\nname: a\nargument-hint: [message] | --amend\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", "argument-hint": "[message] | --amend" } },
    },
    {
      title: "characters that begin no plain text in YAML",
      text: "---\nname: a\ndescription: @all `now` 100%\ntools: *\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", description: "@all `now` 100%", tools: "*" } },
    },
    {
      title: "tabs",
      text: "---\nname: a\ntools:\n\t- read\n\t- edit\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", tools: ["read", "edit"] } },
    },
    {
      title: "a broken quotation",
      text: '---\nname: a\ndescription: "say \\d"\n---\nHello.',
      expected: { ...HELLO, fields: { name: "a", description: "say \\d" } },
    },
    {
      title: "the last of two equal fields counts",
      text: "---\nname: b\nname: a\n---\nHello.",
      expected: {
        ...HELLO,
        problems: [{ line: 3, message: 'The field "name" is there twice. Keep one of them', fields: ["name"] }],
      },
    },
    {
      title: "emoji, lists, nested fields and unknown ones are kept",
      text: "---\nname: a\nicon: 🚀\ntools: [x, y]\nmetadata:\n  owner: me\n---\nHello.",
      expected: { ...HELLO, fields: { name: "a", icon: "🚀", tools: ["x", "y"], metadata: { owner: "me" } } },
    },
    {
      title: "a missing end",
      text: "---\nname: a\ntools:\n  - read\n\nHello.",
      expected: {
        fields: { name: "a", tools: ["read"] },
        body: "\nHello.",
        hasFrontmatter: true,
        problems: [{ line: 1, message: 'The frontmatter has no end. Write a line with "---" after it', fields: [] }],
      },
    },
    {
      title: "a line across the page is no head",
      text: "---\n\nHello.",
      expected: { fields: {}, body: "---\n\nHello.", hasFrontmatter: false, problems: [] },
    },
    {
      title: "a head that is a list",
      text: "---\n- a\n- b\n---\nHello.",
      expected: {
        ...HELLO,
        fields: {},
        problems: [{ line: 2, message: "The frontmatter has no fields. Write each as: name: value", fields: [] }],
      },
    },
    {
      title: "a line that belongs to no field",
      text: "---\n%% what\nname: a: b\n---\nHello.",
      expected: {
        ...HELLO,
        fields: { name: "a: b" },
        problems: [{ line: 2, message: "This line of the frontmatter belongs to no field" }],
      },
    },
  ])("$title", ({ text, expected }) => {
    expect(parseFrontmatter(text, parseYaml)).toEqual(expected);
  });

  test("exponential aliases and endless nesting exhaust neither time nor memory", () => {
    const bomb = Array.from({ length: 30 }, (_, index) => {
      const alias = `*a${index - 1}`;
      return `a${index}: &a${index} ${index === 0 ? "[x, x]" : `[${alias}, ${alias}]`}`;
    });
    const { fields } = parseFrontmatter(`---\nname: a\n${bomb.join("\n")}\n---\nHello.`, parseYaml);
    expect(fields.name).toBe("a");
    expect(JSON.stringify(fields).length).toBeLessThan(10_000);
    const deep = parseFrontmatter(`---\nname: a\nx: ${"[".repeat(50_000)}\n---\nHello.`, parseYaml);
    expect(deep.fields.name).toBe("a");
  });

  test("a head of 1 MiB is read field by field", () => {
    const { fields, body } = parseFrontmatter(`---\nname: a\nlong: ${"x".repeat(1_000_000)}\n---\nHello.`, parseYaml);
    expect([fields.name, String(fields.long).length, body]).toEqual(["a", 1_000_000, "Hello."]);
  });
});

test("heads of a megabyte are read in linear time", () => {
  const parse = (text: string): unknown => Bun.YAML.parse(text);
  const fields = Array.from({ length: 20_000 }, (_, index) => `a${index}: 1`);
  const lists = Array.from({ length: 30_000 }, () => "tools:R");
  const many = parseFrontmatter(`---\n${[...fields, ...lists].join("\n")}\n---\n`, parse);
  expect(many.problems).toHaveLength(20);
  const word = parseFrontmatter(`---\n${"a".repeat(60_000)}\n---\n`, parse);
  expect(word.problems.map(({ message }) => message)).toEqual([
    "The frontmatter has no fields. Write each as: name: value",
  ]);
});
