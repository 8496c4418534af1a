import { describe, expect, test } from "bun:test";
import { FakeProcess } from "../fixtures/fake-process.ts";
import { type ExitGuardOptions, guardExit } from "./guard-exit.ts";

function guard(options: Partial<ExitGuardOptions> = {}) {
  const fake = new FakeProcess();
  const { calls } = fake;
  const remove = guardExit(fake.asProcess(), {
    restore: () => void calls.push(["restore"]),
    onEnd: (cause) => void calls.push(["onEnd", cause]),
    now: () => 0,
    ...options,
  });
  return { fake, calls, remove };
}

/** Lets everything finish that waits for no timer. */
async function settle(): Promise<void> {
  for (let count = 0; count < 10; count++) await Promise.resolve();
}

describe("guardExit", () => {
  test.each([
    { signal: "SIGTERM", exitCode: 143 },
    { signal: "SIGHUP", exitCode: 129 },
  ] as const)(
    "restores the terminal on $signal, ends the agents and exits with $exitCode",
    async ({ signal, exitCode }) => {
      const { fake, calls } = guard();
      fake.emit(signal);
      await settle();
      expect(calls).toEqual([["restore"], ["onEnd", { type: "signal", signal }], ["exit", exitCode]]);
    },
  );

  test("prints why the chat failed, after the terminal is restored", async () => {
    const { fake, calls } = guard();
    const error = new Error("out of paper");
    fake.emit("failure", error);
    await settle();
    expect(calls).toEqual([
      ["restore"],
      ["writeError", "atomic: The chat ended because of an error: out of paper"],
      ["onEnd", { type: "failure", error }],
      ["exit", 1],
    ]);
  });

  test("restores the terminal on process.exit()", () => {
    const { fake, calls } = guard();
    fake.emit("exit");
    expect(calls).toEqual([["restore"]]);
  });

  test("interrupts on the first SIGINT, ends on a second within two seconds", async () => {
    let time = 0;
    const { fake, calls } = guard({ onInterrupt: () => void calls.push(["onInterrupt", time]), now: () => time });
    fake.emit("SIGINT");
    time = 2_001;
    fake.emit("SIGINT");
    expect(calls).toEqual([
      ["onInterrupt", 0],
      ["onInterrupt", 2_001],
    ]);
    time = 4_000;
    fake.emit("SIGINT");
    await settle();
    expect(calls.slice(2)).toEqual([["restore"], ["onEnd", { type: "signal", signal: "SIGINT" }], ["exit", 130]]);
  });

  test("exits at once on a second signal while the agents end", async () => {
    const { fake, calls } = guard({ onEnd: () => new Promise(() => undefined) });
    fake.emit("SIGTERM");
    await settle();
    expect(calls).toEqual([["restore"]]);
    fake.emit("SIGHUP");
    expect(calls).toEqual([["restore"], ["restore"], ["exit", 129]]);
  });

  test("exits although ending the agents fails", async () => {
    const { fake, calls } = guard({ onEnd: () => Promise.reject(new Error("still busy")) });
    fake.emit("SIGTERM");
    await settle();
    expect(calls).toEqual([["restore"], ["writeError", "atomic: still busy"], ["exit", 143]]);
  });

  test("listens to nothing after its removal", () => {
    const { fake, remove } = guard();
    remove();
    expect(fake.listenerCount).toBe(0);
  });
});
