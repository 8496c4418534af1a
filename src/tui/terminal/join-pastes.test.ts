import { expect, test } from "bun:test";
import { joinPastes } from "./join-pastes.ts";

/** What the lines come to. A promise between them is waited for. */
async function messagesOf(parts: readonly (string | Promise<unknown>)[]): Promise<readonly string[]> {
  async function* lines(): AsyncGenerator<string> {
    for (const part of parts) {
      if (typeof part === "string") yield part;
      else await part;
    }
  }
  return await Array.fromAsync(joinPastes(lines(), { onInterrupt: () => () => undefined, togetherMs: 20 }));
}

const LINES = Array.from({ length: 130 }, (_, index) => `line ${index}`);

test("a marked paste of 130 lines is one message with what is typed around it", async () => {
  const [first = "", ...rest] = LINES;
  expect(await messagesOf([`Look: \u001b[200~${first}`, ...rest, "\u001b[201~ Why?", "next"])).toEqual([
    `Look: ${LINES.join("\n")}\n Why?`,
    "next",
  ]);
});

test("130 lines that arrive together are one message, and later ones another", async () => {
  const later = Promise.withResolvers<void>();
  async function* lines(): AsyncGenerator<string> {
    yield* LINES;
    await later.promise;
    yield "typed";
  }
  const messages: string[] = [];
  for await (const message of joinPastes(lines(), { onInterrupt: () => () => undefined, togetherMs: 5 })) {
    messages.push(message);
    later.resolve();
  }
  expect(messages).toEqual([LINES.join("\n"), "typed"]);
});

test("ctrl+c discards a paste whose end the terminal has dropped with the line", async () => {
  const keys = { interrupt: (): void => undefined };
  const waits = Promise.withResolvers<void>();
  const typed = Promise.withResolvers<void>();
  async function* lines(): AsyncGenerator<string> {
    yield "\u001b[200~one";
    yield "two";
    waits.resolve();
    await typed.promise;
    yield "three";
  }
  const messages = Array.fromAsync(
    joinPastes(lines(), {
      onInterrupt: (listener) => {
        keys.interrupt = listener;
        return () => undefined;
      },
    }),
  );
  await waits.promise;
  await new Promise(setImmediate);
  keys.interrupt();
  await new Promise(setImmediate);
  typed.resolve();
  expect(await messages).toEqual(["three"]);
});

test("an empty line and an escape alone stay what they are", async () => {
  expect(await messagesOf([""])).toEqual([""]);
  expect(await messagesOf(["\u001b\r"])).toEqual(["\u001b"]);
});
