import { describe, expect, test } from "bun:test";
import { createTerminalProcess } from "./terminal-process.ts";

describe("createTerminalProcess", () => {
  test("removes the listeners of failures that an action added, and no others", async () => {
    const known = (): void => undefined;
    const added = (): void => undefined;
    process.on("uncaughtException", known);
    try {
      const result = await createTerminalProcess(process).withoutOwnFailureListeners(async () => {
        process.on("uncaughtException", added);
        process.on("unhandledRejection", added);
        return 1;
      });
      expect(result).toBe(1);
      expect(process.listeners("uncaughtException")).toContain(known);
      expect(process.listeners("uncaughtException")).not.toContain(added);
      expect(process.listeners("unhandledRejection")).not.toContain(added);
    } finally {
      process.off("uncaughtException", known);
    }
  });

  test("passes signals and failures on until it stops listening", () => {
    const heard: unknown[] = [];
    const terminal = createTerminalProcess(process);
    const removers = [
      terminal.onSignal("SIGCONT", () => heard.push("SIGCONT")),
      terminal.onFailure((error) => heard.push(error)),
      terminal.onExit(() => undefined),
    ];
    const error = new Error("failed");
    process.listeners("SIGCONT").at(-1)?.("SIGCONT");
    process.listeners("unhandledRejection").at(-1)?.(error, Promise.resolve());
    expect(heard).toEqual(["SIGCONT", error]);
    const before = process.listenerCount("SIGCONT");
    for (const remove of removers) remove();
    expect(process.listenerCount("SIGCONT")).toBe(before - 1);
  });

  test("ends with the function of the program", () => {
    const codes: number[] = [];
    createTerminalProcess(process, { exit: (code) => void codes.push(code) }).exit(3);
    expect(codes).toEqual([3]);
  });
});
