import { describe, expect, test } from "bun:test";
import type { PermissionRequest, ToolKind } from "../../../contracts/index.ts";
import { evaluatePermission } from "./evaluate-permission.ts";
import { isListed } from "./tool-list.ts";

type Call = readonly [kind: ToolKind, toolName: string, more?: Partial<PermissionRequest>];

/** Whether a policy that allows everything else denies a call because of its list of tools. */
function isDenied(exceptTools: readonly string[], [kind, toolName, more]: Call): boolean {
  const request = { id: "1", sessionId: "s", kind, toolName, title: "", paths: [], ...more };
  const policy = { rules: [{ effect: "deny" as const, exceptTools }], otherwise: "allow" as const };
  return evaluatePermission(policy, request, { workingDirectory: "/work" }).effect === "deny";
}

const CLAUDE: readonly Call[] = [
  ...(["Read", "Glob", "Grep"] as const).map((name) => ["read", name] as const),
  ...(["Write", "Edit", "NotebookEdit"] as const).map((name): Call => ["edit", name, { paths: ["/work/a"] }]),
  ["shell", "Bash", { command: "ls" }],
  ["fetch", "WebFetch"],
  ["agent", "Agent"],
  ["other", "TodoWrite"],
  ["other", "AskUserQuestion"],
  ["other", "Skill"],
  ["mcp", "lint"],
  ["mcp", "mcp__atomic__format"],
  ["mcp", "mcp__github__search"],
  ["mcp", "mcp__git_hub__search"],
];
const COPILOT: readonly Call[] = [
  ...(["view", "grep", "rg", "glob"] as const).map((name) => ["read", name] as const),
  ...(["create", "edit", "apply_patch"] as const).map((name): Call => ["edit", name, { paths: ["/work/a"] }]),
  ["shell", "bash", { command: "ls" }],
  ["shell", "read_bash"],
  ["fetch", "web_fetch"],
  ["agent", "task"],
  ["other", "sql"],
  ["other", "ask_user"],
  ["mcp", "lint"],
  ["mcp", "github-search"],
];
const OPENCODE: readonly Call[] = [
  ...(["read", "glob", "grep", "list", "lsp", "skill"] as const).map((name) => ["read", name] as const),
  ...(["write", "edit", "apply_patch"] as const).map((name): Call => ["edit", name, { paths: ["/work/a"] }]),
  ["shell", "bash", { command: "ls" }],
  ["other", "execute"],
  ["fetch", "webfetch"],
  ["agent", "task"],
  ["other", "todowrite"],
  ["other", "question"],
  ["mcp", "lint"],
  ["mcp", "atomic_format"],
  ["mcp", "github_search"],
];

describe("a list of tools", () => {
  test.each<{ list: readonly string[]; claude: string; copilot: string; opencode: string }>([
    { list: ["lint", "read"], claude: "Read lint", copilot: "view lint", opencode: "read lint" },
    { list: ["LINT", "Read"], claude: "Read lint", copilot: "view lint", opencode: "read lint" },
    { list: ["format"], claude: "mcp__atomic__format", copilot: "", opencode: "atomic_format" },
    { list: ["view"], claude: "Read", copilot: "view", opencode: "read" },
    { list: ["grep"], claude: "Grep", copilot: "grep rg", opencode: "grep" },
    { list: ["search"], claude: "Glob Grep", copilot: "grep rg glob", opencode: "glob grep" },
    { list: ["list"], claude: "Glob", copilot: "view", opencode: "list" },
    { list: ["write"], claude: "Write", copilot: "create apply_patch", opencode: "write apply_patch" },
    { list: ["NotebookEdit"], claude: "NotebookEdit", copilot: "", opencode: "" },
    { list: ["bash"], claude: "Bash", copilot: "bash read_bash", opencode: "bash" },
    {
      list: ["todo", "question"],
      claude: "TodoWrite AskUserQuestion",
      copilot: "sql ask_user",
      opencode: "todowrite question",
    },
    { list: ["skill"], claude: "Skill", copilot: "", opencode: "skill" },
    {
      list: ["mcp__github__search"],
      claude: "mcp__github__search",
      copilot: "github-search",
      opencode: "github_search",
    },
    { list: ["github/search"], claude: "mcp__github__search", copilot: "github-search", opencode: "github_search" },
    { list: ["github_search"], claude: "mcp__github__search", copilot: "github-search", opencode: "github_search" },
    { list: ["github/*"], claude: "mcp__github__search", copilot: "github-search", opencode: "github_search" },
    { list: ["mcp__github"], claude: "mcp__github__search", copilot: "github-search", opencode: "github_search" },
    { list: ["GitHub/Se*ch"], claude: "mcp__github__search", copilot: "github-search", opencode: "github_search" },
    { list: ["git/*", "github/list"], claude: "", copilot: "", opencode: "" },
    { list: ["web*"], claude: "WebFetch", copilot: "web_fetch", opencode: "webfetch" },
    {
      list: ["edit/createFile", "edit/editFiles"],
      claude: "Write Edit NotebookEdit",
      copilot: "create edit apply_patch",
      opencode: "write edit apply_patch",
    },
    { list: ["editNotebook"], claude: "NotebookEdit", copilot: "", opencode: "" },
    { list: ["search/codebase"], claude: "Read Glob Grep", copilot: "view grep rg glob", opencode: "read glob grep" },
    { list: ["READ/READFILE"], claude: "Read", copilot: "view", opencode: "read" },
    { list: ["execute/runInTerminal"], claude: "Bash", copilot: "bash read_bash", opencode: "bash" },
    {
      list: ["agent/runSubagent", "todos"],
      claude: "Agent TodoWrite",
      copilot: "task sql",
      opencode: "task todowrite",
    },
    { list: ["problems", "vscodeAPI", "runTests", "read/bash"], claude: "", copilot: "", opencode: "" },
    { list: [], claude: "", copilot: "", opencode: "" },
    { list: [""], claude: "", copilot: "", opencode: "" },
    { list: ["(", "Read)", "!"], claude: "", copilot: "", opencode: "" },
  ])("$list covers exactly these", ({ list, claude, copilot, opencode }) => {
    const coveredOf = (calls: readonly Call[]) =>
      calls
        .filter((call) => !isDenied(list, call))
        .map(([, name]) => name)
        .join(" ");
    expect({ claude: coveredOf(CLAUDE), copilot: coveredOf(COPILOT), opencode: coveredOf(OPENCODE) }).toEqual({
      claude,
      copilot,
      opencode,
    });
  });

  const mcp = (...names: readonly string[]): readonly Call[] => names.map((name) => ["mcp", name]);
  test.each<{ list: readonly string[]; covered?: readonly Call[]; denied?: readonly Call[] }>([
    {
      list: ["read", "Read", "read_file", "web_fetch", "search"],
      denied: mcp("read", "mcp__atomic__read", "atomic_read", "read_file", "web_fetch", "mcp__web__fetch", "search"),
    },
    { list: ["mcp__atomic__read"], covered: mcp("mcp__atomic__read", "atomic_read") },
    { list: ["read/readFile", "search/*", "web/fetch"], denied: mcp("mcp__read__readFile", "search_x", "web-fetch") },
    {
      list: ["mcp__read__readFile", "mcp__search"],
      covered: mcp("mcp__read__readFile", "read_readFile", "search_x"),
      denied: mcp("mcp__read__other"),
    },
    {
      list: ["write*", "read*", "list*", "task*"],
      covered: [
        ["edit", "write_file"],
        ["read", "read_many_files"],
      ],
      denied: [
        ...["write_bash", "read_powershell", "list_bash"].map((name): Call => ["shell", name]),
        ["agent", "write_agent"],
        ["other", "TaskCreate"],
        ["other", "writeAnything"],
        ...mcp("write_x", "reader_y", "read"),
      ],
    },
    {
      list: ["*bash", "Multi*", "stop_*"],
      covered: [
        ["shell", "read_bash"],
        ["edit", "MultiEdit"],
        ["shell", "stop_powershell"],
      ],
    },
    { list: ["li*"], denied: mcp("lint") },
    { list: ["lin*"], covered: mcp("lint") },
  ])("$list covers no tool of another kind", ({ list, covered = [], denied = [] }) => {
    const isDeniedHere = (call: Call): boolean => isDenied(list, call);
    expect({ covered: covered.filter(isDeniedHere), denied: denied.filter((call) => !isDeniedHere(call)) }).toEqual({
      covered: [],
      denied: [],
    });
  });

  test("takes off everything that a name may mean", () => {
    const list = ["*", "!read", "!write*", "!read/readFile"];
    const calls: readonly Call[] = [...mcp("read", "mcp__read__readFile"), ["shell", "write_bash"], ["read", "Read"]];
    expect(calls.filter((call) => !isDenied(list, call))).toEqual([]);
  });

  test.each<{ list: readonly string[] }>([{ list: ["*", "!write", "!bash"] }, { list: ["!bash", "!Write"] }])(
    "$list covers all but these",
    ({ list }) => {
      const denied = OPENCODE.filter((call) => isDenied(list, call)).map(([, name]) => name);
      expect(denied).toEqual(["write", "apply_patch", "bash"]);
    },
  );

  test.each([
    ...["git", "git log", "git log && git diff a"].map((command) => ({ command, expected: false })),
    ...["github", "rm x", "git log; rm x", "git log $(rm x)", "git -c alias.x=!rm x", "", "echo git"].map(
      (command) => ({ command, expected: true }),
    ),
  ])("Bash(git:*) denies $command: $expected", ({ command, expected }) => {
    expect(isDenied(["Bash(git:*)"], ["shell", "bash", { command }])).toBe(expected);
  });

  const fetching = (address: string): Call => ["fetch", "web_fetch", { details: { type: "fetch", address } }];
  const asking = (subagent_type: string): Call => [
    "agent",
    "Agent",
    { details: { type: "input", input: { subagent_type } } },
  ];
  const shell = (command: string): Call => ["shell", "Bash", { command }];
  const file = (kind: "read" | "edit", name: string, path: string): Call => [kind, name, { paths: [path] }];
  const search = (path: string): Call => ["read", "Grep", { paths: [path], search: {} }];
  test.each<{ list: readonly string[]; covered: readonly Call[]; denied: readonly Call[] }>([
    {
      list: ["Bash(git log:*)", "Bash(npm test)", "read"],
      covered: [shell("git log -1 && npm test"), ["shell", "read_bash"], file("read", "Read", "/etc/x")],
      denied: [shell("npm test x"), shell("git diff"), file("edit", "Edit", "/work/a")],
    },
    {
      list: ["*", "!Bash(rm:*)"],
      covered: [shell("ls"), file("edit", "Edit", "/work/a")],
      denied: [shell("ls && rm -rf x"), shell("sudo rm x")],
    },
    { list: ["Bash", "Bash(git:*)"], covered: [shell("rm x")], denied: [] },
    {
      list: ["Edit(docs/**)", "Edit(/README.md)", "Edit(//tmp/**)"],
      covered: ["/work/docs/a/b.md", "/work/README.md", "/tmp/x"].map((path) => file("edit", "edit", path)),
      denied: ["/work/src/a.ts", "/docs/a", "/work/docs/../src/a"].map((path) => file("edit", "edit", path)),
    },
    { list: ["Edit(~/notes/**)"], covered: [], denied: [file("edit", "Edit", "/home/me/notes/a")] },
    {
      list: ["Grep(src/**)", "Grep(*.md)"],
      covered: [search("/work/src/a")],
      denied: [search("/work"), search("/work/a.md"), search("/work/docs")],
    },
    { list: ["*", "!Grep(secret/**)"], covered: [file("read", "Read", "/work/a")], denied: [search("/work/src")] },
    {
      list: ["WebFetch(domain:docs.example.org)", "WebFetch(domain:*.example.com)"],
      covered: [fetching("https://docs.example.org/a"), fetching("http://A.example.com")],
      denied: [
        fetching("https://example.org"),
        fetching("https://docs.example.org.evil"),
        fetching("x"),
        ["fetch", "WebFetch"],
      ],
    },
    {
      list: ["Agent(scout, Critic)"],
      covered: [asking("scout"), asking("critic")],
      denied: [asking("other"), asking("")],
    },
    {
      list: ["Skill(pdf)", "lint(x)"],
      covered: [],
      denied: [
        ["other", "Skill"],
        ["mcp", "lint"],
      ],
    },
    {
      list: ["Skill(*)", "lint()"],
      covered: [
        ["other", "Skill"],
        ["mcp", "lint"],
      ],
      denied: [],
    },
  ])("$list covers calls by their patterns", ({ list, covered, denied }) => {
    expect([covered.map((call) => isDenied(list, call)), denied.map((call) => isDenied(list, call))]).toEqual([
      covered.map(() => false),
      denied.map(() => true),
    ]);
  });

  test("always covers what an agent needs for its answer, unless a server has a tool of that name", () => {
    expect([isDenied([], ["other", "StructuredOutput"]), isDenied([], ["mcp", "StructuredOutput"])]).toEqual([
      false,
      true,
    ]);
  });

  test("with a pattern names its tool, too", () => {
    const tool = { toolName: "Bash", kind: "shell" } as const;
    expect(
      [["Bash(git:*)"], ["*", "!Bash(rm:*)"], ["*", "!bash"], ["read"]].map((list) => isListed(list, tool)),
    ).toEqual([true, true, false, false]);
  });
});

test.each([
  { list: ["*", "!Bash(rm:*"], denied: true },
  { list: ["*", "! Bash ( rm:* "], denied: true },
  { list: ["Bash(git:*"], denied: true },
  { list: ["Bash(ls:*)"], denied: false },
  { list: [`*`, `!Write${" ".repeat(200_000)}x`], denied: false },
])("a parenthesis that is not closed never allows more (%#)", ({ list, denied }) => {
  expect(isDenied(list, ["shell", "Bash", { command: "ls" }])).toBe(denied);
});

test("a list without shell commands keeps protected files protected where everything else is allowed", () => {
  const edit = { id: "1", sessionId: "s", kind: "edit", toolName: "Edit", title: "", paths: [".git/hooks/x"] } as const;
  const effectWith = (exceptTools: readonly string[]) =>
    evaluatePermission({ rules: [{ effect: "deny", exceptTools }], otherwise: "allow" }, edit, {
      workingDirectory: "/work",
    }).effect;
  expect([effectWith(["edit"]), effectWith(["edit", "bash"]), effectWith(["edit", "Bash(git:*)"])]).toEqual([
    "ask",
    "allow",
    "ask",
  ]);
});
