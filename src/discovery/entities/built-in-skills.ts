import type { UnifiedEntity } from "./entity.ts";

const COMMIT = `Commit the changes in this repository.

1. Look at the status, the differences and the last ten commit messages.
2. If the changes contain several ideas, commit each on its own. Stage files by name. Never stage secrets, build results
   or files that belong to other work.
3. Write each message in the style of the earlier ones; if there is none: an imperative subject of at most 72 characters,
   an empty line, and the reason for the change.
4. If a hook fails, correct what it found and commit again. Do not skip hooks, do not push, and do not amend a commit
   unless you are asked to.

Instructions for this commit, if any: $ARGUMENTS`;

const EXPLAIN_CODE = `Explain this code to an engineer who is new to the project: $ARGUMENTS

Read it together with its callers, its tests and the types that it uses. Then explain
- what it is for, in two sentences;
- how it works, in the order in which data flows through it, with file and line for each important step;
- what it relies on and what it guarantees: inputs, errors, side effects, concurrency;
- what is surprising about it, and why it probably is that way.

Distinguish between what the code shows and what you conclude. Change nothing.`;

const RESEARCH_CODEBASE = `Answer this question about the codebase: $ARGUMENTS

1. Split the question into parts that can be answered by reading code.
2. For each part, search broadly first, then read the files that matter completely. Follow the calls. Prefer code and
   tests to comments and documents, and note where they contradict each other.
3. Write the answer first, then the evidence: a path with a line for every claim, how the parts work together, and the
   patterns that the codebase already has for this.
4. List what you could not find out, and where one would have to look.

Describe what is, not what should be. Change nothing.`;

const CREATE_SPEC = `Write a specification for: $ARGUMENTS

If that is the path of a file, read it first. Read the code that is affected before you decide anything. Then write
- Problem: who is affected, and how it shows today.
- Goals and non-goals, each of which can be checked.
- Design: behaviour seen from outside first (commands, interfaces, data, errors), then the parts inside and the files
  that change. Give an example for each important case.
- Alternatives that you rejected, with the reason.
- Risks: compatibility, migration, security, performance.
- Test plan: which test shows each goal.
- Open questions, each with the answer you propose.

Be concrete enough that two engineers would build the same. Save it where the project keeps such documents, otherwise in
\`specs/\`, and report the path.`;

const CREATE_FEATURE_LIST = `Turn a specification into a list of tasks that Atomic can work through: $ARGUMENTS

If that is the path of a file, read it. Read the code that it concerns, and leave out what is already done.

1. Cut the work into tasks. Each fits into one session of an agent, leaves the project working, and has a result that can
   be checked. Make none for planning or for summaries. A small change is one task.
2. Describe each task for an agent that knows nothing else: what to do, where, what not to touch, and the command or
   observation that shows that it is done.
3. Name in \`dependencies\` the tasks that must be done first. There are no cycles.
4. Check that every requirement of the specification belongs to a task.

Write the list to \`research/tasks.json\`, or to the path that you are given. If the file exists, keep its tasks with their
ids and statuses, and add what is missing. It is JSON of exactly this form:

\`\`\`json
{
  "version": "1.0",
  "tasks": [
    {
      "id": "1",
      "name": "Parse the date range",
      "description": "Add parseRange() to src/report/range.ts. Done when npm test -- src/report/range.test.ts passes.",
      "status": "pending",
      "priority": 1,
      "dependencies": [],
      "metadata": { "requirement": "Reports can be limited to a range of dates" }
    },
    {
      "id": "2",
      "name": "Filter the report by the range",
      "description": "Call parseRange() in src/report/report.ts. Done when report --from 2024-01-01 omits older rows.",
      "status": "pending",
      "priority": 2,
      "dependencies": ["1"]
    }
  ],
  "metadata": {
    "createdAt": "2024-05-01T09:30:00.000Z",
    "updatedAt": "2024-05-01T09:30:00.000Z",
    "source": "spec"
  }
}
\`\`\`

- \`id\` is a text that no other task has. \`dependencies\` has ids of this list only.
- \`status\` is \`pending\` for a new task. The others are \`in_progress\`, \`passing\`, \`failing\` and \`skipped\`.
- \`priority\` is a number: of the tasks that can start, the one with the lowest is first. \`metadata\` of a task may be absent.
- \`createdAt\` and \`updatedAt\` are the current time; \`createdAt\` stays as it is when you update a list.

Parse the file after you have written it. Report its path, the tasks in the order of work, and what you left out on purpose.`;

const IMPLEMENT_FEATURE = `Implement one task of a task list completely. The list is \`research/tasks.json\` unless another path is given.
The task, by its id or name, if one is chosen: $ARGUMENTS

1. Read the list. If no task is chosen, take, of the \`pending\` tasks whose \`dependencies\` are all \`passing\`, the one with
   the lowest \`priority\`. If none can start, report why and stop: a task that is \`in_progress\` may be somebody else's.
2. Set its \`status\` to \`in_progress\`. Read the file again before each change of it, and change only this task.
3. Read the specification, the code that the task concerns, and the latest commits. Run the tests, to know what fails
   before your change.
4. Make the change and its tests in the style of the surroundings. Do no work of other tasks.
5. Run the tests, the checks of the project, and the check in the task's description. Correct what they find.
6. Set the \`status\` to \`passing\` only if that check succeeded. Otherwise set \`failing\`, with the reason as \`reason\` in the
   task's \`metadata\`. Never reword or remove a task to finish it.

If you find other work that is needed, add it as a \`pending\` task with an id of its own. Do not commit or push unless you
are asked to. Report the task and its status, what you changed, the commands you ran with their results, and the task that
can start next.`;

const CREATE_GH_PR = `Open a pull request for the current branch with the GitHub CLI, \`gh\`.

1. Check that the branch is not the default branch, that everything is committed, and that the tests of the change pass.
   If not, stop and report it.
2. Read all commits and the whole difference to the default branch.
3. Push the branch without force.
4. Write the title and the text: what changes for users, why, how it was tested, and what reviewers should look at. Use
   the template of the repository if it has one. Link the issues that it closes.
5. Create the pull request and report its address.

Title or instructions, if any: $ARGUMENTS`;

/** The skills that come with Atomic. */
export const BUILT_IN_SKILLS: readonly UnifiedEntity[] = [
  skill(
    { name: "commit", description: "Commit the changes with a good message", argumentHint: "[instructions]" },
    COMMIT,
  ),
  skill(
    {
      name: "create-feature-list",
      description: "Turn a specification into a list of tasks, tasks.json",
      argumentHint: "<spec-path>",
    },
    CREATE_FEATURE_LIST,
  ),
  skill(
    {
      name: "create-gh-pr",
      description: "Open a pull request on GitHub for the current branch",
      argumentHint: "[title-or-instructions]",
    },
    CREATE_GH_PR,
  ),
  skill(
    {
      name: "create-spec",
      description: "Write a specification from an idea or a research document",
      argumentHint: "<idea-or-path>",
    },
    CREATE_SPEC,
  ),
  skill(
    {
      name: "explain-code",
      description: "Explain a file or a function with its surroundings",
      argumentHint: "<path> [function]",
    },
    EXPLAIN_CODE,
  ),
  skill(
    {
      name: "implement-feature",
      description: "Implement one task of tasks.json, with tests",
      argumentHint: "[task-id]",
    },
    IMPLEMENT_FEATURE,
  ),
  skill(
    {
      name: "research-codebase",
      description: "Answer a question about the codebase with evidence",
      argumentHint: "<question-or-topic>",
    },
    RESEARCH_CODEBASE,
  ),
];

type SkillFacts = Required<Pick<UnifiedEntity, "name" | "description" | "argumentHint">>;

function skill(facts: SkillFacts, prompt: string): UnifiedEntity {
  return { type: "skill", ...facts, prompt, fields: {}, source: { provider: "atomic", location: "builtin" } };
}
