import { afterAll, expect, test } from "bun:test";
import { SessionConfigInvalidError } from "../../../contracts/index.ts";
import { say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { startClaudeBench } from "./fixtures/claude-bench.ts";

const bench = await startClaudeBench(process.env.PATH ?? "");
const { models, script } = bench;
const client = bench.createClient({});
afterAll(() => bench.stop());

/** Which of these texts are in the last request to the model. */
function heard(...texts: readonly string[]): readonly string[] {
  const body = JSON.stringify(models.requests.at(-1)?.body);
  return texts.filter((text) => body.includes(text));
}

test("a copy of what was said before a message can be continued and compacted, and the original stays whole", async () => {
  const startedAt = Date.now();
  const session = await client.createSession();
  script(say("First answer."));
  await session.send("Question one.");
  const before = Date.now();
  script(say("Second answer."));
  await session.send("Question two.");
  const copy = await client.forkSession(session.id, { forkBefore: before });
  script(say("Third answer."));
  await copy.send("Question three.");
  const all = ["Question one.", "First answer.", "Question two.", "Second answer.", "Question three."];
  expect(heard(...all)).toEqual(["Question one.", "First answer.", "Question three."]);
  script(say("The summary of all that."));
  await copy.summarize();
  script(say("Fourth answer."));
  await session.send("Question four.");
  expect(heard(...all, "Question four.")).toEqual([...all.slice(0, 4), "Question four."]);
  const error = await rejectionOf(client.forkSession(session.id, { forkBefore: startedAt }));
  expect(error).toBeInstanceOf(SessionConfigInvalidError);
  expect(String(error)).toContain(`Nothing was said before ${new Date(startedAt).toISOString()}.`);
});

test("the time is for a copy only", async () => {
  const error = await rejectionOf(client.createSession({ forkBefore: 1 }));
  expect(String(error)).toContain("forkBefore: It is for a copy. Open one with forkSession(), or leave it out.");
});
