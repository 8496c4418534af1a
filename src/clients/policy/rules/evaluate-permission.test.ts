import { describe, expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest, PermissionRule, ToolKind } from "../../../contracts/index.ts";
import { evaluatePermission, isOrdinaryReading } from "./evaluate-permission.ts";

const OPTIONS = { workingDirectory: "/work/app" };

function requestFor(kind: ToolKind, details: Partial<PermissionRequest> = {}): PermissionRequest {
  return { id: "1", sessionId: "s", kind, toolName: kind, title: kind, paths: [], ...details };
}

function effectOf(rules: readonly PermissionRule[], request: PermissionRequest): string {
  return evaluatePermission({ rules }, request, OPTIONS).effect;
}

describe("which rule wins", () => {
  const allow: PermissionRule = { effect: "allow", tools: ["edit"] };
  const ask: PermissionRule = { effect: "ask", tools: ["edit"] };
  const deny: PermissionRule = { effect: "deny", paths: ["secret/**"] };

  test.each<{ title: string; policy: PermissionPolicy; file: string; expected: unknown }>([
    { title: "nothing matches: ask", policy: { rules: [] }, file: "a", expected: { effect: "ask" } },
    {
      title: "nothing matches: otherwise",
      policy: { rules: [], otherwise: "deny" },
      file: "a",
      expected: { effect: "deny" },
    },
    { title: "allow alone", policy: { rules: [allow] }, file: "a", expected: { effect: "allow", rule: allow } },
    { title: "ask beats allow", policy: { rules: [allow, ask] }, file: "a", expected: { effect: "ask", rule: ask } },
    {
      title: "deny beats both, wherever it stands",
      policy: { rules: [allow, ask, deny], otherwise: "allow" },
      file: "secret/key",
      expected: { effect: "deny", rule: deny },
    },
  ])("$title", ({ policy, file, expected }) => {
    expect<unknown>(evaluatePermission(policy, requestFor("edit", { paths: [file] }), OPTIONS)).toEqual(expected);
  });

  test("a rule about other tools does not match", () => {
    expect(effectOf([allow], requestFor("shell", { command: "ls" }))).toBe("ask");
  });
});

describe("an allow rule with paths", () => {
  test.each([
    { glob: "src/**", paths: ["src/a.ts"], expected: "allow" },
    { glob: "src/**", paths: ["/work/app/src/deep/er/.hidden"], expected: "allow" },
    { glob: "./src/*.ts", paths: ["src/a.ts"], expected: "allow" },
    { glob: "src/*.ts", paths: ["src/deep/a.ts"], expected: "ask" },
    { glob: "**/*.{ts,tsx}", paths: ["a.tsx", "b/c.ts"], expected: "allow" },
    { glob: "src/**", paths: ["src/a.ts", "package.json"], expected: "ask" },
    { glob: "src/**", paths: [], expected: "ask" },
    { glob: "src/**", paths: ["src/../../other/a.ts"], expected: "ask" },
    { glob: "**", paths: ["."], expected: "allow" },
    { glob: "**", paths: ["/etc/passwd"], expected: "ask" },
    { glob: "**", paths: ["../app-two/a.ts"], expected: "ask" },
    { glob: "../shared/**", paths: ["../shared/a.ts"], expected: "allow" },
    { glob: "../**", paths: ["../../etc/passwd"], expected: "ask" },
    { glob: "/etc/*", paths: ["/etc/hosts"], expected: "allow" },
    { glob: "/etc/*", paths: ["/etc/../root/x"], expected: "ask" },
    { glob: "}{a", paths: ["}{a"], expected: "allow" },
    { glob: "{a,b", paths: ["{a,b"], expected: "allow" },
    { glob: "a.ts", paths: ["aXts"], expected: "ask" },
    { glob: "SRC/**", paths: ["src/a.ts"], expected: "ask" },
  ])("$glob and $paths: $expected", ({ glob, paths, expected }) => {
    expect(effectOf([{ effect: "allow", paths: [glob] }], requestFor("edit", { paths }))).toBe(expected);
  });
});

describe("a deny rule with paths", () => {
  test.each([
    { glob: ".env", paths: ["src/a.ts", ".env"], expected: "deny" },
    { glob: ".env", paths: [".ENV"], expected: "deny" },
    { glob: "**/.env", paths: ["deep/er/.env"], expected: "deny" },
    { glob: "**/.env", paths: ["/home/me/.env"], expected: "deny" },
    { glob: "/etc/**", paths: ["../../etc/passwd"], expected: "deny" },
    { glob: ".env", paths: ["src/../.env"], expected: "deny" },
    { glob: ".env", paths: [".env.example"], expected: "ask" },
    { glob: ".env", paths: [], expected: "ask" },
  ])("$glob and $paths: $expected", ({ glob, paths, expected }) => {
    expect(effectOf([{ effect: "deny", paths: [glob] }], requestFor("edit", { paths }))).toBe(expected);
  });
});

describe("an allow rule with commands", () => {
  const rules: readonly PermissionRule[] = [
    { effect: "allow", tools: ["shell"], commands: ["npm test*", "echo *"] },
    { effect: "allow", tools: ["shell"], commands: ["git status"] },
  ];

  test.each([
    "npm test",
    "npm test -- --watch a b",
    "git status",
    "npm test && git status",
    "npm test; echo done | echo again",
    'echo "a; rm -rf /"',
    "echo 'a && $(rm) > b'",
    "echo a \\; b",
    "echo 'costs $[5]' a[0] \\$a[0]",
    "echo 'two\\\nlines'",
    " \tnpm test \t",
    "npm test\ngit status",
  ])("allows %j", (command) => {
    expect(effectOf(rules, requestFor("shell", { command }))).toBe("allow");
  });

  test.each([
    "rm -rf /",
    "npm test; rm -rf /",
    "npm test && rm -rf /",
    "npm test || rm -rf /",
    "npm test | sh",
    "npm test & rm -rf /",
    "npm test\nrm -rf /",
    "npm test\r\nrm -rf /",
    "npm test $(rm -rf /)",
    "npm test `rm -rf /`",
    'echo "$(rm -rf /)"',
    'echo "`rm -rf /`"',
    "echo $" + "{x:-`rm`}",
    "echo $'\\'; rm -rf / #'",
    "echo $['$(rm -rf /)0']",
    "echo $path['$(rm -rf /)0']",
    "echo $#path[\\`rm\\`]",
    'echo "$[a[\\$(rm)]]"',
    'echo "$\\\n(rm -rf /)"',
    "echo $\\\n'\\'; rm -rf / #'",
    "\u00a0npm test",
    "npm test <(rm -rf /)",
    "npm test > /etc/passwd",
    "npm test >> ~/.bashrc",
    "echo x 2>/dev/nul",
    "npm test < /etc/shadow",
    "npm test # it's fine\nrm -rf / # it's",
    "npm test 'open",
    'npm test "open',
    "echo '\\'' ; rm -rf / '",
    "(npm test)",
    "PATH=/tmp/evil npm test",
    " ",
    "",
    "git status --short",
  ])("does not allow %j", (command) => {
    expect(effectOf(rules, requestFor("shell", { command }))).toBe("ask");
  });

  test("only the glob * or the identical text allows a line that cannot be parsed", () => {
    const command = "npm test > log.txt";
    const allowing = (glob: string) =>
      effectOf([{ effect: "allow", commands: [glob] }], requestFor("shell", { command }));
    expect([allowing("*"), allowing(command), allowing("npm test*"), allowing("**")]).toEqual([
      "allow",
      "allow",
      "ask",
      "ask",
    ]);
  });

  test("a rule with commands does not match a call without one", () => {
    expect(effectOf([{ effect: "allow", commands: ["*"] }], requestFor("edit", { paths: ["a"] }))).toBe("ask");
  });
});

describe("a deny rule with commands", () => {
  test("finds the command after a few prefixes, but not after thousands", () => {
    const denying = (count: number) =>
      effectOf([{ effect: "deny", commands: ["rm *"] }], requestFor("shell", { command: `${"! ".repeat(count)}rm x` }));
    expect([denying(3), denying(5_000)]).toEqual(["deny", "ask"]);
  });

  const rules: readonly PermissionRule[] = [
    { effect: "deny", commands: ["rm *", "git push*"] },
    { effect: "allow", commands: ["*"] },
  ];

  test.each([
    "rm -rf /",
    "ls; rm -rf /",
    "ls&&rm x",
    "echo $(rm -rf /)",
    "echo `rm -rf /`",
    "(rm x)",
    "{ rm x; }",
    "  rm   -rf x",
    "FOO=1 BAR=2 rm x",
    "sh -c 'rm -rf /'",
    "GIT PUSH --force",
    "for f in *; do rm -rf $f; done",
    "if true; then rm x; else ls; fi",
    "if rm x; then ls; fi",
    "while true; do ! time -p rm x; done",
    "\\rm x",
    "'rm' x",
    'r""m x',
    "$'rm' x",
    "rm\\\n -rf x",
    "command rm x",
    "A=1 exec env -i B=2 rm x",
    "a[0]=1 b+=2 rm x",
    "ls; sudo -u root rm x",
    "nohup nice -n 10 timeout 5s rm x",
    "find . -print0 | xargs -0 -n 1 rm -rf",
    "find . -exec rm {} +",
    "2>/dev/null rm x",
    "cd x && >> log 2>&1 rm x",
  ])("denies %j", (command) => {
    expect(effectOf(rules, requestFor("shell", { command }))).toBe("deny");
  });

  test.each([
    "ls",
    "npm run rm",
    "git pull",
    'grep "x" -r rm src',
    "sudo npm rm x",
    "time git log",
    // A rule compares texts; it does not know programs.
    "/bin/rm x",
    "git -C . push",
    "rm$" + "{IFS}-rf x",
  ])("leaves %j alone", (command) => {
    expect(effectOf(rules, requestFor("shell", { command }))).toBe("allow");
  });
});

test.each([
  { kind: "read" as const, paths: ["src/a.ts"], expected: true },
  { kind: "read" as const, paths: ["."], expected: true },
  { kind: "read" as const, paths: [".env.example"], expected: true },
  { kind: "read" as const, paths: ["deep/.env"], expected: false },
  { kind: "read" as const, paths: [".env.local"], expected: false },
  { kind: "read" as const, paths: ["src/a.ts", "/etc/hosts"], expected: false },
  { kind: "edit" as const, paths: ["src/a.ts"], expected: false },
])("a $kind of $paths is ordinary reading: $expected", ({ kind, paths, expected }) => {
  expect(isOrdinaryReading(requestFor(kind, { paths }), OPTIONS)).toBe(expected);
});
