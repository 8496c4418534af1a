import { expect, test } from "bun:test";
import { describeItem } from "./describe-item.ts";
import type { AskedRequest } from "./runs-port.ts";

const REQUEST: AskedRequest = { id: "q", nodeId: "ok", question: "Fine?", askedAt: 1 };

test.each([
  { request: REQUEST, text: "ok: Fine?" },
  { request: { ...REQUEST, header: "Part" }, text: "ok: Part: Fine?" },
  { request: { ...REQUEST, item: "alpha" }, text: "ok (alpha): Fine?" },
])("a question is $text", ({ request, text }) => {
  expect(describeItem({ type: "question", runId: "r", workflow: "w", askedAt: 1, request })).toBe(text);
});
