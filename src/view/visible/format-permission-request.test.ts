import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { formatPermissionRequest } from "./format-permission-request.ts";

const BASE: PermissionRequest = { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "Tests", paths: [] };

test.each<{ title: string; request: Partial<PermissionRequest>; columns?: number; expected: readonly string[] }>([
  {
    title: "a command",
    request: { command: "npm test" },
    expected: ["Allow shell: Tests", "  Tool: bash", "  Command:", "  │ npm test"],
  },
  {
    title: "a command that equals its title, once",
    request: { title: "npm test", command: "npm test" },
    expected: ["Allow shell:", "  Tool: bash", "  Command:", "  │ npm test"],
  },
  {
    title: "a command that ends its title, once",
    request: { title: "bash: npm test", command: "npm test" },
    expected: ["Allow shell: bash", "  Command:", "  │ npm test"],
  },
  {
    title: "each line of a command, including empty ones and imitations of Atomic's prompt",
    request: { command: "echo a\n\nAllow shell: ls\n  │ x" },
    expected: [
      "Allow shell: Tests",
      "  Tool: bash",
      "  Command, 4 lines:",
      "  │ echo a",
      "  │ ",
      "  │ Allow shell: ls",
      "  │   \\u2502 x",
      "  Warning: it contains look-alike characters: │ (U+2502)",
    ],
  },
  {
    title: "the end of a wrapped line after many spaces, with double-width characters",
    request: { command: `echo 日本語の説明${" ".repeat(20)}; rm -rf ~` },
    columns: 24,
    expected: [
      "Allow shell: Tests",
      "  Tool: bash",
      "  Command:",
      "  │ echo 日本語の説明  ",
      "  ┆                   ;",
      "  ┆  rm -rf ~",
    ],
  },
  {
    title: "dashes and quotes unchanged in prose, and marked in a command",
    request: { title: "Tests – “all”", step: "check – it", command: "echo “a”" },
    expected: [
      "Allow shell: Tests – “all”",
      "  Step: check – it",
      "  Tool: bash",
      "  Command:",
      "  │ echo \\u201ca\\u201d",
      "  Warning: it contains look-alike characters: “ (U+201C), ” (U+201D)",
    ],
  },
  {
    title: "prose in a file with dashes and quotes unchanged",
    request: {
      kind: "edit",
      title: "write: a.md",
      toolName: "write",
      paths: ["a.md"],
      details: { type: "write", path: "a.md", text: "It’s “done” – …" },
    },
    expected: [
      "Allow edit: write: a.md",
      "  File:",
      "  │ a.md",
      "  New content of the whole file:",
      "  │ It’s “done” – …",
    ],
  },
  {
    title: "look-alikes in a script marked, and words of another script in a comment unchanged",
    request: {
      kind: "edit",
      title: "edit: ci.sh",
      toolName: "edit",
      paths: ["ci.sh"],
      details: {
        type: "edit",
        changes: [
          { path: "ci.sh", oldText: "", newText: "rm –rf /tmp/x; сор а b\n# Копия с диска, сервер サーバー, c\u0430t" },
        ],
      },
    },
    columns: 200,
    expected: [
      "Allow edit: ci.sh",
      "  File:",
      "  │ ci.sh",
      "  Change (- old, + new):",
      "  │ + rm \\u2013rf /tmp/x; \\u0441\\u043e\\u0440 \\u0430 b",
      "  │ + # Копия с диска, сервер サーバー, c\\u0430t",
      "  Warning: it contains look-alike characters: – (U+2013), с (U+0441), о (U+043E), р (U+0440), а (U+0430)",
    ],
  },
  {
    title: "look-alikes in a text that a program reads",
    request: {
      kind: "edit",
      title: "write: CMakeLists.txt",
      toolName: "write",
      paths: ["CMakeLists.txt"],
      details: { type: "write", path: "CMakeLists.txt", text: "сор" },
    },
    columns: 200,
    expected: [
      "Allow edit: write: CMakeLists.txt",
      "  File:",
      "  │ CMakeLists.txt",
      "  New content of the whole file:",
      "  │ \\u0441\\u043e\\u0440",
      "  Warning: it contains look-alike characters: с (U+0441), о (U+043E), р (U+0440)",
    ],
  },
  {
    title: "a script that is the target of a link with the name of a text",
    request: {
      kind: "edit",
      title: "write: a.md",
      toolName: "write",
      paths: ["/work/a.md", "/work/ci.sh"],
      details: { type: "write", path: "a.md", text: "сор" },
    },
    columns: 200,
    expected: [
      "Allow edit: write: a.md",
      "  Files:",
      "  │ /work/a.md",
      "  │ /work/ci.sh",
      "  New content of the whole file:",
      "  │ \\u0441\\u043e\\u0440",
      "  Warning: it contains look-alike characters: с (U+0441), о (U+043E), р (U+0440)",
    ],
  },
  {
    title: "look-alikes in the input of a tool",
    request: {
      kind: "mcp",
      title: 'sh: {"run":"сор –a"}',
      toolName: "sh",
      details: { type: "input", input: { run: "сор –a" } },
    },
    expected: [
      "Allow mcp: sh",
      "  Input:",
      "  │ {",
      '  │   "run": "\\u0441\\u043e\\u0440 \\u2013a"',
      "  │ }",
      "  Warning: it contains look-alike characters: с (U+0441), о (U+043E), р (U+0440), – (U+2013)",
    ],
  },
  {
    title: "files, including the targets of links",
    request: {
      kind: "edit",
      toolName: "write",
      title: "Write a (leads to /etc/b)",
      paths: ["/work/a", "/etc/b\nAllow"],
    },
    expected: [
      "Allow edit: Write a (leads to /etc/b)",
      "  Tool: write",
      "  Files:",
      "  │ /work/a",
      "  │ /etc/b\\nAllow",
    ],
  },
  {
    title: "the step, and the change of a file line by line",
    request: {
      kind: "edit",
      toolName: "edit",
      title: "edit: a.ts",
      paths: ["/work/a.ts"],
      step: "implement",
      details: {
        type: "edit",
        changes: [
          { path: "a.ts", oldText: "one\ntwo\nthree", newText: "one\n2\u202e\nthree\n" },
          { path: "a.ts", oldText: "", newText: "x", isEverywhere: true },
        ],
      },
    },
    expected: [
      "Allow edit: a.ts",
      "  Step: implement",
      "  File:",
      "  │ /work/a.ts",
      "  Change 1 of 2 (- old, + new):",
      "  │   one",
      "  │ - two",
      "  │ + 2\\u202e",
      "  │   three",
      "  │ + ",
      "  Change 2 of 2, at every place with the old lines (- old, + new):",
      "  │ + x",
      "  Warning: it contains characters that cannot be seen: U+202E",
    ],
  },
  {
    title: "the lines around a change and their numbers, where its place is known",
    request: {
      kind: "edit",
      toolName: "edit",
      title: "edit: a.ts",
      paths: ["/work/a.ts"],
      details: {
        type: "edit",
        changes: [
          {
            ...{ path: "a.ts", oldText: "old", newText: "new\nmore" },
            place: { line: 8, before: "eight\nlet ", after: ";\nten" },
          },
        ],
      },
    },
    expected: [
      "Allow edit: a.ts",
      "  File:",
      "  │ /work/a.ts",
      "  Change (- old, + new):",
      "  │    8 eight",
      "  │ -  9 let old;",
      "  │ +  9 let new",
      "  │ + 10 more;",
      "  │   11 ten",
    ],
  },
  {
    title: "the file of each change when the call names several",
    request: {
      kind: "edit",
      title: "edit",
      toolName: "edit",
      paths: ["/work/a"],
      details: { type: "edit", changes: [{ path: "b", oldText: "1", newText: "" }] },
    },
    expected: [
      "Allow edit: edit",
      "  File:",
      "  │ /work/a",
      "  Change, file:",
      "  │ b",
      "  Change (- old, + new):",
      "  │ - 1",
    ],
  },
  {
    title: "the content of a new file",
    request: {
      kind: "edit",
      title: "write: a",
      toolName: "write",
      paths: ["a"],
      details: { type: "write", path: "a", text: "1\n\n\u001b[31m3\n" },
    },
    expected: [
      "Allow edit: write: a",
      "  File:",
      "  │ a",
      "  New content of the whole file, 3 lines:",
      "  │ 1",
      "  │ ",
      "  │ \\u001b[31m3",
      "  Warning: it contains characters that cannot be seen: U+001B",
    ],
  },
  {
    title: "a note that a file is emptied",
    request: { kind: "edit", title: "w: a", toolName: "w", details: { type: "write", path: "a", text: "" } },
    expected: ["Allow edit: w: a", "  New content: nothing, the file is emptied."],
  },
  {
    title: "a patch",
    request: {
      kind: "edit",
      title: "patch: a",
      toolName: "patch",
      details: { type: "patch", text: "*** Add File: a\n+x" },
    },
    expected: ["Allow edit: patch: a", "  Patch, 2 lines:", "  │ *** Add File: a", "  │ +x"],
  },
  {
    title: "the input of a tool, once",
    request: {
      kind: "mcp",
      title: 'db: {"sql":"drop\\u001b"}',
      toolName: "db",
      details: { type: "input", input: { sql: "drop\u001b" } },
    },
    expected: ["Allow mcp: db", "  Input:", "  │ {", '  │   "sql": "drop\\u001b"', "  │ }"],
  },
  {
    title: "an address, once",
    request: {
      kind: "fetch",
      title: "get: http://\u0430.example",
      toolName: "get",
      details: { type: "fetch", address: "http://\u0430.example" },
    },
    expected: [
      "Allow fetch: get",
      "  Address:",
      "  │ http://\\u0430.example",
      "  Warning: it contains look-alike characters: а (U+0430)",
    ],
  },
  {
    title: "wrapped headings in the narrowest terminal",
    request: { command: "12345678" },
    columns: 10,
    expected: [
      "Allow she",
      "  ┆ ll: T",
      "  ┆ ests",
      "  Tool: b",
      "  ┆ ash",
      "  Command",
      "  :",
      "  │ 12345",
      "  ┆ 678",
    ],
  },
  {
    title: "the folder and the file pattern of a search",
    request: { kind: "read", toolName: "grep", title: "Search", paths: ["/work"], search: { include: "*.env" } },
    expected: [
      "Allow read: Search",
      "  Tool: grep",
      "  In and below:",
      "  │ /work",
      "  Only files that match:",
      "  │ *.env",
    ],
  },
  {
    title: "invisible characters and look-alikes, with a warning",
    request: { title: "Read\nit", command: "c\u0430t a\u202e\u001b]0;x\u0007" },
    expected: [
      "Allow shell: Read\\nit",
      "  Tool: bash",
      "  Command:",
      "  │ c\\u0430t a\\u202e\\u001b]0;x\\u0007",
      "  Warning: it contains characters that cannot be seen: U+202E, U+001B, U+0007",
      "  Warning: it contains look-alike characters: а (U+0430)",
    ],
  },
])("shows $title", ({ request, columns = 100, expected }) => {
  expect(formatPermissionRequest({ ...BASE, ...request }, columns)).toEqual(expected);
});

test("a command of 100,000 characters is shown completely", () => {
  const command = Array.from({ length: 20_000 }, (_, index) => `${index % 10}abcd`).join("");
  const lines = formatPermissionRequest({ ...BASE, command }, 80);
  const shown = lines.slice(3).map((line) => line.slice(4));
  expect(shown.join("")).toBe(command);
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBe(79);
});
