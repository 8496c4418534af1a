// The third face of this room: what a program checks before it opens an agent, without the agents, whose packages take a
// while to load.
export { adviseOnRule, type RuleAdvice } from "./policy/rules/advise-on-rule.ts";
export { runGit } from "./process/run-git.ts";
export { checkSandbox } from "./sandbox/check-sandbox.ts";
export { resolveSandbox } from "./sandbox/resolve-sandbox.ts";
