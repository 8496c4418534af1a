import { expect, test } from "bun:test";
import { AskRow, FIRST_ASK } from "./ask-row.ts";

test("requests that follow each other are counted, and one without an answer was replaced", () => {
  const clock = { now: 0 };
  const row = new AskRow(() => clock.now);
  const places = [row.show("a"), row.show("a")];
  row.noteAnswer("a");
  places.push(row.show(undefined));
  clock.now += 3_000;
  places.push(row.show("b"), row.show("c"));
  expect(places).toEqual([
    ...[FIRST_ASK, FIRST_ASK, FIRST_ASK],
    { number: 2, isReplacement: false },
    { number: 3, isReplacement: true },
  ]);
});

test("a request long after another one follows none", () => {
  const clock = { now: 0 };
  const row = new AskRow(() => clock.now);
  row.show("a");
  row.show(undefined);
  clock.now += 3_001;
  expect(row.show("b")).toEqual(FIRST_ASK);
});
