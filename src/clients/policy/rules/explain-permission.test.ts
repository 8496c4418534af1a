import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PermissionPolicy, PermissionRequest, PermissionRule, ToolKind } from "../../../contracts/index.ts";
import { evaluatePermission, isOrdinaryReading } from "./evaluate-permission.ts";
import { explainPermission } from "./explain-permission.ts";

const OPTIONS = { workingDirectory: "/work/app" };

function requestFor(kind: ToolKind, details: Partial<PermissionRequest> = {}): PermissionRequest {
  return { id: "1", sessionId: "s", kind, toolName: kind, title: kind, paths: [], ...details };
}

function run(command: string): PermissionRequest {
  return requestFor("shell", { command });
}

const NPM: PermissionRule = { effect: "allow", tools: ["shell"], commands: ["npm *"] };
const GIT: PermissionRule = { effect: "allow", commands: ["git status*", "git diff*"] };
const NO_RM: PermissionRule = { effect: "deny", commands: ["rm *"] };
const ASK_PUSH: PermissionRule = { effect: "ask", commands: ["git push*"] };
const ALL_COMMANDS: PermissionRule = { effect: "allow", commands: ["*"] };
const SOURCE: PermissionRule = { effect: "allow", tools: ["edit"], paths: ["src/**", "./test/*.ts"] };
const NO_SECRETS: PermissionRule = { effect: "deny", paths: ["**/.env"] };
const ALL: PermissionRule = { effect: "allow" };
const NO_NETWORK: PermissionRule = { effect: "deny", tools: ["fetch"] };

describe("the reason of a decision", () => {
  test.each<{
    title: string;
    rules: readonly PermissionRule[];
    otherwise?: PermissionPolicy["otherwise"];
    request: PermissionRequest;
    expected: string;
  }>([
    {
      title: "an empty policy",
      rules: [],
      request: run("ls"),
      expected: "ask: No rule matches, so it requires approval (the default).",
    },
    {
      title: "a list of tools that does not cover the call",
      rules: [{ effect: "deny", exceptTools: ["read", "Bash(git:*)"] }, ALL],
      request: run("ls"),
      expected:
        'deny: Rule 1 denies it: it is about every call that "read" or "Bash(git:*)" does not cover. It is stricter than rule 2, and so it wins.',
    },
    {
      title: "a list of tools that covers the call",
      rules: [{ effect: "deny", exceptTools: ["Bash(git:*)"] }],
      request: requestFor("shell", { command: "git log", toolName: "bash" }),
      expected: "ask: No rule matches, so it requires approval (the default).",
    },
    {
      title: "an empty policy that denies",
      rules: [],
      otherwise: "deny",
      request: run("ls"),
      expected: 'deny: No rule matches, so it is denied ("otherwise": "deny").',
    },
    {
      title: "an empty policy that allows",
      rules: [],
      otherwise: "allow",
      request: requestFor("edit", { paths: ["a"] }),
      expected: 'allow: No rule matches, so it is allowed ("otherwise": "allow").',
    },
    {
      title: "a protected file",
      rules: [{ effect: "allow", tools: ["edit"] }],
      request: requestFor("edit", { paths: [".git/config"] }),
      expected:
        'ask: The file ".git/config" is protected by "**/.git": git runs hooks and programs that it names. Changing it requires approval, unless a rule names it, for example an allow rule with the path ".git/config".',
    },
    {
      title: "a change that names no file",
      rules: [{ effect: "allow", tools: ["edit"] }],
      request: requestFor("edit"),
      expected: "ask: The call does not say which file it changes, so it requires approval.",
    },
    {
      title: "ordinary reading",
      rules: [NPM],
      otherwise: "deny",
      request: requestFor("read", { paths: ["src/a.ts"] }),
      expected: "allow: No rule matches it, and reading in the working directory is allowed.",
    },
    {
      title: "reading that a rule denies",
      rules: [NO_SECRETS],
      request: requestFor("read", { paths: ["a.ts", "deep/.env"] }),
      expected: 'deny: Rule 1 denies it: the file "deep/.env" matches "**/.env".',
    },
    {
      title: "reading of what may be secret",
      rules: [],
      request: requestFor("read", { paths: [".env"] }),
      expected:
        'ask: No rule matches, and ".env" may hold secrets, by its name, so it requires approval (the default).',
    },
    {
      title: "reading outside",
      rules: [],
      request: requestFor("read", { paths: ["/etc/passwd"] }),
      expected:
        'ask: No rule matches, and "/etc/passwd" is outside of the working directory, so it requires approval (the default).',
    },
    {
      title: "a command that a rule denies",
      rules: [NO_RM],
      request: run("rm -rf build"),
      expected: 'deny: Rule 1 denies it: the command "rm -rf build" matches "rm *".',
    },
    {
      title: "a command that a rule asks about",
      rules: [NO_RM, ASK_PUSH],
      request: run("git push origin"),
      expected: 'ask: Rule 2 requires approval of it: the command "git push origin" matches "git push*".',
    },
    {
      title: "a command that a rule allows",
      rules: [NPM],
      request: run("npm test"),
      expected: 'allow: Rule 1 allows it: the command "npm test" matches "npm *".',
    },
    {
      title: "a forbidding rule over an allowing one",
      rules: [ALL_COMMANDS, NO_RM],
      request: run("rm -rf build"),
      expected:
        'deny: Rule 2 denies it: the command "rm -rf build" matches "rm *". It is stricter than rule 1, and so it wins.',
    },
    {
      title: "a forbidding rule over an asking one",
      rules: [{ effect: "ask", tools: ["shell"] }, NO_RM],
      request: run("rm x"),
      expected:
        'deny: Rule 2 denies it: the command "rm x" matches "rm *". It is stricter than rule 1, and so it wins.',
    },
    {
      title: "an asking rule over an allowing one",
      rules: [ALL, ASK_PUSH],
      request: run("git push"),
      expected:
        'ask: Rule 2 requires approval of it: the command "git push" matches "git push*". It is stricter than rule 1, and so it wins.',
    },
    {
      title: "a command hidden in a substitution",
      rules: [ALL_COMMANDS, NO_RM],
      request: run("echo $(rm -rf /)"),
      expected:
        'deny: Rule 2 denies it: the command "rm -rf /" matches "rm *". It is stricter than rule 1, and so it wins.',
    },
    {
      title: "a command after an assignment",
      rules: [NO_RM],
      request: run("FOO=1 rm x"),
      expected: 'deny: Rule 1 denies it: the command "rm x" matches "rm *".',
    },
    {
      title: "a line allowed by one rule",
      rules: [NPM],
      request: run("npm ci && npm test"),
      expected: "allow: Each of the 2 commands is allowed by a rule: rule 1.",
    },
    {
      title: "a line allowed by two rules",
      rules: [NPM, NO_RM, GIT],
      request: run("npm ci; git status | npm test"),
      expected: "allow: Each of the 3 commands is allowed by a rule: rule 1, rule 3.",
    },
    {
      title: "a line of which one command is not allowed",
      rules: [NPM],
      request: run("npm ci && curl x"),
      expected: "ask: Not every command in the line is allowed, so it requires approval (the default).",
    },
    {
      title: "a line with one denied command",
      rules: [NPM, NO_RM],
      request: run("npm ci && rm -rf build"),
      expected: 'deny: Rule 2 denies it: the command "rm -rf build" matches "rm *".',
    },
    {
      title: "a redirection",
      rules: [NPM],
      otherwise: "deny",
      request: run("npm test > out.txt"),
      expected:
        'deny: No rule is about the line as a whole, and its commands cannot be told apart, for it holds a redirection (< or >), so it is denied ("otherwise": "deny").',
    },
    {
      title: "several obstacles",
      rules: [NPM],
      request: run('npm test "$(date)" # now'),
      expected:
        "ask: No rule is about the line as a whole, and its commands cannot be told apart, for it holds a substitution, such as $(…) or `…` and a comment (#), so it requires approval (the default).",
    },
    {
      title: "an option that runs programs",
      rules: [{ effect: "allow", tools: ["shell"], commands: ["git *"] }],
      request: run("git -c alias.z='!x' log"),
      expected:
        'ask: No rule allows it: "-c alias.z=\'!x\'" in "git -c alias.z=\'!x\' log" requires approval (git: it sets configuration that can run programs); "git *" does not spell it out, and "git -c alias.z=\'!x\' *" would, so it requires approval (the default).',
    },
    {
      title: "an option that runs programs, of which the rule spells out a part",
      rules: [{ effect: "allow", commands: ["find * -delete"] }],
      request: run("find . -name x -exec rm {} + -delete"),
      expected:
        'ask: No rule allows it: "-exec" in "find . -name x -exec rm {} + -delete" requires approval (find: it runs a program); "find * -delete" does not spell it out, and "find . -name x -exec rm {} + -delete" would, so it requires approval (the default).',
    },
    {
      title: "a command after a program that runs it",
      rules: [{ effect: "allow", commands: ["sudo *"] }],
      request: run("sudo rm x"),
      expected:
        'ask: No rule allows it: "rm" in "sudo rm x" requires approval (sudo: it runs the command that follows); "sudo *" does not spell it out, and "sudo rm *" would, so it requires approval (the default).',
    },
    {
      title: "a line that is too long",
      rules: [NPM],
      request: run(`npm test ${"1".repeat(20_000)}`),
      expected:
        "ask: No rule is about the line as a whole, and its commands cannot be told apart, for it holds more than 16,384 characters, so it requires approval (the default).",
    },
    {
      title: "an empty line",
      rules: [NPM],
      request: run(" "),
      expected:
        "ask: No rule is about the line as a whole, and its commands cannot be told apart, for it holds nothing at all, so it requires approval (the default).",
    },
    {
      title: "an obstacle that everything allowed overcomes",
      rules: [ALL_COMMANDS],
      request: run("npm test > out.txt"),
      expected: 'allow: Rule 1 allows it: the command "npm test > out.txt" matches "*".',
    },
    {
      title: "an edit that a rule allows",
      rules: [SOURCE],
      request: requestFor("edit", { paths: ["src/a.ts", "test/b.ts"] }),
      expected:
        'allow: Rule 1 allows it: the file "src/a.ts" matches "src/**", and the file "test/b.ts" matches "./test/*.ts".',
    },
    {
      title: "an edit of which one file is not covered",
      rules: [SOURCE],
      request: requestFor("edit", { paths: ["src/a.ts", "lib/a.ts"] }),
      expected: "ask: No rule matches, so it requires approval (the default).",
    },
    {
      title: "an edit that leaves the folder",
      rules: [SOURCE],
      request: requestFor("edit", { paths: ["src/../../x"] }),
      expected:
        'ask: The file "src/../../x" is protected by "../**": it is outside of the working directory, where the files of other programs lie. Changing it requires approval, unless a rule names it, for example an allow rule with the path "src/../../x".',
    },
    {
      title: "a rule about a kind",
      rules: [NO_NETWORK],
      request: requestFor("fetch"),
      expected: 'deny: Rule 1 denies it: it is about every call of the kind "fetch".',
    },
    {
      title: "a rule about everything",
      rules: [ALL],
      request: requestFor("mcp"),
      expected: "allow: Rule 1 allows it: it is about every call.",
    },
    {
      title: "a file and a command at once",
      rules: [{ effect: "deny", paths: ["secret/*"], commands: ["cat *"] }],
      request: requestFor("shell", { command: "cat secret/key", paths: ["secret/key"] }),
      expected:
        'deny: Rule 1 denies it: the file "secret/key" matches "secret/*", and the command "cat secret/key" matches "cat *".',
    },
  ])("$title", ({ rules, otherwise, request, expected }) => {
    const policy = { rules, ...(otherwise === undefined ? {} : { otherwise }) };
    const { effect, reason } = explainPermission(policy, request, OPTIONS);
    expect(`${effect}: ${reason}`).toBe(expected);
  });
});

test("a whole explanation lists the rules in the order they are looked at, and the commands of the line", () => {
  const policy: PermissionPolicy = { rules: [NPM, SOURCE, NO_RM, ASK_PUSH, NO_SECRETS] };
  expect(explainPermission(policy, run("npm ci && echo `rm x`"), OPTIONS)).toEqual({
    effect: "deny",
    rule: NO_RM,
    reason: 'Rule 3 denies it: the command "rm x" matches "rm *".',
    rules: [
      { rule: NO_RM, number: 3, match: "whole", reason: 'the command "rm x" matches "rm *"' },
      { rule: NO_SECRETS, number: 5, match: "none", reason: "it is about files, and the call names none" },
      { rule: ASK_PUSH, number: 4, match: "none", reason: 'no command in the line matches "git push*"' },
      {
        rule: NPM,
        number: 1,
        match: "none",
        reason: 'the line holds a substitution, such as $(…) or `…`, so only "*" or the identical text would allow it',
      },
      { rule: SOURCE, number: 2, match: "none", reason: 'it is about "edit", and this is "shell"' },
    ],
    commands: [
      { command: "npm ci", effect: "allow", reason: 'Rule 1 allows it: the command "npm ci" matches "npm *".' },
      { command: "echo `rm x`", effect: "deny", reason: 'Rule 3 denies it: the command "rm x" matches "rm *".' },
    ],
    obstacles: ["a substitution, such as $(…) or `…`"],
  });
});

test.each<{ title: string; rule: PermissionRule; request: PermissionRequest; reason: string; match?: string }>([
  {
    title: "no file of a forbidding rule",
    rule: NO_SECRETS,
    request: requestFor("edit", { paths: ["a"] }),
    reason: 'no file matches "**/.env"',
  },
  {
    title: "a file that an allowing rule does not cover",
    rule: SOURCE,
    request: requestFor("edit", { paths: ["src/a", "b"] }),
    reason: 'the file "b" does not match "src/**" or "./test/*.ts"',
  },
  {
    title: "no command",
    rule: NO_RM,
    request: requestFor("edit", { paths: ["a"] }),
    reason: "it is about commands, and this is none",
  },
  {
    title: "an empty list",
    rule: { effect: "deny", commands: [] },
    request: run("ls"),
    reason: "no command in the line matches an empty list",
  },
  {
    title: "a part, beside another with an option that runs programs",
    rule: { effect: "allow", commands: ["git *"] },
    request: run("git status && git -c a.b=c log"),
    match: "parts",
    reason:
      'it allows "git status", but "-c a.b=c" in "git -c a.b=c log" requires approval (git: it sets configuration that can run programs); "git *" does not spell it out, and "git -c a.b=c *" would',
  },
  {
    title: "a part",
    rule: NPM,
    request: run("npm ci; ls; npm test"),
    match: "parts",
    reason: 'it allows "npm ci", "npm test"',
  },
])("a rule that does not match says why: $title", ({ rule, request, reason, match = "none" }) => {
  expect(explainPermission({ rules: [rule] }, request, OPTIONS).rules).toEqual([
    { rule, number: 1, match: match as "none" | "parts", reason },
  ]); // the cast is true: the table has no other texts
});

test("whatever the policy and the call, the explanation agrees with the decision", () => {
  const effects = fc.constantFrom("allow", "deny", "ask");
  const globs = fc.array(fc.constantFrom("*", "npm *", "rm *", "a?", "npm test"), { maxLength: 2 });
  const paths = fc.array(fc.constantFrom("**", "src/*", "../*", "/etc/*", ".env"), { maxLength: 2 });
  const kinds = fc.constantFrom("read", "edit", "shell");
  const rules = fc.array(
    fc.record(
      { effect: effects, commands: globs, paths, tools: fc.array(kinds, { maxLength: 2 }) },
      { requiredKeys: ["effect"] },
    ),
    { maxLength: 4 },
  );
  const command = fc
    .array(fc.constantFrom("npm test", "rm x", "ab", ";", "&&", "|", "$(", ")", "'", '"', "#", " ", ">", "\\"), {
      maxLength: 8,
    })
    .map((tokens) => tokens.join(" "));
  const requests = fc
    .record(
      {
        kind: kinds,
        command,
        paths: fc.array(fc.constantFrom("src/a", "/etc/x", "../b", ".env", "a"), { maxLength: 2 }),
      },
      { requiredKeys: ["kind"] },
    )
    .map(({ kind, ...details }) => requestFor(kind, details));
  fc.assert(
    fc.property(rules, requests, (someRules, request) => {
      const policy = { rules: someRules };
      const { effect, rule } = evaluatePermission(policy, request, OPTIONS);
      const isReading = rule === undefined && isOrdinaryReading(request, OPTIONS);
      const explained = explainPermission(policy, request, OPTIONS);
      expect(explained.effect).toBe(isReading ? "allow" : effect);
      expect(explained.rule).toBe(rule);
      expect(explained.rules).toHaveLength(someRules.length);
    }),
    { numRuns: 500 },
  );
});
