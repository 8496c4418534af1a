import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SHELLS } from "../completions/completion-script.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/deploy.ts": "", "notes to self.md": "" });
});
afterAll(() => sandbox.remove());

/** Runs a shell with the user's PATH, in the project. */
async function shell(command: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = Bun.spawn([...command], {
    ...{ cwd: sandbox.project, env: { ...sandbox.env }, stdout: "pipe", stderr: "pipe" },
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output: output + errors };
}

/** What bash offers for a line, whose words are separated as bash does it. */
async function completeInBash(...words: readonly string[]): Promise<readonly string[]> {
  const quoted = ["atomic", ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const script = `source <(atomic completions bash)
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}
_atomic
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { output } = await shell(["bash", "--norc", "-c", script]);
  return output.split("\n").filter((line) => line !== "");
}

describe("in bash", () => {
  test.each<{ readonly words: readonly string[]; readonly offered: readonly string[] }>([
    { words: ["doc"], offered: ["doctor"] },
    { words: ["run", "de"], offered: ["deploy"] },
    { words: ["run", "deploy", "--agent", "=", "cl"], offered: ["claude"] },
    {
      words: ["run", "deploy", "--agent", "="],
      offered: ["claude", "opencode", "copilot", "gemini", "codex", "goose", "scripted"],
    },
    { words: ["run", "deploy", "--answers", "no"], offered: ["notes to self.md"] },
    { words: ["config", "set", "ui.mode", "p"], offered: ["plain"] },
    { words: ["no", "such", "thing"], offered: [] },
    { words: ["it's", "-"], offered: expect.arrayContaining(["--prompt", "-p", "--agent"]) },
  ])(
    "after %j",
    async ({ words, offered }) => {
      expect(await completeInBash(...words)).toEqual(offered as string[]);
    },
    30_000,
  );

  test("a program that fails prints nothing into the prompt", async () => {
    const script = `source <(atomic completions bash); PATH=/nowhere; COMP_WORDS=(atomic r); COMP_CWORD=1; _atomic; echo "[\${COMPREPLY[*]}]"`;
    expect(await shell([Bun.which("bash") ?? "bash", "--norc", "-c", script])).toEqual({ exitCode: 0, output: "[]\n" });
  }, 30_000);
});

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** What is not closed, or closed without being opened, in a script for PowerShell. Not its grammar: its quotes and brackets. */
function unbalanced(script: string): readonly string[] {
  const open: string[] = [];
  const tokens = /#[^\n]*|'(?:[^']|'')*'|"(?:[^"`]|`.|"")*"|`.|['"()[\]{}]/gs;
  for (const [token] of script.matchAll(tokens)) {
    if (CLOSING[token] !== undefined) open.push(token);
    else if (/^[)\]}]$/.test(token) && CLOSING[open.at(-1) ?? ""] === token) open.pop();
    else if (/^(?:['"]|[)\]}])$/.test(token)) return [...open, token];
  }
  return open;
}

test("the script for PowerShell has its quotes and brackets in pairs", async () => {
  const { stdout } = await sandbox.atomic("completions", "powershell");
  expect(unbalanced(stdout)).toEqual([]);
  // The check finds what is missing at any place.
  const marks = [...stdout.matchAll(/[()[\]{}]/g)].filter(
    ({ index }) => !stdout.slice(0, index).split("\n").at(-1)?.includes("#"),
  );
  expect(marks.length).toBeGreaterThan(20);
  const missed = marks.filter(({ index }) => unbalanced(stdout.slice(0, index) + stdout.slice(index + 1)).length === 0);
  expect(missed).toEqual([]);
}, 30_000);

const CHECKS = {
  bash: ["bash", "-n"],
  zsh: ["zsh", "-n"],
  fish: ["fish", "--no-execute"],
  powershell: undefined,
} as const;

test.each(SHELLS.map((name) => ({ name, check: CHECKS[name] })))(
  "the script for $name has no syntax error, where the shell is installed",
  async ({ name, check }) => {
    const { stdout } = await sandbox.atomic("completions", name);
    expect(stdout).toContain("__complete");
    const path = join(sandbox.root, `completions.${name}`);
    await writeFile(path, stdout);
    if (check === undefined || Bun.which(check[0]) === null) return;
    expect(await shell([...check, path])).toEqual({ exitCode: 0, output: "" });
  },
  30_000,
);
