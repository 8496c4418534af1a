import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { Keys } from "../fixtures/keys.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { type SelectAnswerOptions, selectAnswer } from "./select-answer.ts";

const ALLOW = ["Yes, this once", "Yes, and for this session", "No"];

/** Presses keys when the question is visible, and returns the index of the answer. */
async function press(keys: readonly string[], labels: readonly string[], rest: Partial<SelectAnswerOptions> = {}) {
  const input = new PassThrough();
  const output = new TextStream({ isTTY: true, columns: 80, rows: 24 });
  const options = labels.map((label) => ({ label }));
  const answer = selectAnswer({ streams: { input, output }, message: "Sure?", options, ...rest });
  await output.waitFor(labels.at(-1) ?? "");
  for (const key of keys) {
    input.write(key);
    // A key right after an escape sequence would be parsed as part of it.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { answer, input, output };
}

test.each([
  { title: "Enter alone", keys: [Keys.enter], place: 0 },
  { title: "an arrow", keys: [Keys.down, Keys.enter], place: 1 },
  { title: "no", keys: ["n", "o", Keys.enter], place: 2 },
  { title: "no, pasted with its Enter", keys: [`no${Keys.enter}`], place: 2 },
  { title: "yes", keys: ["y", "e", "s", Keys.enter], place: 0 },
  { title: "a command that starts like yes", keys: [..."yarn test", Keys.enter], place: 2 },
  { title: "a command of letters that the library treats as arrows", keys: [..."ls -l jk", Keys.enter], place: 2 },
  { title: "an arrow after a typed word", keys: ["n", Keys.up, Keys.enter], place: 1 },
  { title: "a word that was deleted", keys: ["n", "\u007f", "y", Keys.enter], place: 0 },
])("$title selects answer $place when the last one is safe", async ({ keys, place }) => {
  const { answer } = await press(keys, ALLOW, { safe: 2 });
  expect(await answer).toBe(place);
});

test("text selects the answer that starts with it, and other text is rejected", async () => {
  const labels = ["approve (commit it)", "discard"];
  const { answer: discarded } = await press([..."DISCARD", Keys.enter], labels);
  expect(await discarded).toBe(1);
  const { answer, input, output } = await press([..."no", Keys.enter], labels);
  await output.waitFor('No answer starts with "no".');
  await output.waitFor("discard", output.text.indexOf("No answer starts"));
  // The mark of an answered list must not appear yet.
  expect(output.text).not.toContain("◇");
  input.write(Keys.enter);
  expect(await answer).toBe(0);
  expect(output.text).toContain("◇");
});

test("control characters in typed text are escaped when it is printed", async () => {
  const { answer, input, output } = await press(["x\u202ey", Keys.enter], ["approve", "discard"]);
  await output.waitFor('No answer starts with "x\\u202ey".');
  await output.waitFor("discard", output.text.indexOf("No answer starts"));
  input.write(Keys.escape);
  expect(await answer).toBeUndefined();
});

test("Escape returns no answer", async () => {
  const { answer } = await press([Keys.escape], ALLOW, { safe: 2 });
  expect(await answer).toBeUndefined();
});
