import { expect, test } from "bun:test";
import { KeyGuard } from "./key-guard.ts";

/** Which of the keys, pressed at these times after the dialog appeared, are answers. */
function accepted(times: readonly number[]): readonly number[] {
  let time = 5_000;
  const guard = new KeyGuard(() => time);
  return times.filter((at) => {
    time = 5_000 + at;
    return guard.accepts();
  });
}

test.each([
  { title: "a key at once is ignored", times: [0, 299], expected: [] },
  { title: "a key after 300 ms is an answer", times: [300], expected: [300] },
  {
    title: "typing that continues is ignored until it pauses",
    times: [100, 250, 400, 600, 950, 1_749, 2_549],
    expected: [2_549],
  },
  { title: "after the first answer every key counts", times: [300, 310, 320], expected: [300, 310, 320] },
  {
    title: "a key held down is never an answer",
    times: Array.from({ length: 40 }, (_, index) => index * 250),
    expected: [],
  },
])("$title", ({ times, expected }) => {
  expect(accepted(times)).toEqual(expected);
});
