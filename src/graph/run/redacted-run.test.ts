import { expect, test } from "bun:test";
import { createRedactor, type RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers } from "../state/annotation.ts";

const SECRET = "zq8-Wm4Kt2Vx9LbN";
const HIDDEN = "[redacted:KEY]";
const services = { redactor: createRedactor({ secrets: [{ name: "KEY", value: SECRET }] }) };

const State = defineState({
  seen: annotation<unknown[]>([], Reducers.concat),
  constant: annotation(`constant ${SECRET}`),
  made: annotation(() => `made ${SECRET}`),
  answer: annotation(""),
});

/** Each way in which a value enters a run. The node `wait` fails once, as if the process had died there. */
function createLeakyGraph({ isBroken }: { isBroken: boolean }) {
  return graph(State)
    .start({
      id: "step",
      type: "tool",
      execute: async (ctx) => ({ stateUpdate: { seen: [await ctx.step("token", () => ({ token: SECRET }))] } }),
    })
    .map(() => [`item ${SECRET}`], {
      id: "each",
      type: "tool",
      execute: (ctx) => ({ stateUpdate: { seen: [ctx.item, ctx.state.constant, ctx.state.made] } }),
    })
    .then({
      id: "break",
      type: "tool",
      execute: () => {
        throw new Error(`denied: ${SECRET}`);
      },
    })
    .catch({ id: "handle", type: "tool", execute: (ctx) => ({ stateUpdate: { seen: [ctx.error?.message] } }) })
    .then({
      id: "crash",
      type: "tool",
      execute: () => {
        if (isBroken) throw new Error(`gone: ${SECRET}`);
        return {};
      },
    })
    .then(
      askUserNode({
        id: "ask",
        options: { question: `Is it ${SECRET}?` },
        outputMapper: (answer) => ({ answer: String(answer) }),
      }),
    )
    .end()
    .compile({ output: (state) => ({ last: state.answer, own: SECRET }) });
}

async function play(crashes: boolean) {
  const checkpointer = new MemorySaver();
  const events: RunEvent[] = [];
  const options = {
    runId: "r",
    checkpointer,
    services,
    now: () => 5,
    onEvent: (event: RunEvent) => void events.push(event),
  };
  const first = await createLeakyGraph({ isBroken: crashes }).run({}, options);
  const whole = createLeakyGraph({ isBroken: false });
  const waiting = crashes ? await whole.resume("r", {}, options) : first;
  expect(waiting.requests.map(({ question }) => question)).toEqual([`Is it ${HIDDEN}?`]);
  const end = await whole.resume("r", { ask: `Yes, ${SECRET}` }, options);
  const journal = (await checkpointer.read("r")).map(({ body }) => body).join("\n");
  const restored = await whole.latestState("r", { checkpointer, services });
  return { first, end, journal, events, restored };
}

test("a secret enters neither the state nor the journal nor the events, and a resumed run has the state of an unbroken one", async () => {
  const whole = await play(false);
  const crashed = await play(true);
  expect(whole.end.state).toMatchObject({
    seen: [{ token: HIDDEN }, `item ${HIDDEN}`, `constant ${HIDDEN}`, `made ${HIDDEN}`, `denied: ${HIDDEN}`],
    constant: `constant ${HIDDEN}`,
    made: `made ${HIDDEN}`,
    answer: `Yes, ${HIDDEN}`,
  });
  expect([crashed.end.state, crashed.restored, whole.restored]).toEqual([
    whole.end.state,
    whole.end.state,
    whole.end.state,
  ]);
  expect(whole.end.output).toEqual({ last: `Yes, ${HIDDEN}`, own: HIDDEN });
  expect(crashed.first.errorInfo?.message).toBe(`gone: ${HIDDEN}`);
  for (const { journal, events } of [whole, crashed]) {
    expect(journal).not.toContain(SECRET);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  }
});

test("edits and forks are redacted, and names of fields stay", async () => {
  const options = { checkpointer: new MemorySaver(), services };
  const compiled = createLeakyGraph({ isBroken: false });
  await compiled.run({}, { ...options, runId: "r" });
  const edited = await compiled.edit("r", { set: { answer: `edit ${SECRET}` } }, options);
  expect(edited.answer).toBe(`edit ${HIDDEN}`);
  const at = (await compiled.history("r", options)).at(-1)?.sequence ?? 0;
  await compiled.fork("r", { at, update: { answer: `fork ${SECRET}` } }, { ...options, runId: "f" });
  const entries = [...(await options.checkpointer.read("r")), ...(await options.checkpointer.read("f"))];
  expect(entries.some(({ body }) => body.includes(`fork ${HIDDEN}`))).toBe(true);
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});
