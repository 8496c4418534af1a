import { expect, test } from "bun:test";
import { formatChecks } from "./format-checks.ts";

test("what is known of an agent's login is seen also where its long path is cut", () => {
  const detail = `2.1.261 (/home/me/${"folder/".repeat(20)}claude)`;
  const shown = formatChecks([{ name: "claude", status: "ok", detail, startMs: 420, login: "none" }], 200);
  expect(shown.split("\n").slice(0, 2)).toEqual([
    "CHECK   STATUS  DETAIL",
    `claude  ok      no login found, starts in 0.4 s, 2.1.261 (/home/me/${"folder/".repeat(9)}folde…`,
  ]);
});
