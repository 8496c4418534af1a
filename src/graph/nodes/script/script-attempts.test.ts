import { expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import { readRunSummary } from "../../journal/run-summary.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { compileScript } from "../../script.ts";

test.each([{ isCompacted: false }, { isCompacted: true }])(
  "a script's attempt continues after its questions' answers, and another one follows a failure: %p",
  async ({ isCompacted }) => {
    const checkpointer = new MemorySaver();
    const starts: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start" && event.nodeId === "script") starts.push(`${event.taskId} ${event.attempt}`);
    };
    const attemptsOf = async () => {
      const { nodes } = await readRunSummary(checkpointer, "r");
      return nodes.find(({ taskId }) => taskId === "script")?.attempts;
    };
    const text =
      'await ask("First?"); await ask("Second?"); if ((await ask("Third?")) === "no") throw new Error("no");';
    const compiled = compileScript({ path: "/p/demo.js", text });
    await compiled.run({}, { runId: "r", checkpointer, onEvent });
    for (const [id, answer] of [
      ["script[1]/ask", "a"],
      ["script[2]/ask", "b"],
      ["script[3]/ask", "no"],
    ] as const) {
      if (isCompacted) await compiled.compact("r", { checkpointer });
      expect(await attemptsOf()).toBe(1);
      await compiled.resume("r", { [id]: answer }, { checkpointer, onEvent });
    }
    await compiled.resume("r", {}, { checkpointer, onEvent });
    expect(starts).toEqual(["script 1", "script 1", "script 1", "script 1", "script 2"]);
    expect(await attemptsOf()).toBe(2);
  },
);
