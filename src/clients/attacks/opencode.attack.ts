import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";
import { describePatchAttacks } from "./fixtures/describe-patch-attacks.ts";
import { describeToolAttacks } from "./fixtures/describe-tool-attacks.ts";

const searchPath = process.env.PATH ?? "";

describeAttacks(ATTACK_AGENTS.opencode, searchPath);
describeToolAttacks(ATTACK_AGENTS.opencode, searchPath);
describePatchAttacks(ATTACK_AGENTS.opencode, {
  searchPath,
  patch: (patchText) => ({ name: "apply_patch", input: { patchText } }),
});
