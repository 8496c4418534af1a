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
