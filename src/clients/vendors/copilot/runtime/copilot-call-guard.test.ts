import { expect, spyOn, test } from "bun:test";
import { AgentCrashedError } from "../../../../contracts/index.ts";
import { rejectionOf } from "../../../../testkit/conformance/rejection-of.ts";
import { createCallGuard } from "./copilot-call-guard.ts";

const CRASH = new AgentCrashedError("copilot", "signal SIGKILL", []);

/** A runtime that ends on demand. */
function createEnd() {
  const { promise: ended, resolve } = Promise.withResolvers<AgentCrashedError>();
  return { ended, end: () => resolve(CRASH) };
}

test("calls in progress fail with the error that ended the runtime, and so do later ones", async () => {
  const { ended, end } = createEnd();
  const guard = createCallGuard(ended);
  const pending = rejectionOf(guard(() => new Promise(() => {})));
  end();
  expect(await pending).toBe(CRASH);
  let isMade = false;
  const later = guard(async () => {
    isMade = true;
  });
  expect([await rejectionOf(later), isMade]).toEqual([CRASH, false]);
});

test("a call whose connection breaks fails with the error that ended the runtime; other errors pass", async () => {
  const { ended, end } = createEnd();
  const guard = createCallGuard(ended);
  const other = new Error("disk full");
  expect(await rejectionOf(guard(() => Promise.reject(other)))).toBe(other);
  const broken = rejectionOf(guard(() => Promise.reject(new Error("Connection got disposed."))));
  end();
  expect(await broken).toBe(CRASH);
});

test("calls add no listeners to the runtime's end", async () => {
  const { ended } = createEnd();
  const waits = spyOn(ended, "then");
  const guard = createCallGuard(ended);
  for (let count = 0; count < 100; count++) expect(await guard(async () => count)).toBe(count);
  expect(waits).toHaveBeenCalledTimes(1);
});
