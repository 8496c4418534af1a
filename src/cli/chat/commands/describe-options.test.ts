import { expect, test } from "bun:test";
import { createWorkflowRegistry } from "../../../workflows/run-kit.ts";
import { workflowCommands } from "./workflow-commands.ts";

function help(command: string): string | undefined {
  const metadata = { name: "mw", description: "", aliases: [], source: "local" } as const;
  const workflows = [...createWorkflowRegistry([]).workflows, { metadata }];
  const found = workflowCommands(workflows, () => Promise.reject(new Error("no run"))).find(
    ({ name }) => name === command,
  );
  return found?.start.type === "run" ? found.start.check?.("--help") : undefined;
}

test("/ralph --help shows its inputs and options", () => {
  expect(help("ralph")?.split("\n")).toMatchInlineSnapshot(`
    [
      "/ralph <prompt-or-spec-path> [--verify COMMAND]: Plan a piece of work, implement it task by task, and verify the result",
      "  PROMPT                             What is wanted, or the path of a file that says it",
      "  --verify VALUE                     The command that must succeed before a task, and the work, is done (text)",
      "  --workers VALUE                    How many tasks at once; 0 chooses (whole number, default 0)",
      "  --setup VALUE                      The command that prepares each worktree (text)",
      "  --review, --no-review              Whether the changes are reviewed (default true)",
      "  --pull-request, --no-pull-request  Whether a pull request is opened, where there is a remote and gh (default false)",
      "  --input NAME=VALUE                 sets an input by name",
      "  --alongside                        starts it also while another run works in the same working tree",
      "  --help                             shows this, and starts no run",
      "  -- PROMPT                          a prompt with words that look like options",
    ]
  `);
});

test("the help of a workflow that declares no inputs names the call that lists them", () => {
  expect(help("mw")?.split("\n")).toMatchInlineSnapshot(`
    [
      "/mw [prompt]",
      "  --input NAME=VALUE  sets an input; see in a shell: atomic run mw --help",
      "  --alongside         starts it also while another run works in the same working tree",
      "  --help              shows this, and starts no run",
      "  -- PROMPT           a prompt with words that look like options",
    ]
  `);
});
