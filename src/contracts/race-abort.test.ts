import { describe, expect, test } from "bun:test";
import { raceAbort } from "./race-abort.ts";

const REASON = new Error("enough");

describe("work that is waited for", () => {
  test.each<{ title: string; signal: AbortSignal | undefined; work: string | Promise<string> }>([
    { title: "resolves to its value", signal: new AbortController().signal, work: Promise.resolve("done") },
    { title: "resolves to its value without a signal", signal: undefined, work: Promise.resolve("done") },
    { title: "may be a value itself", signal: new AbortController().signal, work: "done" },
  ])("$title", async ({ signal, work }) => {
    expect(await raceAbort(work, signal)).toBe("done");
  });

  test("fails with its own error", async () => {
    const work = Promise.reject(new Error("broken"));
    await expect(raceAbort(work, new AbortController().signal)).rejects.toThrow("broken");
  });
});

describe("an abort", () => {
  test("rejects at once with its reason, and a later failure of the work is handled", async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<never>();
    const waiting = raceAbort(work.promise, controller.signal);
    controller.abort(REASON);
    expect(await waiting.catch((error: unknown) => error)).toBe(REASON);
    work.reject(new Error("too late"));
    await Bun.sleep(0); // an unhandled rejection would fail the test here
  });

  test.each<{ title: string; work: () => Promise<string> }>([
    { title: "before the call wins over finished work", work: async () => "done" },
    { title: "before the call wins over failed work", work: () => Promise.reject(new Error("broken")) },
  ])("$title", async ({ work }) => {
    expect(await raceAbort(work(), AbortSignal.abort(REASON)).catch((error: unknown) => error)).toBe(REASON);
  });

  test("wins over the error that it makes the work throw", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const work = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("interrupted")), { once: true });
    });
    const waiting = raceAbort(work, signal);
    controller.abort(REASON);
    expect(await waiting.catch((error: unknown) => error)).toBe(REASON);
  });
});
