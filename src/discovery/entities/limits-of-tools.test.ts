import { describe, expect, test } from "bun:test";
import { parse as parseWithPackage } from "yaml";
import type { EntityType, ProviderType } from "./entity.ts";
import { parseDefinition } from "./parse-definition.ts";
import type { ParseYaml } from "./parse-frontmatter.ts";

/** Bun has the one, any other runtime gets the other. */
const PARSERS: readonly (readonly [name: string, ParseYaml])[] = [
  ["Bun", (text) => Bun.YAML.parse(text)],
  ["the package yaml", (text) => parseWithPackage(text, { uniqueKeys: false, logLevel: "error" })],
];

const NOT_USED = "The definition is not used, because its limit of tools cannot be read.";
const READABLE = "Correct the file; for now, only its readable part is used.";
const MISPLACED =
  'These fields are no frontmatter: the file must begin with the line "---", and another one must end them';

interface Kind {
  readonly provider?: ProviderType;
  readonly type?: EntityType;
}

const head = (...lines: readonly string[]): string => `---\ndescription: Works\n${lines.join("\n")}\n---\nWork.\n`;

describe.each(PARSERS)("with %s", (_parser, parseYaml) => {
  const parse = (text: string, { provider = "atomic", type = "agent" }: Kind = {}) =>
    parseDefinition({ type, path: "/p/a.md", name: "a", provider, location: "project" }, text, parseYaml);

  test.each<Kind & { title: string; text: string; line: number; message: string; advice?: string }>([
    {
      title: "a number",
      text: head("tools: 5"),
      line: 3,
      message: 'The field "tools" is 5, which is not a list of tools',
      advice: 'Write it as in "tools: Read, Grep", or remove it. ',
    },
    {
      title: "yes",
      text: head("tools: true"),
      line: 3,
      message: 'The field "tools" is true, which is not a list of tools',
      advice: 'Write it as in "tools: Read, Grep", or remove it. ',
    },
    {
      title: "no value",
      text: head("model: opus", "disallowedTools:"),
      line: 4,
      message: 'The field "disallowedTools" has no value',
      advice: 'Write it as in "disallowedTools: Read, Grep", or remove it. ',
    },
    {
      title: "an entry that YAML takes for an object",
      text: head("disallowed-tools:", "  - Bash: rm"),
      line: 3,
      message: 'The field "disallowed-tools" has the entry {"Bash":"rm"}, which is not the name of a tool',
      advice: 'Write it as in "disallowed-tools: Read, Grep", or remove it. ',
    },
    ...[
      { list: "Bash; Write", entry: "Bash;" },
      { list: "[Azure MCP/search]", entry: "Azure MCP/search" },
      { list: "(Bash)", entry: "(Bash)" },
      { list: "\"'Bash'\"", entry: "'Bash'" },
      { list: "Bash.", entry: "Bash." },
      { list: '"!Bash"', entry: "!Bash" },
      { list: "Bash:rm", entry: "Bash:rm" },
      { list: "В\u0430sh", entry: "В\u0430sh" },
      { list: "Bash\u200b", entry: "Bash\u200b" },
    ].map(({ list, entry }) => ({
      title: `the exclusion ${JSON.stringify(list)}`,
      text: head(`disallowedTools: ${list}`),
      line: 3,
      message: `The field "disallowedTools" has the entry ${JSON.stringify(entry)}, which is not the name of a tool`,
      advice: 'Write it as in "disallowedTools: Read, Grep", or remove it. ',
    })),
    {
      title: "an exclusion that is switched off",
      text: head("disallowedTools: { bash: false }"),
      line: 3,
      message: 'The field "disallowedTools" has false for "bash". It lists the tools that may not be used',
      advice: 'Write it as in "disallowedTools: Read, Grep", or remove it. ',
    },
    ...[
      { tools: "\n  Read:\n  Grep:", name: "Read" },
      { tools: "{ only: Read }", name: "only" },
      { tools: "\n  allow: [Read, Grep]", name: "allow" },
      { tools: "{ Read: 1 }", name: "Read" },
    ].map(({ tools, name }) => ({
      title: `the switches ${JSON.stringify(tools)}`,
      text: head(`tools: ${tools}`),
      line: 3,
      message: `The field "tools" has neither true nor false for "${name}"`,
      advice: 'Write it as in "tools: Read, Grep", or remove it. ',
    })),
    {
      title: "an empty exclusion",
      text: head('disallowedTools: [Bash, ""]'),
      line: 3,
      message: 'The field "disallowedTools" has an entry without a name',
      advice: 'Write it as in "disallowedTools: Read, Grep", or remove it. ',
    },
    ...[
      { list: "Read; Grep", entry: "Read;" },
      { list: "- Read", entry: "-" },
      { list: '{ "! Bash:rm": true }', entry: "! Bash:rm" },
      { list: "`Read`", entry: "`Read`" },
    ].map(({ list, entry }) => ({
      title: `the list ${list}`,
      text: head(`tools: ${list}`),
      line: 3,
      message: `The field "tools" has the entry ${JSON.stringify(entry)}, which is not the name of a tool`,
      advice: 'Write it as in "tools: Read, Grep", or remove it. ',
    })),
    {
      title: "an open parenthesis",
      text: head("tools: Read, Bash(git:*"),
      line: 3,
      message: 'The field "tools" has a parenthesis without its counterpart',
      advice: 'Write it as in "tools: Read, Grep", or remove it. ',
    },
    {
      title: "an open bracket",
      text: head("disallowed-tools: [Bash, Write"),
      line: 3,
      message: 'The value of "disallowed-tools" is not valid YAML. Write a list as in: [Read, Grep]',
    },
    {
      title: "a capital letter",
      text: head("Tools: Read"),
      line: 3,
      message: 'Unknown field "Tools"; did you mean "tools"?',
      advice: "Correct the name. ",
    },
    {
      title: "a missing letter",
      text: head("tool: Read"),
      line: 3,
      message: 'Unknown field "tool"; did you mean "tools"?',
      advice: "Correct the name. ",
    },
    {
      title: "OpenCode's permission with an s",
      provider: "opencode",
      text: head("permissions:", "  edit: deny"),
      line: 3,
      message: 'Unknown field "permissions"; did you mean "permission"?',
      advice: "Correct the name. ",
    },
    {
      title: "OpenCode's permission with a word of its own",
      provider: "opencode",
      text: head("permission:", "  edit: denied"),
      line: 3,
      message: 'The field "permission" has "denied" for "edit"',
      advice: 'Write "ask", "allow" or "deny" for each tool, as in OpenCode\'s documentation. ',
    },
    {
      title: "fields after tabs",
      text: "---\n\tname: a\n\ttools: Read\n---\nWork.",
      line: 3,
      message: 'The field "tools" is indented, so it is part of "name". Remove the indentation',
    },
    {
      title: "a field that is part of the one before",
      text: "---\ndescription:\n  tools: Read\n---\nWork.",
      line: 2,
      message: 'The field "tools" is indented, so it is part of "description"',
      advice: "Remove the indentation. ",
    },
    { title: "no line before the fields", text: "name: a\ntools: Read\n---\nWork.", line: 1, message: MISPLACED },
    { title: "no line around the fields", text: "name: a\ntools: Read\n\nWork.", line: 1, message: MISPLACED },
    { title: "four dashes", text: "----\nname: a\ntools: Read\n----\nWork.", line: 2, message: MISPLACED },
    {
      title: "a comment before it",
      text: "<!-- a\nb -->\n\n---\ntools: Read\n---\nWork.",
      line: 5,
      message: MISPLACED,
    },
    { title: "a title before it", text: "# A\n\n---\nname: a\ntools: Read\n---\nWork.", line: 4, message: MISPLACED },
    { title: "a space before it", text: " ---\ntools: Read\n---\nWork.", line: 2, message: MISPLACED },
    {
      title: "a block of code around the file",
      text: "```markdown\n---\nname: a\ntools: Read\n---\nWork.\n```\n",
      line: 3,
      message: MISPLACED,
    },
    {
      title: "a missing end after which a field follows",
      text: "---\nname: a\n\ntools: Read\n\nWork.",
      line: 1,
      message: 'The frontmatter has no end. Write a line with "---" after it',
    },
    ...["tools:Read", "tools = Read", '- "tools": Read', "tools： Read"].map((line) => ({
      title: line,
      text: `---\nname: a\n${line}\n---\nWork.`,
      line: 3,
      message: 'The field "tools" cannot be read. Write it as in: tools: Read, Grep',
    })),
    ...["tools Read", "tools [Read]", "tools -> Read", "**tools**: Read", "`tools`: Read", "tools → Read"].map(
      (line) => ({
        title: line,
        text: `---\nname: a\n${line}\n---\nWork.`,
        line: 3,
        message: 'The field "tools" cannot be read. Write it as in: tools: Read, Grep',
      }),
    ),
    ...[
      { key: "tools\u200b", visible: "tools\\u200b" },
      { key: "t\u043e\u043els", visible: "t\\u043e\\u043els" },
      { key: "\u2060to\u00adol\u200bs", visible: "\\u2060to\\u00adol\\u200bs" },
    ].map(({ key, visible }) => ({
      title: `the key ${visible}`,
      text: head(`${key}: Read`),
      line: 3,
      message: `Unknown field "${visible}"; did you mean "tools"?`,
      advice: "Correct the name. ",
    })),
    ...[
      { title: "TOML", text: '+++\nname = "a"\ntools = ["Read"]\n+++\nWork.', line: 3 },
      { title: "TOML", text: '+++\nname = "a"\n[tools]\nbash = false\n+++\nWork.', line: 3 },
      { title: "JSON", text: '---json\n{\n  "name": "a",\n  "tools": ["Read"]\n}\n---\nWork.', line: 4 },
      { title: "JSON", text: '{ "name": "a", "tools": ["Read"], "prompt": "Work." }\n', line: 1 },
    ].map(({ title, text, line }) => ({
      title: `${title}, ${text.slice(0, 3)}`,
      text,
      line,
      message: `The frontmatter is in ${title}. Write the frontmatter in YAML`,
    })),
    {
      title: "a list within another field",
      text: head("metadata:", "  a:", "    tools: Read"),
      line: 3,
      message: 'The field "tools" is indented, so it is part of "metadata"',
      advice: "Remove the indentation. ",
    },
    ...[
      { line: "denied-tools: Bash", field: "denied-tools", meant: "disallowed-tools" },
      { line: "excludedTools: Bash", field: "excludedTools", meant: "disallowed-tools" },
      { line: "tools-allowed: Read", field: "tools-allowed", meant: "tools" },
      { line: "only_tools: Read", field: "only_tools", meant: "tools" },
      { line: "permitted-tools: Read", field: "permitted-tools", meant: "tools" },
      { line: "tool-whitelist: Read", field: "tool-whitelist", meant: "tools" },
      { line: "restricted-tools: Read", field: "restricted-tools", meant: "tools" },
      { line: "banned-tools: Bash", field: "banned-tools", meant: "disallowed-tools" },
      { line: "prohibited_tools: Bash", field: "prohibited_tools", meant: "disallowed-tools" },
      { line: "permissions: { deny: [Bash] }", field: "permissions", meant: "tools" },
      { line: "permission: { bash: deny }", field: "permission", meant: "tools" },
    ].map(({ line, field, meant }) => ({
      title: line,
      text: head(line),
      line: 3,
      message: `Unknown field "${field}"; did you mean "${meant}"?`,
      advice: "Correct the name. ",
    })),
    {
      title: "a quoted name beside a value that is not valid YAML",
      text: '---\nname: a: b\n"disallowed-tools": [Bash\n---\nWork.',
      line: 3,
      message: 'The field "disallowed-tools" cannot be read. Write it as in: disallowed-tools: Read, Grep',
    },
    {
      title: "a second frontmatter",
      text: "---\nname: a\n---\n\n---\ntools: Read\n---\nWork.",
      line: 6,
      message: "These fields come after the frontmatter. Move them into it",
    },
    {
      title: "a word after the dashes",
      text: "---yaml\nname: a\ntools: Read\n---\nWork.",
      line: 2,
      message: MISPLACED,
    },
    { title: "a line of text before it", text: "; mine\n---\ntools: Read\n---\nWork.", line: 3, message: MISPLACED },
    {
      title: "two lists",
      text: head("allowed-tools: Read", "allowedTools: Bash"),
      line: 4,
      message: 'The field "allowedTools" is there twice. Keep one of them',
    },
    {
      title: "text that continues the list",
      text: "---\nname: a\ntools: Read\nand use Bash\n---\nWork.",
      line: 3,
      message: 'The value of "tools" is not valid YAML. Write a list as in: [Read, Grep]',
    },
  ])("a definition is not used without a limit that cannot be read: $title", ({ text, line, message, ...more }) => {
    const { advice = "" } = more;
    const { entity, unusable, problems } = parse(text, more);
    expect(entity).toBeUndefined();
    expect(unusable?.source.path).toBe("/p/a.md");
    expect(problems).toEqual([{ path: "/p/a.md", line, message, remedy: advice + NOT_USED, severity: "error" }]);
  });

  test.each<Kind & { title: string; text: string; line: number; message: string; remedy: string }>([
    {
      title: "a misspelled model",
      text: head("modle: opus"),
      line: 3,
      message: 'Unknown field "modle"; did you mean "model"?',
      remedy: "Correct the name, or keep it if it is a field of your own.",
    },
    ...["mcp-tools", "toolNames"].map((field) => ({
      title: field,
      text: head(`${field}: Read`),
      line: 3,
      message: `Unknown field "${field}"; did you mean "tools"?`,
      remedy: "Correct the name, or keep it if it is a field of your own.",
    })),
    {
      title: "tools of Claude Code's that need no approval",
      provider: "claude",
      type: "command",
      text: head("allowed-tools: 5"),
      line: 3,
      message: 'The field "allowed-tools" is 5, which is not a list of tools',
      remedy: 'Write it as in "allowed-tools: Read, Grep", or remove it.',
    },
    {
      title: "four dashes at the end",
      text: "---\nname: a\n----\nWork.",
      line: 3,
      message: 'The frontmatter ends with more than three dashes. Write "---"',
      remedy: READABLE,
    },
    {
      title: "fields without a limit that are no frontmatter",
      text: "----\nname: a\ndescription: Works\n----\nWork.",
      line: 2,
      message: MISPLACED,
      remedy: READABLE,
    },
  ])("other faults are warnings: $title", ({ text, line, message, remedy, ...kind }) => {
    const { entity, problems } = parse(text, kind);
    expect(entity?.prompt).toEndWith("Work.");
    expect(problems).toEqual([{ path: "/p/a.md", line, message, remedy, severity: "warning" }]);
  });

  test("of many faults, the first are reported, and one that hides a limit is not lost among them", () => {
    const repeated = Array.from({ length: 50 }, (_, index) => `name: ${index}`);
    const misspelled = Array.from({ length: 26 }, (_, index) => `mod${String.fromCharCode(97 + index)}el: x`);
    for (const lines of [
      [...repeated, "tools: a", "tools: b"],
      [...misspelled, "tool: a"],
    ]) {
      const { entity, problems } = parse(head(...lines));
      expect(entity).toBeUndefined();
      expect(problems.filter(({ severity }) => severity === "error")).toHaveLength(1);
      expect(problems).toHaveLength(20);
    }
  });

  test.each<Kind & { title: string; text: string }>([
    { title: "lines that end as on old Macs", text: "---\rtools: Read\r---\rWork." },
    { title: "a BOM and blank lines", text: "\ufeff\n\n---\ntools: Read\n---\nWork." },
    { title: "fields of vendors", text: head("mode: subagent", "color: red", "agents: [b]", "tools: Read") },
    { title: "fields of one's own", text: head("reviewed-by: me", "tools: Read") },
    { title: "a block of text with a list", text: head("notes: |", "  tools: Write", "tools: Read") },
    { title: "a parenthesis with a colon and a space", text: head("tools: Read, Bash(git: *)") },
    { title: "a server's own list", text: head("mcp-servers: { a: { tools: ['*'] } }", "tools: Read") },
    { title: "a list in another field beside the one in force", text: head("metadata: { tools: x }", "tools: Read") },
    { title: "a comma at the end", text: head("tools: Read,") },
    { title: "a comma after each entry", text: head("tools:", "  - Read,", "  - Grep,") },
    { title: "a server's name with spaces", text: head("tools: [read, 'Azure MCP/search', 'io.github.a/b/*']") },
    { title: "spaces beside commas", text: head("tools: Read, Grep Glob") },
    { title: "the word and", text: head("tools: Read, Grep and Glob") },
    { title: "the word and in an exclusion", text: head("tools: Read", "disallowedTools: Write, Edit and Bash") },
    { title: "a list that is a block of text", text: head("tools: |", "  - Read", "  - Grep") },
    { title: "a text that the next line continues", text: head("tools: Read, Grep", "  WebFetch") },
    { title: "tabs before entries", text: head("tools:", "\t- Read") },
  ])("no problem: $title", ({ text, ...kind }) => {
    const { entity, problems } = parse(text, kind);
    expect(problems).toEqual([]);
    expect(entity?.tools?.[0]).toBe("read");
  });

  test.each([
    "Tools: use few.\nWork.",
    "# Title\n\n---\n\nname: a\n",
    "Example:\n\n```\n---\nname: a\ntools: Read\n---\n```\n",
    "---\n\nWork.",
  ])("a text is no misplaced frontmatter: %j", (text) => {
    expect(parse(text, { type: "command" }).problems).toEqual([]);
  });
});
