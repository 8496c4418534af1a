import { expect, test } from "bun:test";
import { evaluatePermission } from "../../../policy/rules/evaluate-permission.ts";
import { describeCommand, joinCommand } from "./acp-command-line.ts";

test.each([
  { parts: ["bash", "-lc", "rm -rf x; ls"], line: "rm -rf x; ls" },
  { parts: ["/usr/bin/zsh", "-c", "ls"], line: "ls" },
  { parts: ["sh", "script.sh", "a"], line: "sh script.sh a" },
  { parts: ["./sh", "-c", "ls"], line: "./sh -c ls" },
  { parts: ["/work/bin/bash", "-c", "ls"], line: "/work/bin/bash -c ls" },
  { parts: ["git", "commit", "-m", "it's"], line: `git commit -m 'it'\\''s'` },
])("a shell splits $line into $parts", ({ parts, line }) => {
  expect(joinCommand(parts)).toBe(line);
});

const workingDirectory = "/work";

test.each([
  { title: "nothing else", surroundings: {}, line: "ls -l" },
  { title: "the working directory", surroundings: { folder: "/work/" }, line: "ls -l" },
  { title: "another folder", surroundings: { folder: "a b" }, line: "cd '/work/a b' && ls -l" },
  {
    title: "additions to the environment",
    surroundings: {
      addedEnv: [
        ["PATH", "/work/e:/bin"],
        ["MOTTO", "it's; rm x"],
        ["BASH_FUNC_ls%%", "() { id; }"],
      ] as const,
    },
    line: "PATH=/work/e:/bin MOTTO='it'\\''s; rm x' BASH_FUNC_ls%%='() { id; }' ls -l",
  },
  {
    title: "both",
    surroundings: { folder: "/etc/ssl", addedEnv: [["A", ""]] as const },
    line: "cd /etc/ssl && A='' ls -l",
  },
])("a command line contains $title", ({ surroundings, line }) => {
  expect(describeCommand("ls -l", { workingDirectory, ...surroundings })).toBe(line);
});

test("an allow rule for the words of a command does not cover another folder or environment; a deny rule does", () => {
  const lines = [
    "ls -l",
    "rm -l",
    ...["ls -l", "rm -l"].flatMap((words) => [
      describeCommand(words, { workingDirectory, folder: "/etc/ssl" }),
      describeCommand(words, { workingDirectory, addedEnv: [["PATH", "/work/e dir"]] }),
    ]),
  ];
  const policy = {
    rules: [
      { effect: "allow", commands: ["ls", "ls *"] },
      { effect: "deny", commands: ["rm *"] },
    ],
  } as const;
  const effects = lines.map((command) => {
    const request = {
      id: "1",
      sessionId: "s",
      kind: "shell",
      toolName: "terminal",
      title: "",
      paths: [],
      command,
    } as const;
    return evaluatePermission(policy, request, { workingDirectory }).effect;
  });
  expect(effects).toEqual(["allow", "deny", "ask", "ask", "deny", "deny"]);
});
