import { createTestRenderer } from "@opentui/core/testing";
import { createRoot, flushSync } from "@opentui/react";
import type { AgentEventBody, RunEvent } from "../../../src/contracts/index.ts";
import { fakeServices } from "../../../src/tui/fixtures/fake-services.ts";
import { FakeRuns, RUN } from "../../../src/tui/runs/fixtures/fake-runs.ts";
import { RALPH_STEPS } from "../../../src/tui/runs/fixtures/ralph-steps.ts";
import { agentEvent, nodeStart, runStart } from "../../../src/tui/runs/fixtures/run-events.ts";
import { RunView } from "../../../src/tui/runs/run-view.tsx";
import { darkTheme } from "../../../src/tui/theme/theme.ts";
import { KeyDispatcher } from "../../../src/tui/ui/key-dispatcher.tsx";
import { ThemeContext, UiContext } from "../../../src/tui/ui/ui-context.ts";
import { UiStore } from "../../../src/tui/ui/ui-store.ts";
import { createTokens } from "./conversation-content.ts";
import { streamTokens } from "./stream-tokens.ts";

const [agentCount = "12", tokenCount = "2000"] = process.argv.slice(2);

const taskIds = Array.from({ length: Number(agentCount) }, (_, index) => `workers[${index}]/implement`);

function say(taskId: string, body: object): RunEvent {
  // The cast is true: the callers pass whole bodies without their session.
  return agentEvent(taskId, { ...body, sessionId: `s-${taskId}` } as AgentEventBody, Date.now());
}

const started = taskIds.flatMap((taskId, index): readonly RunEvent[] => [
  nodeStart(taskId, { at: Date.now(), item: `worker ${index + 1}`, name: `Task ${index + 1}: step ${index}` }),
  { ...{ type: "agent-session", runId: "r", taskId, nodeId: "implement", agentType: "claude" }, ...session(taskId) },
  say(taskId, { type: "turn-start" }),
]);

function session(taskId: string) {
  return { sessionId: `s-${taskId}`, at: Date.now(), isResumed: false } as const;
}

const runs = new FakeRuns({ details: { ...RUN, steps: RALPH_STEPS }, events: [runStart(Date.now()), ...started] });
const ui = new UiStore();
ui.show({ type: "run", runId: RUN.id });
const services = fakeServices({ host: { runs }, ui, now: Date.now });
// Written to a terminal that forgets it: by default, all that was ever drawn is kept in memory.
const { renderer, renderOnce } = await createTestRenderer({ width: 120, height: 40, bufferedOutput: "stdout" });
const root = createRoot(renderer);
flushSync(() =>
  root.render(
    <UiContext.Provider value={services}>
      <ThemeContext.Provider value={darkTheme}>
        <KeyDispatcher>
          <RunView runId={RUN.id} />
        </KeyDispatcher>
      </ThemeContext.Provider>
    </UiContext.Provider>,
  ),
);
await renderOnce();
const firstFrameMs = performance.now();
let step = 0;
const measured = await streamTokens(createTokens(Number(tokenCount)), async (text) => {
  // Each agent in turn writes what is new, and calls a tool every twentieth time.
  const taskId = taskIds[step % taskIds.length] ?? "";
  const call = { toolId: `t${step}`, toolName: "Bash" };
  const isCall = step % 20 === 0;
  const start = { type: "tool-start", ...call, kind: "shell", input: { command: `npm test -- step-${step}` } };
  runs.emit(
    say(taskId, { type: "text-delta", text }),
    ...(isCall ? [say(taskId, start), say(taskId, { type: "tool-end", ...call, isError: false, output: "ok" })] : []),
  );
  step++;
  // The run is followed by an iterator, which reads the events in later tasks.
  await new Promise((resolve) => setImmediate(resolve));
  flushSync(() => undefined);
  await renderOnce();
});
process.stdout.write(JSON.stringify({ firstFrameMs, ...measured }));
renderer.destroy();
process.exit(0);
