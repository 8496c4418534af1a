import { describe, expect, test } from "bun:test";
import { type Attempt, KilledScript, randomFrom } from "./fixtures/killed-script.ts";
import { type Answers, makeSteps, perform, performAll, type RandomStep } from "./fixtures/random-script.ts";
import type { ScriptApi } from "./script-api.ts";
import type { ScriptFunction } from "./script-node.ts";
import { readScriptText } from "./script-text.ts";

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

/** Picks what begins with the earliest of these texts. */
function inOrder(...beginnings: readonly string[]): NonNullable<Attempt["pick"]> {
  const rank = (title: string): number => (beginnings.findIndex((text) => title.startsWith(text)) + 99) % 99;
  return (titles) =>
    titles.map(rank).reduce((best, _, index, ranks) => (Number(ranks[index]) < Number(ranks[best]) ? index : best), 0);
}

/** A script that performs the steps, as a text. */
function textOf(steps: readonly RandomStep[]): string {
  return `${performAll}
    ${perform}
    return await perform({ agent, parallel, pipeline, shell }, ${JSON.stringify(steps)});`;
}

const text = (body: string): ScriptFunction => readScriptText({ path: "/p/demo.js", text: body });

describe("a script that is killed", () => {
  const seeds = Array.from({ length: 24 }, (_, index) => index + 1);

  const scripts = [
    ...seeds.map((seed) => ({ title: `random script ${seed}`, seed, isText: false })),
    // Each attempt has a process.
    ...seeds.slice(0, 2).map((seed) => ({ title: `random script ${seed} as a text`, seed, isText: true })),
  ];

  test.each(scripts)(
    "at any moment, again and again, repeats nothing that has ended: $title",
    async ({ seed, isText }) => {
      const random = randomFrom(seed);
      const steps = makeSteps(random, 0);
      const attempt: Attempt = {
        run: isText ? text(textOf(steps)) : (api) => perform(api, steps),
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
    },
  );

  const RECORDS = `
    return await Promise.all(["A", "B"].map(async (item) => {
      await agent("Apply fix " + item);
      return await agent("Record for " + item + ": " + (await agent("Run the tests")));
    }));`;
  const records = async ({ agent }: ScriptApi) =>
    await Promise.all(
      ["A", "B"].map(async (item) => {
        await agent(`Apply fix ${item}`);
        return await agent(`Record for ${item}: ${await agent("Run the tests")}`);
      }),
    );

  test.each([
    { title: "a function", run: records, isCompacted: false },
    { title: "a text", run: text(RECORDS), isCompacted: false },
    { title: "a text whose journal was compacted", run: text(RECORDS), isCompacted: true },
  ])("has the right answer for each of the equal prompts of its own promises: $title", async ({ run, isCompacted }) => {
    const killed = new KilledScript();
    const attempt = { run, version: "1", pick: inOrder("Apply fix B", "Run the tests", "Record for B") };
    await killed.run(attempt);
    killed.killAfter("call", "Record for A: #5");
    const finished = ["Apply fix A", "Apply fix B", "Record for B: #2", "Run the tests", "Run the tests"];
    expect(killed.finished).toEqual(finished);
    if (isCompacted) await killed.compact(attempt);
    const answers = await killed.run(attempt);
    expect(expand(killed, answers)).toEqual(["Record for A: (Run the tests)", "Record for B: (Run the tests)"]);
    expect(answers).toEqual(["#7", "#3"]);
    expect(killed.finished).toEqual(isCompacted ? ["Record for A: #5"] : [...finished, "Record for A: #5"].toSorted());
  });

  test("while a branch waits for a place has no answer of another branch for it, however often it is killed", async () => {
    const attempt: Attempt = {
      run: async ({ agent, parallel, shell }) =>
        await parallel([
          async () => {
            await agent("analyse A");
            return await agent(`A acts on ${await agent("Vote")}`);
          },
          async () => {
            await agent("analyse B");
            return await agent(`B acts on ${await agent("Vote")}`);
          },
          ...["C", "D"].map((name) => async () => {
            await shell("wait");
            return await agent(`long ${name}`);
          }),
        ]),
      version: "1",
      pick: inOrder("analyse B", "Vote", "B acts", "wait", "analyse A", "long"),
    };
    const killed = new KilledScript();
    await killed.run(attempt);
    killed.killAfter("call", "long D");
    expect(killed.finished).toEqual(["B acts on #2", "Vote", "analyse A", "analyse B", "wait", "wait"]);
    const first = killed.length;
    for (let length = first; length < first + 8; length++) {
      killed.kill(length);
      const answers = await killed.run(attempt);
      expect(expand(killed, answers)).toEqual(["A acts on (Vote)", "B acts on (Vote)", "long C", "long D"]);
      expect(killed.finished.map((title) => title.replace(/#\d+/, "#"))).toEqual([
        ...["A acts on #", "B acts on #", "Vote", "Vote"],
        ...["analyse A", "analyse B", "long C", "long D", "wait", "wait"],
      ]);
    }
  });

  test("whose code waits for something else between its calls gets its answers all the same", async () => {
    const attempt: Attempt = {
      run: async ({ agent }) =>
        await Promise.all(
          ["A", "B"].map(async (item) => {
            const plan = await agent(`Plan ${item}`);
            for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
            return await agent(`Do ${item} as in ${plan}`);
          }),
        ),
      version: "1",
      pick: inOrder("Plan B", "Do B", "Plan A"),
    };
    const whole = new KilledScript();
    const answers = await whole.run(attempt);
    for (let length = 2; length < whole.length - 1; length++) {
      const killed = whole.fork();
      killed.kill(length);
      expect(expand(killed, await killed.run(attempt))).toEqual(expand(whole, answers));
      expect(killed.finished.length).toBe(4);
    }
  });

  test("after hundreds of calls is resumed in a moment", async () => {
    const attempt: Attempt = {
      run: async ({ agent, parallel }) => {
        await parallel(Array.from({ length: 300 }, () => async () => await agent("Vote")));
        return await agent("Count");
      },
      version: "1",
      maxConcurrency: 16,
    };
    const killed = new KilledScript();
    await killed.run(attempt);
    killed.killAfter("call", "Count");
    const count = killed.questions.size;
    await killed.run(attempt);
    expect(killed.questions.size - count).toBe(1);
  });
});

/** The steps with another agent in place of one of them. Branches are those of `parallel` and `pipeline`. */
function changeOne(steps: readonly RandomStep[], random: () => number): readonly RandomStep[] {
  const at = Math.floor(random() * steps.length);
  return steps.map((step, index) => {
    if (index !== at || step.type === "code") return step;
    if (!("branches" in step)) return { type: "agent", title: CHANGED };
    const which = Math.floor(random() * step.branches.length);
    return {
      ...step,
      branches: step.branches.map((branch, each) => (each === which ? changeOne(branch, random) : branch)),
    };
  });
}

function withoutPromises(steps: readonly RandomStep[]): readonly RandomStep[] {
  return steps.map((step) =>
    "branches" in step
      ? { type: step.type === "promises" ? "parallel" : step.type, branches: step.branches.map(withoutPromises) }
      : step,
  );
}

const CHANGED = "Something else";

/** All answers in the script's order, with whether they are those of the changed call or of what follows it. */
function listAnswers(steps: readonly RandomStep[], answers: Answers): readonly { answer: string; isAfter: boolean }[] {
  let isAfter = false;
  const rest = [...answers];
  return steps.flatMap((step) => {
    if (step.type === "code") return [];
    const answer = rest.shift() ?? "";
    if (typeof answer === "string" || !("branches" in step)) {
      isAfter ||= step.type === "agent" && step.title === CHANGED;
      return [{ answer: String(answer), isAfter }];
    }
    const inBranches = step.branches.flatMap((branch, index) => listAnswers(branch, answer[index] ?? []));
    const all = inBranches.map((each) => ({ ...each, isAfter: each.isAfter || isAfter }));
    isAfter ||= inBranches.some((each) => each.isAfter);
    return all;
  });
}

describe("a script that has changed and is killed", () => {
  const write =
    (what: string): ScriptFunction<unknown, unknown> =>
    async ({ agent, log }) => {
      await agent("Plan");
      await agent(`Write ${what}`);
      const report = await agent("Check");
      log("checked");
      return [report, await agent("Publish")];
    };
  const one: Attempt = { run: write("ONE"), version: "1" };
  const two: Attempt = { run: write("TWO"), version: "2" };
  const change = (title: string): string =>
    `The script has changed since it last ran. What it did before "${title}" is kept; that call and what follows it run now.`;

  const seeds = Array.from({ length: 30 }, (_, index) => index + 1);

  test.each(seeds)("keeps what precedes the change and runs what follows it: random script %i", async (seed) => {
    const random = randomFrom(seed);
    const before = withoutPromises(makeSteps(random, 0));
    const after = changeOne(before, random);
    const attemptAt = (steps: readonly RandomStep[], version: string): Attempt => ({
      run: (api) => perform(api, steps),
      version,
      pick: (titles) => Math.floor(random() * titles.length),
    });
    const whole = new KilledScript();
    const begun = await whole.run(attemptAt(before, "1"));
    // The last two records are the end of the script and of the run.
    for (let length = 2; length <= whole.length - 2; length += Math.ceil(whole.length / 6)) {
      const killed = whole.fork();
      killed.kill(length);
      // The casts are true: perform() returned them.
      let earlier = listAnswers(after, begun as Answers);
      for (const version of ["2", "2", "2", "1", "1"]) {
        const steps = version === "1" ? before : after;
        const wasChanged = killed.answers.some((answer) => killed.questions.get(answer)?.title === CHANGED);
        const kept = new Set(killed.answers);
        const count = killed.questions.size;
        const answers = (await killed.run(attemptAt(steps, version))) as Answers;
        assertActs(killed, answers);
        const now = listAnswers(after, answers);
        for (const [index, { answer, isAfter }] of now.entries()) {
          const old = earlier[index]?.answer ?? "";
          const isOfThisText = killed.questions.get(old)?.version === version;
          if (kept.has(old) && (!isAfter || isOfThisText)) expect(answer).toBe(old);
          if (isAfter && version === "2") expect(killed.questions.get(answer)?.version).toBe("2");
          // The old text is back. It may find what the other one did without a change, but nothing of its own past.
          if (isAfter && version === "1" && wasChanged && !isOfThisText) {
            const isPast = killed.questions.get(answer)?.version === "1" && Number(answer.slice(1)) <= count;
            expect(isPast).toBe(false);
          }
        }
        earlier = now;
        killed.kill(Math.max(length, killed.length - 2 - Math.floor(random() * (killed.length - length))));
      }
    }
  });

  test("while its changed call works runs what follows that call", async () => {
    const killed = new KilledScript();
    await killed.run(one);
    killed.killAfter("call", "Publish");
    await killed.run(two);
    expect([killed.warnings, killed.logs]).toEqual([[change("Write TWO")], ["checked"]]);
    killed.killAfter("call", "Write TWO");
    const [report, published] = (await killed.run(two)) as readonly string[];
    expect([report, published].map((answer) => killed.questions.get(answer ?? ""))).toEqual([
      { title: "Check", version: "2" },
      { title: "Publish", version: "2" },
    ]);
    expect(killed.finished).toEqual(["Check", "Check", "Plan", "Publish", "Write ONE", "Write TWO"]);
    expect([killed.warnings, killed.logs]).toEqual([[], ["checked"]]);
  });

  test("in a call that had not ended says so, once", async () => {
    const killed = new KilledScript();
    await killed.run(one);
    killed.killAfter("call", "Write ONE");
    await killed.run(two);
    expect([killed.warnings, killed.finished]).toEqual([
      [change("Write TWO")],
      ["Check", "Plan", "Publish", "Write TWO"],
    ]);
    killed.killAfter("call", "Write TWO");
    await killed.run(two);
    expect(killed.warnings).toEqual([]);
  });

  test("and gets its old text back, runs what the other text had replaced", async () => {
    const killed = new KilledScript();
    await killed.run(one);
    killed.killAfter("done", "Check");
    await killed.run(two);
    killed.killAfter("done", "Write TWO");
    for (let again = 0; again < 2; again++) {
      await killed.run(one);
      expect(killed.finished).toEqual(["Check", "Check", "Plan", "Publish", "Write ONE", "Write ONE", "Write TWO"]);
      killed.killAfter("call", "Publish");
    }
    const compacted = killed.fork();
    await compacted.compact(one);
    await compacted.run(one);
    expect(compacted.finished).toEqual(["Publish"]);
  });

  test("keeps what an earlier text did before the change, whichever text did it", async () => {
    const killed = new KilledScript();
    await killed.run(one);
    killed.killAfter("done", "Plan");
    const longer =
      (last: string): ScriptFunction<unknown, unknown> =>
      async ({ agent }) => [await agent("Plan"), await agent("Draft"), await agent(last)];
    await killed.run({ run: longer("TWO"), version: "2" });
    killed.killAfter("done", "Draft");
    await killed.run({ run: longer("ONE"), version: "1" });
    expect(killed.finished).toEqual(["Draft", "ONE", "Plan"]);
  });

  test("in the last call of a branch, runs what follows the branch", async () => {
    const run =
      (added: readonly string[]): ScriptFunction<unknown, unknown> =>
      async ({ agent, parallel }) => {
        await parallel([
          async () => {
            for (const title of ["b", ...added]) await agent(title);
          },
          async () => {
            await agent("beside");
          },
        ]);
        return await agent("c");
      };
    const killed = new KilledScript();
    await killed.run({ run: run([]), version: "1" });
    killed.killAfter("done", "c");
    await killed.run({ run: run(["e"]), version: "2" });
    killed.killAfter("call", "e");
    const answer = await killed.run({ run: run(["e"]), version: "2" });
    expect(killed.questions.get(String(answer))).toEqual({ title: "c", version: "2" });
    expect(killed.finished).toEqual(["b", "beside", "c", "c", "e"]);
  });
});
