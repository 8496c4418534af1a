import { expect, test } from "bun:test";
import { GOALS } from "./goals.ts";
import { SCENARIOS } from "./scenarios.ts";

test("every goal names a case, and a value that its scenario measures", () => {
  const unknown = GOALS.flatMap(({ subject, metric }) => {
    const ids = "of" in subject ? [subject.caseId, subject.of] : [subject.caseId];
    return ids.filter(
      (id) => !SCENARIOS.some(({ cases, metrics }) => cases.some((item) => item.id === id) && metrics.includes(metric)),
    );
  });
  expect(unknown).toEqual([]);
});
