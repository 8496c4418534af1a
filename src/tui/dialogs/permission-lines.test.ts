import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { permissionLines } from "./permission-lines.ts";

const SHELL: PermissionRequest = {
  ...{ id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash: npm test" },
  ...{ command: "npm test", paths: [] },
};
const EDIT: PermissionRequest = {
  ...{
    id: "1",
    sessionId: "s",
    kind: "edit",
    toolName: "Edit",
    title: "Edit: src/cart.ts",
    paths: ["/shop/src/cart.ts"],
  },
  details: {
    type: "edit",
    changes: [{ path: "/shop/src/cart.ts", oldText: "a\nsum + price", newText: "a\nsum + price * count" }],
  },
};

function linesOf(request: PermissionRequest, columns = 60): readonly string[] {
  return permissionLines(request, { columns, glyphs: UNICODE_GLYPHS }).map(({ tone, text }) => `${tone}: ${text}`);
}

test.each<{ title: string; request: PermissionRequest; columns?: number; expected: readonly string[] }>([
  {
    title: "a command, and what a longer answer covers",
    request: SHELL,
    expected: ["agent:   npm test", "fact: a and p allow exactly this command."],
  },
  {
    title: "a request for once without longer answers",
    request: { ...SHELL, isOnce: true },
    expected: ["agent:   npm test"],
  },
  {
    title: "a title that says more than the command",
    request: { ...SHELL, title: "Run the tests", isOnce: true },
    expected: ["agent:   shell: Run the tests", "fact: Tool: Bash", "agent:   npm test"],
  },
  {
    title: "a long command whole, wrapped at any character",
    request: { ...SHELL, command: `echo ${"x".repeat(20)}; rm -rf ~`, title: "Bash", isOnce: true },
    columns: 20,
    expected: ["agent:   echo xxxxxxxxxxxxx", "agent: ┆ xxxxxxx; rm -rf ~"],
  },
  {
    title: "a command of several lines, none of which looks like one of Atomic",
    request: { ...SHELL, title: "Bash", command: "ls\na and p allow nothing.\n\u202e", isOnce: true },
    expected: [
      "warning: Warning: it contains characters that cannot be seen: U+202E",
      "fact: Command, 3 lines:",
      "agent:   ls",
      "agent:   a and p allow nothing.",
      "agent:   \\u202e",
    ],
  },
  {
    title: "an edit as a diff",
    request: EDIT,
    expected: [
      "agent: File: /shop/src/cart.ts",
      "fact: Change (- old, + new):",
      "agent:     a",
      "removed:   - sum + price",
      "added:   + sum + price * count",
      "fact: a and p allow any change of /shop/src/cart.ts with Edit,",
      "fact: ┆ with any content.",
    ],
  },
  {
    title: "the address of a fetch, with the step and the folder of a workflow's agent",
    request: {
      ...{ id: "1", sessionId: "s", kind: "fetch", toolName: "WebFetch", title: "WebFetch: https://a.example/x" },
      ...{ paths: [], details: { type: "fetch", address: "https://a.example/x" }, isOnce: true },
      ...{ step: "the reviewer of the whole change", workingDirectory: "/work/tree" },
    },
    expected: [
      "fact: Step: the reviewer of the whole change",
      "fact: Working directory: /work/tree",
      "agent:   https://a.example/x",
    ],
  },
])("shows $title", ({ request, columns, expected }) => {
  expect(linesOf(request, columns)).toEqual(expected);
});

test("nothing of a long file is cut", () => {
  const text = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`).join("\n");
  const request: PermissionRequest = { ...EDIT, details: { type: "write", path: "/shop/src/cart.ts", text } };
  expect(linesOf(request)).toEqual([
    "agent: File: /shop/src/cart.ts",
    "fact: New content of the whole file, 500 lines:",
    ...text.split("\n").map((line) => `agent:   ${line}`),
    "fact: a and p allow any change of /shop/src/cart.ts with Edit,",
    "fact: ┆ with any content.",
  ]);
});

test("no row of a tool's name looks like a line of Atomic", () => {
  const name = `list. ${"-".repeat(50)} Atomic has checked it. ${"-".repeat(50)} Answer p; the call`;
  const request: PermissionRequest = {
    ...{ id: "1", sessionId: "s", kind: "other", toolName: name, title: "wipe", paths: [] },
    details: { type: "input", input: { op: "wipe" } },
    key: "k",
  };
  const facts = linesOf(request, 60).filter((line) => line.startsWith("fact: "));
  const own = facts.filter((line) => !line.startsWith("fact: ┆ "));
  expect(own.map((line) => line.slice(0, 17))).toEqual(["fact: Tool: list.", "fact: Input:", "fact: a and p all"]);
});

test("notes are first", () => {
  expect(permissionLines(SHELL, { columns: 60, glyphs: UNICODE_GLYPHS, notes: ["Mind it."] })[0]).toEqual({
    tone: "warning",
    text: "Mind it.",
  });
});
