import { expect, test } from "bun:test";
import { WholeMessages } from "./whole-messages.ts";

/** The output for a text that arrives in pieces of this size. */
function passedOn(text: string, size: number): string {
  const messages = new WholeMessages();
  const bytes = Buffer.from(text);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) passed.push(...messages.take(bytes.subarray(at, at + size)));
  return Buffer.concat(passed).toString();
}

const MESSAGE = 'Content-Type: x\r\ncontent-length: 8\r\n\r\n{"a":1}\n';

test.each([1, 7, 1000])("messages are forwarded whole when they arrive %d bytes at a time", (size) => {
  for (const message of [MESSAGE, "Content-Length: 0\r\n\r\n"]) {
    const text = message.repeat(40);
    expect(passedOn(text, size)).toBe(text);
    expect(passedOn(text + message.slice(0, -1), size)).toBe(text);
  }
});

test.each([
  { title: "a message that is too long", text: `${MESSAGE}Content-Length: 99999999999\r\n\r\n` },
  { title: "a message without a length", text: `${MESSAGE}Content-Type: x\r\n\r\n` },
  { title: "a header without an end", text: "x".repeat(10_000) },
])("$title is rejected", ({ text }) => {
  for (const size of [1, 7, 100_000]) expect(() => passedOn(text, size)).toThrow("This is no message");
});
