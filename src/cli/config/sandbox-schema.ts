import { z } from "zod";
import { resolveSandbox } from "../../clients/index.ts";
import { isRecord, type SandboxConfig, SandboxInvalidError } from "../../contracts/index.ts";

const WHOLE = "Write true, false, or an object with readRoots, writeRoots, denyRead or network.";

/** What of the setting can be judged wherever it is used: which fields and values there are. */
export const sandboxSchema = z.unknown().transform((value, context): boolean | SandboxConfig => {
  if (typeof value === "boolean") return value;
  if (!isRecord(value)) {
    context.addIssue({ code: "custom", message: `it is ${JSON.stringify(value)}. ${WHOLE}` });
    return z.NEVER;
  }
  try {
    // The cast is true for what is resolved without an error.
    const config = value as SandboxConfig;
    // Whose home it is makes no difference to what is possible.
    resolveSandbox(config, { home: "/home/user" });
    return config;
  } catch (error) {
    if (!(error instanceof SandboxInvalidError)) throw error;
    context.addIssue({ code: "custom", message: error.problem, path: [error.field.replace(/^sandbox\.?/, "")] });
    return z.NEVER;
  }
});
