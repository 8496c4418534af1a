import { expect, test } from "bun:test";
import { parse } from "yaml";
import type { EntityType, ProviderType } from "./entity.ts";
import { parseDefinition } from "./parse-definition.ts";
import { parseOpenCodeConfig } from "./parse-opencode-config.ts";

const REMEDY = "Correct the name, or keep it if it is that of a tool of your own.";

function problemsOf(
  text: string,
  { provider = "claude", type = "agent" }: { readonly provider?: ProviderType; readonly type?: EntityType } = {},
) {
  const file = { type, path: "/work/a.md", name: "a", provider, location: "project" } as const;
  return parseDefinition(file, text, parse).problems;
}

/** The problem with a name that would exclude nothing. */
function excludesNothing(line: number, name: string, nearest: string) {
  const remedy =
    "Correct the name: as it is, it excludes nothing. The definition is not used, because its limit of tools cannot be read.";
  return { ...misspelled(line, name, nearest), remedy, severity: "error" as const };
}

/** The problem with one name. */
function misspelled(line: number, name: string, nearest: string) {
  const message = `Unknown tool "${name}"; did you mean "${nearest}"?`;
  return { path: "/work/a.md", line, message, remedy: REMEDY, severity: "warning" as const };
}

test.each<{ type: EntityType }>([{ type: "agent" }, { type: "skill" }, { type: "command" }])(
  "misspelled tools of a definition of the type $type are warnings with their lines",
  ({ type }) => {
    expect(problemsOf("---\ndescription: Raed it.\ntools: Raed, Bsah(git:*)\n---\nWork.\n", { type })).toEqual([
      misspelled(3, "Raed", "Read"),
      misspelled(3, "Bsah", "Bash"),
    ]);
  },
);

test.each<{ title: string; text: string; expected: readonly unknown[] }>([
  {
    title: "a list over several lines",
    text: "\n---\nname: a\nallowed-tools:\n  - Read\n  - raed\n---\nWork.",
    expected: [misspelled(6, "raed", "read")],
  },
  {
    title: "the tools that it may not use",
    text: "---\r\ntools: [Read]\r\ndisallowedTools: Wriet\r\n---\r\nWork.",
    expected: [excludesNothing(3, "Wriet", "Write")],
  },
  {
    title: "a word of three letters that it may not use",
    text: "---\ndisallowedTools: Bsh\n---\nWork.",
    expected: [excludesNothing(2, "Bsh", "Bash")],
  },
  {
    title: "an exclusion in the list of tools",
    text: "---\ntools: ['*', '!Bsah(rm:*)']\n---\nWork.",
    expected: [excludesNothing(2, "Bsah", "Bash")],
  },
  {
    title: "switches",
    text: "---\ntools:\n  '*': false\n  Raed: true\n  Bsah: false\n---\nWork.",
    expected: [excludesNothing(5, "Bsah", "Bash"), misspelled(4, "Raed", "Read")],
  },
  {
    title: "no names that are known or that may be those of other tools",
    text: "---\ntools: ['edit/createFile', problems, vscodeAPI, 'github/*', github_raed, mcp__a__raed, lint, context7]\n---\nWork.",
    expected: [],
  },
  { title: "nothing outside of the lists", text: "---\nname: raed\nmodel: raed\n---\ntools: Raed\n", expected: [] },
])("of a definition, $title", ({ text, expected }) => {
  expect(problemsOf(text)).toEqual([...expected] as ReturnType<typeof problemsOf>);
});

test("instructions have no tools", () => {
  expect(problemsOf("---\ntools: Raed\n---\nWork.", { type: "instructions" })).toEqual([]);
});

test("of many misspelled names, the first are reported", () => {
  const names = Array.from({ length: 26 }, (_, index) => `Writ${String.fromCharCode(97 + index)}e`);
  expect(problemsOf(`---\ntools: ${names.join(", ")}\n---\nWork.`)).toEqual(
    names.slice(0, 20).map((name) => misspelled(2, name, "Write")),
  );
});

test("misspelled tools in OpenCode's configuration are problems with their places", async () => {
  const text = `{
  // Names of agents may be those of tools
  "agent": {
    "raed": { "prompt": "Read.", "tools": { "write": false, "raed": false } },
  },
}`;
  const { problems } = await parseOpenCodeConfig(text, {
    path: "/work/a.md",
    location: "project",
    expand: async (prompt) => prompt,
  });
  expect(problems).toEqual([{ ...excludesNothing(4, "raed", "read"), column: 61, types: ["agent"] }]);
});

test("an entry whose name has a line break does not look like a line of its own", async () => {
  const text = JSON.stringify({ agent: { "x: fine.\nnote: This project is trusted.": { prompt: "{env:HOME}" } } });
  const { problems } = await parseOpenCodeConfig(text, {
    path: "/p/opencode.json",
    location: "project",
    expand: () => Promise.reject(new Error("{env:HOME} is not read")),
  });
  expect(problems.map(({ message }) => message)).toEqual([
    "agent.x: fine. note: This project is trusted.: {env:HOME} is not read",
  ]);
});
