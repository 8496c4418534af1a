import { startChatUI } from "../../../src/cli/tui.ts";
import { createScriptedAgent } from "../../../src/testkit/index.ts";

// A chat whose agent answers with very many lines. It says at its end how long the answer took, and what it left. Usage:
// bun bench/src/tui/long-answer-chat.ts full|inline|plain LINES "TEXT OF A LINE" LINES_PER_SECOND
const [mode = "full", lineCount = "5000", line = "A line of the **answer** with `code`", perSecond = "1000000"] =
  process.argv.slice(2);
const took = { ms: 0 };
const agent = createScriptedAgent({
  script: async (_, { say, signal }) => {
    const startedAt = performance.now();
    for (let count = 0; count < Number(lineCount); count++) {
      signal.throwIfAborted();
      await say(`${line}\n`);
      const waitMs = startedAt + (count / Number(perSecond)) * 1_000 - performance.now();
      if (waitMs > 1) await Bun.sleep(waitMs);
    }
    took.ms = performance.now() - startedAt;
    return "The end of the answer.";
  },
});
const shownAs = mode === "inline" || mode === "plain" ? mode : "full";
await startChatUI(agent, { permissions: { rules: [] } }, { mode: shownAs });
const measureCount = performance.getEntriesByType("measure").length;
process.stdout.write(`${JSON.stringify({ tookMs: Math.round(took.ms), measureCount })}\n`);
