import { join } from "node:path";
import { TurnSlots } from "../../clients/index.ts";
import { MachineSlots } from "../../system/index.ts";
import { type Config, loadConfigLayers } from "../config/config.ts";

/**
 * The variable that an agent passes to the commands it runs. The agents of an Atomic among them are inside the agent's turn, so
 * they do not wait for its end.
 */
export const INSIDE_VARIABLE = "ATOMIC_INSIDE_AGENT";

/** Settings of {@link createTurnSlots}. */
export interface TurnSlotsSources {
  readonly config: Config;
  readonly atomicHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The slots that all processes with the same Atomic folder share; undefined without `limits.maxAgentsOnMachine`. They read the
 * setting again for each turn. While it cannot be read, its last value applies.
 */
export function createTurnSlots({ config, atomicHome, env }: TurnSlotsSources): TurnSlots | undefined {
  let limit = config.limits?.maxAgentsOnMachine;
  if (limit === undefined) return undefined;
  const readLimit = async (): Promise<number | undefined> => {
    try {
      const { user } = await loadConfigLayers({ atomicHome, trustedProjectFolder: undefined });
      limit = user.limits?.maxAgentsOnMachine;
    } catch {
      // Somebody is editing the file. The next call reports what is wrong with it.
    }
    return limit;
  };
  const slots = new MachineSlots({ folder: join(atomicHome, "slots"), readLimit });
  return new TurnSlots({ slots, inside: env[INSIDE_VARIABLE] });
}
