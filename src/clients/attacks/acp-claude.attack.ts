import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";
import { describeInstructionAttacks } from "./fixtures/describe-instruction-attacks.ts";
import { describeMessageAttacks } from "./fixtures/describe-message-attacks.ts";
import { describeToolAttacks } from "./fixtures/describe-tool-attacks.ts";

const searchPath = process.env.PATH ?? "";

describeAttacks(ATTACK_AGENTS.acpClaude, searchPath);
describeInstructionAttacks(ATTACK_AGENTS.acpClaude, { searchPath, isTrusted: false });
describeInstructionAttacks(ATTACK_AGENTS.acpClaude, { searchPath, isTrusted: true });
describeMessageAttacks(ATTACK_AGENTS.acpClaude, searchPath);
describeToolAttacks(ATTACK_AGENTS.acpClaude, searchPath);
