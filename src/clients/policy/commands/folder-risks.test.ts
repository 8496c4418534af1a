import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../rules/evaluate-permission.ts";
import { explainPermission } from "../rules/explain-permission.ts";

const workingDirectory = "/work/app";

function request(command: string) {
  return { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command } as const;
}

function effectOf(command: string, ...globs: readonly string[]): string {
  const commands = ["git *", "git-log", "npm *", "ls", "make", "timeout 5 git *", ...globs];
  return evaluatePermission({ rules: [{ effect: "allow", commands }] }, request(command), { workingDirectory }).effect;
}

const ANY_FOLDER = [
  "cd",
  "cd *",
  "pushd *",
  "popd",
  "chdir *",
  "builtin *",
  "command *",
  "builtin cd *",
  "command cd *",
];

describe("git in another folder of the project is allowed", () => {
  test.each([
    "git -C packages/web status",
    "git -C packages -C web log",
    "git -C /work/app/packages/web status",
    "timeout 5 git -C packages/web status",
    "cd packages/web && git status",
    "cd 'packages/my web' && git status",
    "cd /work/app && git status",
    "cd -P ./packages; ls; git log",
    "cd -- packages && git log",
    "pushd packages && git log",
    "git status && cd ..",
    "cd && git status",
    "cd /tmp && ls && make",
  ])("%s", (line) => {
    expect(effectOf(line, ...ANY_FOLDER)).toBe("allow");
  });
});

describe("git in a folder that is not certain to be one of the project requires approval", () => {
  test.each([
    "git -C /tmp/evil status",
    "git -C .. status",
    "git -C packages/../.. status",
    "git -C /work/app/../evil status",
    "git -C /work/app2 status",
    "git -C ~/evil status",
    'git -C "$X" status',
    "git -C e* status",
    "git -C packages -C /tmp/evil status",
    "git -C packages --git-dir=/tmp/evil status",
    "git -C packages -c core.pager=x -p log",
    "timeout 5 git -C /tmp/evil status",
    "cd /tmp/evil && git status",
    "cd .. && git status",
    "cd packages/.. && git status",
    "cd packages && cd ../../evil && git status",
    "cd - && git status",
    "cd -2; git status",
    "cd ~/evil && git status",
    'cd "$X" && git status',
    "cd e*; git status",
    "cd app evil && git status",
    "pushd /tmp/evil; git status",
    "chdir /tmp/evil\ngit status",
    "builtin cd /tmp/evil && git status",
    "command cd /tmp/evil && git status",
    "cd /tmp/evil && npm test && timeout 5 git status",
    "cd /tmp/evil && git-log",
    "cd /tmp/evil && git status; cd /tmp/evil",
    "cd /tmp/evil & git status | ls",
  ])("%s", (line) => {
    expect(effectOf(line, ...ANY_FOLDER)).toBe("ask");
  });

  test.each([
    { line: "cd /tmp/other && git status", glob: "cd /tmp/other" },
    { line: "cd .. && git status", glob: "cd .." },
    { line: "git -C /tmp/other status", glob: "git -C /tmp/other *" },
  ])("$line, unless a rule spells the folder out: $glob", ({ line, glob }) => {
    expect(effectOf(line, glob)).toBe("allow");
  });
});

test("the explanation names the folder and a pattern that allows it", () => {
  const policy = { rules: [{ effect: "allow", commands: ["cd *", "git *"] }] } as const;
  expect(explainPermission(policy, request("cd /tmp/x && git status"), { workingDirectory }).reason).toBe(
    'No rule allows it: "/tmp/x" in "cd /tmp/x" requires approval (cd: git runs programs that the repository in that folder names); "cd *" does not spell it out, and "cd /tmp/x" would, so it requires approval (the default).',
  );
});
