import { z } from "zod";
import { resolveSandbox } from "../../clients/setup-kit.ts";
import { isRecord, type SandboxConfig, SandboxInvalidError } from "../../contracts/index.ts";
import { setting } from "./setting-meta.ts";

/** A list of texts in the setting `sandbox`. */
function texts(description: string, about: { readonly defaultText: string; readonly example: readonly string[] }) {
  const meta = { description, defaultText: about.defaultText, example: [...about.example] };
  return z.array(z.string()).meta(setting(meta)).exactOptional();
}

/** The shape of the setting `sandbox`, for editors and documents. {@link sandboxSchema} checks its values, too. */
export const sandboxShape = z
  .union([
    z.boolean(),
    z.strictObject({
      readRoots: texts("Files and folders that agents may read, besides the project, their own and the system's.", {
        defaultText: "none",
        example: ["~/.cargo"],
      }),
      writeRoots: texts("Folders that agents may write to. An empty list makes the project read-only.", {
        defaultText: "the working directory",
        example: ["~/.cache/build"],
      }),
      denyRead: texts("Files and folders that stay hidden inside readable folders.", {
        defaultText: "none",
        example: ["~/project/secrets"],
      }),
      network: texts("Hosts that agents may reach, besides that of the model.", {
        defaultText: "none",
        example: ["example.com", "127.0.0.1:5432"],
      }),
    }),
  ])
  .meta(
    setting({
      description:
        "Runs all agents in a sandbox with these limits; true means the default ones. A project cannot remove or change yours.",
      default: false,
      example: true,
      flag: "--sandbox",
    }),
  );

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
