import { describe, expect, test } from "bun:test";
import { type Attempt, KilledScript, randomFrom } from "./fixtures/killed-script.ts";
import type { ScriptApi } from "./script-api.ts";

/** A part of a random script. */
type Step =
  | { readonly type: "agent" | "shell"; readonly title: string }
  /** An agent whose prompt contains the answer before it. */
  | { readonly type: "act" }
  | { readonly type: "parallel" | "promises" | "pipeline"; readonly branches: readonly (readonly Step[])[] }
  /** Code of the script that takes some microtasks. */
  | { readonly type: "code"; readonly ticks: number };

/** The answers of a branch, in its order. */
type Answers = readonly (string | readonly Answers[])[];

async function perform(api: ScriptApi, steps: readonly Step[]): Promise<Answers> {
  const answers: (string | readonly Answers[])[] = [];
  let last = "nothing";
  for (const step of steps) {
    switch (step.type) {
      case "code":
        for (let tick = 0; tick < step.ticks; tick++) await undefined;
        break;
      case "act":
      case "agent":
        last = String(await api.agent(step.type === "agent" ? step.title : `Act on ${last}`));
        answers.push(last);
        break;
      case "shell":
        last = (await api.shell(step.title)).stdout;
        answers.push(last);
        break;
      default:
        answers.push(await performAll(api, step));
    }
  }
  return answers;
}

async function performAll(
  api: ScriptApi,
  { type, branches }: Extract<Step, { readonly branches: unknown }>,
): Promise<readonly Answers[]> {
  if (type === "promises") return await Promise.all(branches.map((branch) => perform(api, branch)));
  const results: readonly (Answers | null)[] =
    type === "parallel"
      ? await api.parallel(branches.map((branch) => () => perform(api, branch)))
      : await api.pipeline(
          branches,
          (branch) => perform(api, branch.slice(0, 2)),
          async (before, branch) => [...before, ...(await perform(api, branch.slice(2)))],
        );
  return results.map((result) => result ?? ["failed"]);
}

function makeSteps(random: () => number, depth: number): readonly Step[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: 1 + below(depth === 0 ? 4 : 3) }, (): Step => {
    const choice = below(depth < 2 ? 9 : 6);
    if (choice < 2) return { type: "agent", title: ["Vote", "Run the tests"][below(2)] ?? "" };
    if (choice < 4) return { type: "act" };
    if (choice === 4) return { type: "shell", title: "make" };
    if (choice === 5) return { type: "code", ticks: below(30) };
    const type = (["parallel", "promises", "pipeline"] as const)[choice - 6] ?? "parallel";
    return { type, branches: Array.from({ length: 2 + below(2) }, () => makeSteps(random, depth + 1)) };
  });
}

/** Answers without their numbers: each is what was asked for it, down to the beginning. */
function expand(run: KilledScript, answers: unknown): unknown {
  const titleOf = (answer: string): string =>
    (run.questions.get(answer)?.title ?? answer).replace(/#\d+/g, (number) => `(${titleOf(number)})`);
  return JSON.parse(JSON.stringify(answers), (_, value) => (typeof value === "string" ? titleOf(value) : value));
}

/** Every act is about the answer that precedes it in its branch. */
function assertActs(run: KilledScript, answers: Answers): void {
  let last: string | undefined;
  for (const answer of answers) {
    if (typeof answer !== "string") {
      for (const branch of answer) assertActs(run, branch);
      continue;
    }
    const { title = "" } = run.questions.get(answer) ?? {};
    // The stages of a pipeline begin with nothing.
    if (title.startsWith("Act on #")) expect(title).toBe(`Act on ${last}`);
    last = answer;
  }
}

describe("a script that is killed", () => {
  const seeds = Array.from({ length: 24 }, (_, index) => index + 1);

  test.each(seeds)("at any moment, again and again, repeats nothing that has ended: random script %i", async (seed) => {
    const random = randomFrom(seed);
    const steps = makeSteps(random, 0);
    const attempt: Attempt = {
      run: (api) => perform(api, steps),
      version: "1",
      maxConcurrency: 1 + Math.floor(random() * 4),
      pick: (titles) => Math.floor(random() * titles.length),
    };
    const whole = new KilledScript();
    const expected = expand(whole, await whole.run(attempt));
    const stride = Math.max(1, Math.floor(whole.length / 12));
    for (let length = 1 + (seed % stride); length < whole.length; length += stride) {
      const run = whole.fork();
      run.kill(length);
      for (let again = 0; again < 3; again++) {
        const answers = await run.run(attempt);
        // The cast is true: perform() returned it.
        assertActs(run, answers as Answers);
        expect(expand(run, answers)).toEqual(expected);
        // Prompts have the numbers of answers, which differ.
        expect(run.finished.length).toBe(whole.finished.length);
        expect(new Set(run.keys).size).toBe(run.keys.length);
        run.kill(length + 1 + Math.floor(random() * (run.length - length - 1)));
      }
    }
  });
});
