import { expect, test } from "bun:test";
import { abortable } from "./abortable.ts";

const REASON = new Error("enough");

test("completed work is not stopped", async () => {
  const controller = new AbortController();
  const stopped: unknown[] = [];
  const stop = async (work: Promise<string>): Promise<void> => void stopped.push(work);
  const options = { signal: controller.signal, stop };
  expect(await abortable(async () => "done", options)).toBe("done");
  await expect(abortable(() => Promise.reject(new Error("broken")), options)).rejects.toThrow("broken");
  controller.abort(REASON);
  expect(stopped).toEqual([]);
});

test("an abort rejects at once, and stops the result of the work; a failure to stop is ignored", async () => {
  const controller = new AbortController();
  const opening = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<string>();
  const waiting = abortable(() => opening.promise, {
    signal: controller.signal,
    stop: async (work) => {
      stopped.resolve(await work);
      throw new Error("cannot be stopped");
    },
  });
  controller.abort(REASON);
  expect(await waiting.catch((error: unknown) => error)).toBe(REASON);
  opening.resolve("session");
  expect(await stopped.promise).toBe("session");
});

test("work that is aborted before it starts does not start", async () => {
  let hasBegun = false;
  const start = async (): Promise<void> => {
    hasBegun = true;
  };
  const waiting = abortable(start, { signal: AbortSignal.abort(REASON), stop: async () => {} });
  expect([await waiting.catch((error: unknown) => error), hasBegun]).toEqual([REASON, false]);
});
