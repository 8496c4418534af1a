import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";

const ROOT = join(import.meta.dir, "../../..");
const SLOW = { timeoutMs: 40_000 };

let folder: string;
let code: string;
let screen: PtyScreen | undefined;

beforeAll(async () => {
  // Inside the repository, so that the package's own name resolves.
  folder = await mkdtemp(join(ROOT, "node_modules", ".docs-"));
  const page = await readFile(join(ROOT, "docs/chat-in-your-program.md"), "utf8");
  code = /^```ts\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
});
afterEach(() => screen?.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(program: string): Promise<PtyScreen> {
  const path = join(folder, "chat.ts");
  await writeFile(path, program);
  screen = new PtyScreen([process.execPath, path], { env: { HOME: folder } });
  return screen;
}

test("the example in docs/chat-in-your-program.md opens a chat, with its command, and continues after it", async () => {
  const chat = await run(code);
  await chat.until(/Ask anything/, SLOW);
  chat.type("hello");
  chat.press("enter");
  await chat.until(/You said: hello/, SLOW);
  chat.type("/greet Ada");
  chat.press("enter");
  await chat.until(/Hello Ada!/, SLOW);
  chat.type("/exit");
  chat.press("enter");
  expect(await chat.exit(SLOW)).toBe(0);
  expect(chat.screen()).toEndWith("The chat has ended.");
});

test("a wrong key rejects before the terminal changes", async () => {
  const chat = await run(code.replace('copy: "f2"', 'copi: "f2"'));
  expect(await chat.exit(SLOW)).toBe(1);
  expect(chat.screen()).toContain("KEY_INVALID");
  expect(chat.screen()).not.toContain("Ask anything");
});
