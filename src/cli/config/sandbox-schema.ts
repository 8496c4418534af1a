import { z } from "zod";
import { resolveSandbox } from "../../clients/setup-kit.ts";
import { isRecord, type SandboxConfig, SandboxInvalidError } from "../../contracts/index.ts";

const WHOLE = "Write true, false, or an object with readRoots, writeRoots, denyRead or network.";

/** Checks the fields and values of the setting, which do not depend on where it is used. */
export const sandboxSchema = z.unknown().transform((value, context): boolean | SandboxConfig => {
  if (typeof value === "boolean") return value;
  if (!isRecord(value)) {
    context.addIssue({ code: "custom", message: `it is ${JSON.stringify(value)}. ${WHOLE}` });
    return z.NEVER;
  }
  try {
    // The cast is true when resolveSandbox accepts it.
    const config = value as SandboxConfig;
    // Any home will do: the check does not depend on it.
    resolveSandbox(config, { home: "/home/user" });
    return config;
  } catch (error) {
    if (!(error instanceof SandboxInvalidError)) throw error;
    context.addIssue({ code: "custom", message: error.problem, path: [error.field.replace(/^sandbox\.?/, "")] });
    return z.NEVER;
  }
});
