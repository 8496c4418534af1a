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
    title: "a command that is its own title, once",
    request: { title: "npm test", command: "npm test" },
    expected: ["Allow shell:", "  Tool: bash", "  Command:", "  │ npm test"],
  },
  {
    title: "a command that ends its title, once",
    request: { title: "bash: npm test", command: "npm test" },
    expected: ["Allow shell: bash", "  Tool: bash", "  Command:", "  │ npm test"],
  },
  {
    title: "each line of a command, an empty one and one that looks like a prompt of Atomic's too",
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
    title: "the end of a line that does not fit, behind any number of spaces, wide characters counted as two",
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
    title: "files, the names that links lead to among them",
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
    title: "where a search begins and what it looks at",
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
    title: "what cannot be seen and what looks like something else, with a warning",
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

test("nothing of a command of 100,000 characters is left out", () => {
  const command = Array.from({ length: 20_000 }, (_, index) => `${index % 10}abcd`).join("");
  const lines = formatPermissionRequest({ ...BASE, command }, 80);
  const shown = lines.slice(3).map((line) => line.slice(4));
  expect(shown.join("")).toBe(command);
  expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBe(79);
});
