import { expect, test } from "bun:test";
import { isBuiltInTool, meaningsOf } from "./tool-meanings.ts";

test.each<{ names: readonly string[]; expected: readonly string[] }>([
  { names: ["read", "View", "readFile", "read/readFile", "search/readFile", "read/viewImage"], expected: ["read"] },
  { names: ["write", "create", "createFile", "edit/createFile"], expected: ["write"] },
  { names: ["edit", "editFiles", "edit/editFiles", "EDIT/EDITFILES"], expected: ["edit"] },
  { names: ["editNotebook", "edit/editNotebook"], expected: ["notebookedit"] },
  { names: ["read/getNotebookSummary", "readNotebookCellOutput"], expected: ["notebookread"] },
  {
    names: ["bash", "execute", "runCommands", "runInTerminal", "runCommands/runInTerminal", "execute/runInTerminal"],
    expected: ["bash"],
  },
  { names: ["codebase", "search/codebase"], expected: ["read", "grep", "glob"] },
  { names: ["search"], expected: ["grep", "glob"] },
  { names: ["textSearch", "search/textSearch", "usages", "search/usages"], expected: ["grep"] },
  { names: ["fileSearch", "search/fileSearch", "findTestFiles"], expected: ["glob"] },
  { names: ["listDirectory", "search/listDirectory", "ls"], expected: ["list"] },
  { names: ["fetch", "web/fetch"], expected: ["webfetch"] },
  { names: ["web"], expected: ["webfetch", "websearch"] },
  { names: ["agent", "runSubagent", "agent/runSubagent", "custom-agent"], expected: ["task"] },
  { names: ["todo", "todos"], expected: ["todo"] },
  { names: ["vscode/askQuestions"], expected: ["question"] },
])("$names mean $expected", ({ names, expected }) => {
  expect(names.map(meaningsOf)).toEqual(names.map(() => expected));
});

test.each([
  ...["problems", "read/problems", "changes", "searchResults", "testFailure", "vscodeAPI", "vscode/vscodeAPI"],
  // The output of commands and the tests of a project are less than a shell, a folder is less than a file.
  ...["getTerminalOutput", "execute/getTerminalOutput", "terminalLastCommand", "terminalSelection", "sendToTerminal"],
  ...["runTasks", "execute/createAndRunTask", "runTests", "runNotebooks", "vscode/runCommand", "edit/createDirectory"],
  ...["new", "extensions", "openSimpleBrowser", "githubRepo", "web/githubRepo"],
  // Sets contain VS Code's own tools, and nothing else is a set.
  ...["read/bash", "edit/shell", "github/readFile", "read/", "/readFile", "lint", "", "constructor"],
])('"%s" means no other agent\'s tool', (name) => {
  expect(meaningsOf(name)).toEqual([]);
});

test.each([
  { names: ["read", "Bash", "write_bash", "readFile", "read/anything", "search/*", "sql"], expected: true },
  { names: ["lint", "github/search", "mcp__read__readFile", "memory", "reader", "", "read/"], expected: false },
])("$names are names of agents' own tools: $expected", ({ names, expected }) => {
  expect(names.map(isBuiltInTool)).toEqual(names.map(() => expected));
});
