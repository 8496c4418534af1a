import { afterEach, beforeEach, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";

const PROGRAM = join(import.meta.dir, "fixtures/commented-chat.ts");
const SLOW = { timeoutMs: 40_000 };

let folder: string;
let screens: PtyScreen[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-comments-"));
});
afterEach(async () => {
  for (const screen of screens) screen.close();
  screens = [];
  await rm(folder, { recursive: true, force: true });
});

function open(...args: readonly string[]): PtyScreen {
  const screen = new PtyScreen([process.execPath, PROGRAM, folder, ...args], { env: { HOME: folder } });
  screens.push(screen);
  return screen;
}

/** What is stored of the conversations. */
function readStored(): string {
  const stored = join(folder, "chat/conversations");
  if (!existsSync(stored)) return "";
  const names = readdirSync(stored).filter((name) => name.endsWith(".json"));
  return names.map((name) => readFileSync(join(stored, name), "utf8")).join("");
}

/** Opens the transcript. */
async function showTranscript(screen: PtyScreen): Promise<string> {
  screen.type("\u000f");
  return await screen.until(/Transcript {2}/, SLOW);
}

test("after kill -9, a comment is in the conversation again, and is flagged once its line has changed", async () => {
  const first = open();
  await first.until(/Ask anything/, SLOW);
  first.type("Write it.");
  first.press("enter");
  await first.until(/Done\./, SLOW);
  await showTranscript(first);
  first.press("shift+tab");
  first.type("c");
  await first.until(/enter keeps it/, SLOW);
  first.type("Why two?");
  first.press("enter");
  await first.until(/└ Why two\?/, SLOW);
  await first.until(/s send 1 comment/, SLOW);
  await waitUntil(() => readStored().includes("Why two?"), "the comment is not stored", { timeoutMs: SLOW.timeoutMs });
  first.signal("SIGKILL");
  await first.exit(SLOW);
  await writeFile(join(folder, "a.txt"), "one\nthree\n");
  const next = open("continue");
  await next.until(/1 comment that you did not send/, SLOW);
  await next.until(/1 comment waits/, SLOW);
  await showTranscript(next);
  await next.until(/└ changed since: Why two\?[\s\S]*s send 1 comment/, SLOW);
});
