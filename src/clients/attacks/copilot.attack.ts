import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";
import { describeInstructionAttacks } from "./fixtures/describe-instruction-attacks.ts";
import { describePatchAttacks } from "./fixtures/describe-patch-attacks.ts";

const searchPath = process.env.PATH ?? "";

describeAttacks(ATTACK_AGENTS.copilot, searchPath);
describeInstructionAttacks(ATTACK_AGENTS.copilot, { searchPath, isTrusted: false });
describeInstructionAttacks(ATTACK_AGENTS.copilot, { searchPath, isTrusted: true });
describePatchAttacks(ATTACK_AGENTS.copilot, {
  searchPath,
  patch: (patchText) => ({ name: "apply_patch", input: patchText }),
});
