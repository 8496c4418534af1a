import { expect, test } from "bun:test";
import { findMisspelledTools } from "./find-misspelled-tools.ts";

test.each([
  { name: "raed", nearest: "read" },
  { name: "Raed", nearest: "Read" },
  { name: "Bsah(git:*)", reported: "Bsah", nearest: "Bash" },
  { name: "!Wrte", reported: "Wrte", nearest: "Write" },
  { name: "gep", nearest: undefined },
  { name: "greps", nearest: "grep" },
  { name: "WebFtech", nearest: "WebFetch" },
  { name: "serch", nearest: "search" },
  { name: "editFile", nearest: "editFiles" },
  { name: "runComands", nearest: "runCommands" },
  { name: "fromat", nearest: "format" },
])("$name is near to $nearest", ({ name, nearest, reported = name }) => {
  expect(findMisspelledTools([name], ["format"])).toEqual(nearest === undefined ? [] : [{ name: reported, nearest }]);
});

test.each([
  ...["read", "READ", "NotebookEdit", "apply_patch", "problems", "runTask", "vscodeAPI", "batch", "ListAgents"],
  ...["lint", "find", "deploy", "research", "psql", "ask", "images", "context7", "Format"],
  ...["mcp__read__raed", "server/raed", "raed/*", "web_ftech", "server-raed", "rae*", "*", "!*", "", "(", "a.b"],
])('"%s" is reported nowhere', (name) => {
  expect(findMisspelledTools([name], ["format"])).toEqual([]);
});

test.each([
  { name: "okk", nearest: "ok" },
  { name: "lnt", nearest: "lint" },
  { name: "on", nearest: undefined },
  { name: "okey", nearest: undefined },
  { name: "oh2", nearest: undefined },
])("of short words, $name is near to the own tool $nearest", ({ name, nearest }) => {
  expect(findMisspelledTools([name], ["ok", "lint"])).toEqual(nearest === undefined ? [] : [{ name, nearest }]);
});

test("a name in several entries is reported once, in the order of the list", () => {
  expect(findMisspelledTools(["Bsah(git:*)", "Read", "Raed", "Bsah(ls)"])).toEqual([
    { name: "Bsah", nearest: "Bash" },
    { name: "Raed", nearest: "Read" },
  ]);
});

test("words of three letters are reported on request", () => {
  expect(findMisspelledTools(["Bsh", "!gep", "ask", "git"], [], { minLength: 3 })).toEqual([
    { name: "Bsh", nearest: "Bash" },
    { name: "gep", nearest: "grep" },
  ]);
});
