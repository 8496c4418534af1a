import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";
import { describeToolAttacks } from "./fixtures/describe-tool-attacks.ts";

const searchPath = process.env.PATH ?? "";

describeAttacks(ATTACK_AGENTS.acpOpencode, searchPath);
describeToolAttacks(ATTACK_AGENTS.acpOpencode, searchPath);
