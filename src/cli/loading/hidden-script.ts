import type { DiscoveryProblem } from "../../contracts/index.ts";

/** What has the name of a script. */
interface Hiding {
  /** The workflow that the name means. */
  readonly name: string;
  readonly aliases: readonly string[];
}

/** A script that its name does not start, because the name means one of the workflows. Undefined if it starts it. */
export function hiddenScript(
  { name, path }: { readonly name: string; readonly path: string },
  workflows: readonly Hiding[],
): DiscoveryProblem | undefined {
  const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  const hiding = workflows.find((workflow) => [workflow.name, ...workflow.aliases].some(isSame));
  if (hiding === undefined) return;
  const what = isSame(hiding.name) ? "the name of a workflow" : `an alias of the workflow "${hiding.name}"`;
  return {
    path,
    message: `The script is not started by its name: "${name}" is ${what}.`,
    remedy: "Run the script by its path, or name it otherwise.",
    severity: "warning",
  };
}
