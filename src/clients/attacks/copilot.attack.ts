import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";
import { describeInstructionAttacks } from "./fixtures/describe-instruction-attacks.ts";

const searchPath = process.env.PATH ?? "";

describeAttacks(ATTACK_AGENTS.copilot, searchPath);
describeInstructionAttacks(ATTACK_AGENTS.copilot, { searchPath, isTrusted: false });
describeInstructionAttacks(ATTACK_AGENTS.copilot, { searchPath, isTrusted: true });
