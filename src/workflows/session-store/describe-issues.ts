import type { z } from "zod";

/** The problems zod found, a line each, each with the place in the value: `tasks[2].status: …`. */
export function describeIssues(error: z.ZodError): readonly string[] {
  return error.issues.map((issue) => {
    const place = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
    const message = issue.message.replace(/^Invalid (?:input|option): /, "");
    return place === "" ? message : `${place.replace(/^\./, "")}: ${message}`;
  });
}
