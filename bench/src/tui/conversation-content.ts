/** A message of the measured conversations. */
export interface SampleMessage {
  readonly id: string;
  readonly type: "user" | "text" | "tool";
  readonly text: string;
}

const PARAGRAPH =
  "The scheduler takes the **oldest** task whose dependencies are done, and starts a worker in its own `worktree`. " +
  "If the worker dies, its lease ends and the task returns to the queue, so that nothing is lost.\n\n";
const CODE =
  "```typescript\nexport function claim(database: Database, worker: string): Task | undefined {\n" +
  "  // One statement, so that no two workers claim the same row.\n" +
  "  const row = database.query(CLAIM).get(worker);\n  return row === null ? undefined : parseTask(row);\n}\n```\n\n";
const LIST = "1. add a column\n2. compare, then set\n3. cover it with a test\n\n";
const TABLE = "| step | time |\n|---|---|\n| build | 1.2 s |\n| test | 8.4 s |\n\n";

/** A conversation of so many messages: questions, answers with code and lists, calls of tools. */
export function createMessages(count: number): readonly SampleMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `m${index}`;
    switch (index % 4) {
      case 0:
        return { id, type: "user", text: `Repair step ${index} of the scheduler.` };
      case 1:
        return { id, type: "tool", text: `npm test -- step-${index}` };
      case 2:
        return { id, type: "text", text: `### Step ${index}\n\n${PARAGRAPH}${LIST}` };
      default:
        return { id, type: "text", text: `${PARAGRAPH}${index % 8 === 3 ? CODE : ""}` };
    }
  });
}

/** The tokens of an answer: words with the space after them. */
export function createTokens(count: number): readonly string[] {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(...((PARAGRAPH + CODE + LIST + PARAGRAPH + TABLE).match(/\S+\s*/g) ?? []));
  return tokens.slice(0, count);
}
