import { describe, expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest, PermissionRule } from "../../../contracts/index.ts";
import { PROJECT_SETTINGS } from "../../../discovery/index.ts";
import { evaluatePermission } from "./evaluate-permission.ts";
import { findProtectedFile } from "./find-protected-file.ts";
import { PROTECTED_FILES } from "./protected-files.ts";

const workingDirectory = "/home/you/project";
const ALLOW_EDIT: PermissionRule = { effect: "allow", tools: ["edit"] };

function edit(...paths: readonly string[]): PermissionRequest {
  return { id: "1", sessionId: "s", kind: "edit", toolName: "edit", title: "edit", paths };
}

function effectOf(request: PermissionRequest, policy: PermissionPolicy): string {
  return evaluatePermission(policy, request, { workingDirectory }).effect;
}

test.each([
  ".claude/settings.json",
  ".CLAUDE/settings.local.json",
  "packages/a/.claude/hooks/x.sh",
  ".opencode/plugin/x.js",
  "opencode.jsonc",
  ".github/hooks/pre.json",
  ".mcp.json",
  ".git/hooks/pre-commit",
  ".git/config",
  ".git",
  ".atomic/workflows/x.ts",
  ".bashrc",
  "tsconfig.json",
  "tsconfig.build.json",
  "packages/a/package.json",
  ".vscode/tasks.json",
  "x.code-workspace",
  ".envrc",
  ".lsp.json",
  ".github/copilot/settings.local.json",
  ".github/plugin/x.json",
  ...["agents", "chatmodes", "instructions", "prompts", "skills"].map((name) => `.github/${name}/x.md`),
  ".agents/skills/x/SKILL.md",
  ".opencode/modes/x.md",
  ".claude/agents/x.md",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".helix/config.toml",
  ".huskyrc.js",
  "mise.local.toml",
  ".mise/config.toml",
  ".sl/config",
  ".pdbrc.py",
  "lib/x.pth",
  ".venv/bin/python",
  ".roo/mcp.json",
  "eslint.config.mjs",
  "packages/a/.prettierrc.json",
  ".envrc.local",
  "package-lock.json",
  "requirements-dev.txt",
  "app/build.gradle.kts",
  "src/App.csproj",
  "node_modules/left-pad/index.js",
  "src/../.git/config",
  "/home/you/project/.git/config",
  "/home/you/.bashrc",
  "/home/you/.atomic/config.json",
  "../other/.git/config",
  "/tmp/x",
])("a change of %s requires approval whatever allows edit", (file) => {
  for (const paths of [undefined, ["**"], ["**", "/**", "../**", "../../**"]]) {
    const rule = paths === undefined ? ALLOW_EDIT : { ...ALLOW_EDIT, paths };
    expect(effectOf(edit(file), { rules: [rule] })).toBe("ask");
  }
  expect(effectOf(edit(file, "src/main.ts"), { rules: [ALLOW_EDIT] })).toBe("ask");
  expect(effectOf(edit(file), { rules: [ALLOW_EDIT], otherwise: "deny" })).toBe("ask");
});

test.each([
  "src/main.ts",
  "README.md",
  "src/git/config.ts",
  "docs/package.json.md",
  ".gitignore",
  ".github/ISSUE_TEMPLATE/bug.md",
  "AGENTS.md",
  "CLAUDE.md",
  "Makefile",
  "CMakeLists.txt",
  "go.mod",
  "vite.config.ts",
  "src/config.json",
  "src/env.ts",
  ".env.example",
  "docs/eslint.md",
  "tests/test_mise.py",
])("a change of %s is allowed", (file) => {
  expect(effectOf(edit(file), { rules: [ALLOW_EDIT] })).toBe("allow");
});

test.each([
  { file: "package.json", glob: "package.json" },
  { file: "packages/a/package.json", glob: "**/package.json" },
  { file: "packages/a/package.json", glob: "packages/*/package.json" },
  { file: "package.json", glob: "{package.json,README.md}" },
  { file: ".claude/commands/x.md", glob: ".claude/**" },
  { file: ".claude/commands/x.md", glob: ".claude/commands/*.md" },
  { file: "tsconfig.build.json", glob: "tsconfig.build.json" },
  { file: "tsconfig.build.json", glob: "tsconfig.*.json" },
  { file: "x.code-workspace", glob: "*.code-workspace" },
  { file: "tsconfig.build.json", glob: "**/tsconfig.build.json" },
  { file: "a/tsconfig.build.json", glob: "**/tsconfig.*.json" },
  { file: ".pre-commit-config.yaml", glob: "**/.pre-commit-config.yaml" },
  { file: "a/lefthook.yml", glob: "*/lefthook.yml" },
  { file: "a/eslint.config.mjs", glob: "**/{eslint,prettier}.config.{js,mjs}" },
  { file: ".github/workflows/ci.yml", glob: ".github/{workflows,actions}/**" },
  { file: "a/b.pth", glob: "**/b.pth" },
  { file: "/tmp/x/y.ts", glob: "/tmp/**" },
  { file: "../other/main.ts", glob: "../other/**" },
  { file: "../other/main.ts", glob: "../**" },
  { file: "../x", glob: "../*" },
  { file: "/home/you/.bashrc", glob: "/home/you/.bashrc" },
])("the rule $glob names $file, which is then allowed", ({ file, glob }) => {
  expect(effectOf(edit(file), { rules: [{ ...ALLOW_EDIT, paths: [glob] }] })).toBe("allow");
});

test.each([
  { file: "packages/a/package.json", glob: "packages/**" },
  { file: "package.json", glob: "*.json" },
  { file: "package.json", glob: "p*" },
  { file: ".claude/settings.json", glob: ".c*/**" },
  { file: "tsconfig.build.json", glob: "**/tsconfig*" },
  { file: "tsconfig.build.json", glob: "**/*.build.json" },
  { file: ".pre-commit-config.yaml", glob: "**/*.yaml" },
  { file: "eslint.config.mjs", glob: "{src/**,*.mjs}" },
  { file: ".github/workflows/ci.yml", glob: ".github/**" },
  { file: ".github/workflows/ci.yml", glob: ".github/{w*,docs}/**" },
  { file: "/home/you/.bashrc", glob: "/home/you/**" },
  { file: "/home/you/.bashrc", glob: "/home/you/.*" },
  { file: "../x", glob: "/**" },
  { file: "../../x", glob: "../**" },
  { file: "../.bashrc", glob: "../**" },
])("the rule $glob covers $file and does not name it", ({ file, glob }) => {
  expect(effectOf(edit(file), { rules: [ALLOW_EDIT, { ...ALLOW_EDIT, paths: [glob] }] })).toBe("ask");
});

test("a rule that names the file does not loosen a rule that denies it", () => {
  const rules: PermissionRule[] = [
    { ...ALLOW_EDIT, paths: ["package.json"] },
    { effect: "deny", tools: ["edit"], paths: ["*.json"] },
  ];
  expect(effectOf(edit("package.json"), { rules })).toBe("deny");
});

test("the settings protect further files", () => {
  const policy: PermissionPolicy = { rules: [ALLOW_EDIT], protectedPaths: ["infra/**"] };
  expect(effectOf(edit("infra/main.tf"), policy)).toBe("ask");
  expect(findProtectedFile(["infra/main.tf"], policy, { workingDirectory })).toEqual({
    file: "infra/main.tf",
    pattern: "infra/**",
    reason: "it holds settings of Atomic, or the setting protectedPaths lists it",
  });
  expect(effectOf(edit("src/main.ts"), policy)).toBe("allow");
});

describe("a git folder found on disk", () => {
  const request: PermissionRequest = {
    ...edit("vendor/repo.git/x"),
    gitFolders: [`${workingDirectory}/vendor/repo.git`],
  };

  test("is protected with all that is in it", () => {
    expect(evaluatePermission({ rules: [ALLOW_EDIT] }, request, { workingDirectory })).toEqual({
      effect: "ask",
      rule: ALLOW_EDIT,
      obstacle: {
        type: "protected-file",
        match: {
          file: "vendor/repo.git/x",
          pattern: "vendor/repo.git",
          reason: "git runs hooks and programs that it names",
        },
      },
    });
    expect(effectOf({ ...request, paths: ["vendor/repo.gitx"] }, { rules: [ALLOW_EDIT] })).toBe("allow");
  });

  test.each([
    { glob: "vendor/repo.git/x", expected: "allow" },
    { glob: "**/repo.git/**", expected: "allow" },
    { glob: "vendor/**", expected: "ask" },
    { glob: "**/*.git/**", expected: "ask" },
    { glob: "{**,docs/repo.git/**}", expected: "ask" },
  ])("under the rule $glob: $expected", ({ glob, expected }) => {
    expect(effectOf(request, { rules: [{ ...ALLOW_EDIT, paths: [glob] }] })).toBe(expected);
  });
});

test.each(["*", "{*,x}", "**"])("a git folder with the name %s is not named by other wildcards", (name) => {
  const request: PermissionRequest = {
    ...edit(`src/${name}/hooks/x`),
    gitFolders: [`${workingDirectory}/src/${name}`],
  };
  expect(effectOf(request, { rules: [{ ...ALLOW_EDIT, paths: ["src/**", "**"] }] })).toBe("ask");
});

test("a change that names no file requires approval", () => {
  expect(evaluatePermission({ rules: [ALLOW_EDIT] }, edit(), { workingDirectory })).toEqual({
    effect: "ask",
    rule: ALLOW_EDIT,
    obstacle: { type: "no-file-named" },
  });
});

test.each([
  { title: "--yolo", rules: [], expected: "allow" },
  { title: "--yolo that denies files", rules: [{ effect: "deny", paths: [".env"] }], expected: "allow" },
  { title: "--yolo that denies commands", rules: [{ effect: "deny", tools: ["shell"] }], expected: "ask" },
  { title: "--yolo that denies one command", rules: [{ effect: "deny", commands: ["git push*"] }], expected: "ask" },
  { title: "--yolo with approval for everything", rules: [{ effect: "ask" }], expected: "ask" },
] as const)("$title: a change of package.json", ({ rules, expected }) => {
  expect<string>(effectOf(edit("package.json"), { rules, otherwise: "allow" })).toBe(expected);
});

test.each(["**", "*", "**/*"])("where the settings protect %s, wildcards name nothing of it", (pattern) => {
  const policy: PermissionPolicy = { rules: [{ ...ALLOW_EDIT, paths: ["**", "*"] }], protectedPaths: [pattern] };
  expect(effectOf(edit("main.ts"), policy)).toBe("ask");
  expect(effectOf(edit("main.ts"), { ...policy, rules: [{ ...ALLOW_EDIT, paths: ["main.ts"] }] })).toBe("allow");
});

test("where the settings protect a choice of files, a rule names them as a choice, or one of them", () => {
  const globs = ["infra/**/*.{tf,hcl}", "**/*.tf", "infra/**"];
  const effects = globs.map((glob) =>
    effectOf(edit("infra/a/main.tf"), {
      rules: [{ ...ALLOW_EDIT, paths: [glob] }],
      protectedPaths: ["**/*.{tf,hcl}"],
    }),
  );
  expect(effects).toEqual(["allow", "allow", "ask"]);
});

test.each(PROJECT_SETTINGS.map(({ path }) => path))(
  "%s, of which an untrusted project is kept, is protected in a trusted one",
  (file) => {
    for (const changed of [file, `packages/a/${file}`, `${file}/x`]) {
      expect([changed, effectOf(edit(changed), { rules: [ALLOW_EDIT] })]).toEqual([changed, "ask"]);
    }
  },
);

test("reading a protected file stays as it is", () => {
  const request: PermissionRequest = { ...edit("package.json"), kind: "read" };
  expect(effectOf(request, { rules: [{ effect: "allow", tools: ["read"] }] })).toBe("allow");
});

test("each entry of the list is a glob of its own with a reason", () => {
  const patterns = PROTECTED_FILES.map(({ pattern }) => pattern);
  expect(new Set(patterns).size).toBe(patterns.length);
  for (const { pattern, reason } of PROTECTED_FILES) {
    expect(pattern).toStartWith("**/");
    expect(reason).not.toBe("");
  }
});
