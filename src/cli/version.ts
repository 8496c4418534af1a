import packageJson from "../../package.json" with { type: "json" };

/** The version of this Atomic. */
export const VERSION: string = packageJson.version;
