import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { copySessionFile, deleteSessionFile, findSessionFile, listSessionFiles } from "./claude-session-files.ts";

const FIRST = "11111111-1111-4111-8111-111111111111";
const SECOND = "22222222-2222-4222-8222-222222222222";
const COPY = "33333333-3333-4333-8333-333333333333";

const folder = await mkdtemp(path.join(tmpdir(), "atomic-claude-files-"));
const project = path.join(folder, "projects", "-work-my-app");
afterAll(() => rm(folder, { recursive: true, force: true }));

function lines(id: string, ...entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify({ sessionId: id, ...entry })}\n`).join("");
}

function says(text: string): object {
  return { type: "user", cwd: "/work/my.app", message: { role: "user", content: text } };
}

async function write(id: string, text: string, second: number): Promise<void> {
  const file = path.join(project, `${id}.jsonl`);
  await writeFile(file, text);
  await utimes(file, second, second);
}

beforeAll(async () => {
  await mkdir(path.join(project, FIRST, "subagents"), { recursive: true });
  await write(FIRST, lines(FIRST, { type: "custom-title", customTitle: "Mine" }, says("Hello")), 1_000);
  const padding = { type: "system", content: "x".repeat(200_000) };
  const meta = { ...says("Caveat"), isMeta: true };
  await write(SECOND, lines(SECOND, meta, says("<command>"), says("Fix it\nnow"), padding, { type: "end" }), 2_000);
  await writeFile(path.join(project, "agent-abc.jsonl"), lines(FIRST, says("A sub-agent")));
  await writeFile(path.join(project, `${COPY}.jsonl`), lines(COPY, { type: "custom-title", customTitle: "Empty" }));
  const other = path.join(folder, "projects", "-work-my-app-2");
  await mkdir(other);
  await writeFile(path.join(other, `${COPY}.jsonl`), lines(COPY, { ...says("Elsewhere"), cwd: "/work/my.app.2" }));
});

describe("Claude Code's conversations", () => {
  test("are listed for a directory, the latest first, with their title or first words", async () => {
    expect(await listSessionFiles(folder, "/work/my.app")).toEqual([
      { id: SECOND, title: "Fix it", workingDirectory: "/work/my.app", updatedAt: 2_000_000 },
      { id: FIRST, title: "Mine", workingDirectory: "/work/my.app", updatedAt: 1_000_000 },
    ]);
  });

  test("are listed without one that is deleted in the meantime", async () => {
    const vanished = path.join(project, "66666666-6666-4666-8666-666666666666.jsonl");
    await symlink(path.join(folder, "gone.jsonl"), vanished);
    const listed = await listSessionFiles(folder, "/work/my.app");
    await rm(vanished);
    expect(listed.map(({ id }) => id)).toEqual([SECOND, FIRST]);
  });

  test("are listed by a process that may open few files at a time", async () => {
    const many = path.join(folder, "many");
    const crowded = path.join(many, "projects", "-work-my-app");
    await mkdir(crowded, { recursive: true });
    const ids = Array.from({ length: 300 }, () => crypto.randomUUID());
    await Promise.all(ids.map((id) => writeFile(path.join(crowded, `${id}.jsonl`), lines(id, says("Hello")))));
    const module = path.join(import.meta.dir, "claude-session-files.ts");
    const program = `const { listSessionFiles } = await import(${JSON.stringify(module)});
      console.log((await listSessionFiles(${JSON.stringify(many)}, "/work/my.app")).length);`;
    const limited = ["sh", "-c", 'ulimit -n 128; exec "$0" -e "$1"', process.execPath, program];
    const child = Bun.spawn(limited, { stdout: "pipe", stderr: "pipe" });
    const [output, complaint] = await Promise.all(
      [child.stdout, child.stderr].map((from) => new Response(from).text()),
    );
    expect([output, complaint]).toEqual(["300\n", ""]);
  });

  test("are an empty list where Claude Code was never used", async () => {
    expect(await listSessionFiles(path.join(folder, "missing"), "/work/my.app")).toEqual([]);
  });

  test("are found by their id, which is never treated as a path", async () => {
    expect(await findSessionFile(folder, FIRST)).toBe(path.join(project, `${FIRST}.jsonl`));
    expect(await findSessionFile(folder, `../-work-my-app/${FIRST}`)).toBeUndefined();
    expect(await findSessionFile(folder, "44444444-4444-4444-8444-444444444444")).toBeUndefined();
  });

  test("are copied in their current state, without an incomplete line", async () => {
    const copyId = "55555555-5555-4555-8555-555555555555";
    const file = path.join(project, `${FIRST}.jsonl`);
    const whole = await readFile(file, "utf8");
    await writeFile(file, `${whole}{"half`);
    await copySessionFile(file, copyId);
    expect(await readFile(path.join(project, `${copyId}.jsonl`), "utf8")).toBe(whole.replaceAll(FIRST, copyId));
    await deleteSessionFile(path.join(project, `${copyId}.jsonl`));
  });

  test("are copied as they were before a time; where nothing was said before it, there is no copy", async () => {
    const copyId = "66666666-6666-4666-8666-666666666666";
    const id = "77777777-7777-4777-8777-777777777777";
    const line = (type: string, second: number | undefined, text: string): string =>
      `${JSON.stringify({
        ...{ type, sessionId: id, text },
        ...(second === undefined ? {} : { timestamp: new Date(second * 1_000).toISOString() }),
      })}\n`;
    const start = [line("mode", undefined, "-"), line("user", 1, "one"), line("assistant", 2, "First.")];
    const rest = [line("queue-operation", 5, "two"), line("user", 5, "two"), line("assistant", 6, "Second.")];
    const file = path.join(project, `${id}.jsonl`);
    await writeFile(file, [...start, ...rest].join(""));
    expect(await copySessionFile(file, copyId, { before: 5_000 })).toBe(true);
    const copy = path.join(project, `${copyId}.jsonl`);
    expect(await readFile(copy, "utf8")).toBe(start.join("").replaceAll(id, copyId));
    await deleteSessionFile(copy);
    expect(await copySessionFile(file, copyId, { before: 1_000 })).toBe(false);
    expect(await findSessionFile(folder, copyId)).toBeUndefined();
    await deleteSessionFile(file);
  });

  test("are deleted together with those of their sub-agents", async () => {
    await deleteSessionFile(path.join(project, `${FIRST}.jsonl`));
    expect((await readdir(project)).filter((name) => name.startsWith(FIRST))).toEqual([]);
  });
});
