import { expect, test } from "bun:test";
import { describeTooLong, MAX_TEXT_LENGTH } from "./text-limit.ts";

test("a text of up to 100,000 characters is sent, and of a longer one it is said why not", () => {
  expect(MAX_TEXT_LENGTH).toBe(100_000);
  expect(describeTooLong("x".repeat(100_000))).toBeUndefined();
  expect(describeTooLong("x".repeat(100_001))).toBe(
    "Too long to send: 100,001 characters; the most is 100,000. Put the text into a file, and name the file.",
  );
});
