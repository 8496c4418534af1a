import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";

const PROGRAM = join(import.meta.dir, "fixtures/embedded-chat.ts");
const SLOW = { timeoutMs: 40_000 };

let screen: PtyScreen;

afterEach(() => screen.close());

test("a program opens the chat with a client, with commands of its own, and continues after it", async () => {
  screen = new PtyScreen([process.execPath, PROGRAM]);
  await screen.until(/Ask anything/, SLOW);
  screen.type("hello");
  screen.press("enter");
  await screen.until(/You said hello\./, SLOW);
  screen.type("/greet Ada");
  screen.press("enter");
  await screen.until(/Hello Ada!/, SLOW);
  screen.type("/exit");
  screen.press("enter");
  expect(await screen.exit(SLOW)).toBe(0);
  const { on, kittyFlags, savedTitles } = screen.modes();
  expect({ on, kittyFlags, savedTitles }).toEqual({ on: [7, 25], kittyFlags: [], savedTitles: 0 });
  // React's development build would leave one for each render, with a copy of what changed.
  expect(screen.screen()).toEndWith("The chat has ended. It left 0 measures.");
});

test("without a terminal to draw on, it is lines", async () => {
  screen = new PtyScreen([process.execPath, PROGRAM], { env: { TERM: "dumb" } });
  await screen.until(/Plain mode, because TERM is dumb\./, SLOW);
  screen.type("hello\r");
  await screen.until(/scripted: You said hello\./, SLOW);
  screen.type("/exit\r");
  expect(await screen.exit(SLOW)).toBe(0);
});
