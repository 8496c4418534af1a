import { ATTACK_AGENTS } from "./fixtures/attack-agents.ts";
import { describeAttacks } from "./fixtures/describe-attacks.ts";

describeAttacks(ATTACK_AGENTS.opencode, process.env.PATH ?? "");
