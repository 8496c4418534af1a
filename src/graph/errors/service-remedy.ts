/** The functions that register a service in a workflow's file. Skills and commands can only be passed as services. */
const REGISTRIES: Readonly<Record<string, string>> = {
  agents: "getSubagentRegistry().register({ name, description, prompt })",
  tools: "getToolRegistry().register({ name, description, inputSchema, handler })",
};

/** How to provide a missing service, as a sentence without its full stop. */
export function serviceRemedy(service: string): string {
  const registry = REGISTRIES[service];
  if (registry !== undefined) return `Write ${registry} in the workflow's file, or pass it in the run's "services"`;
  const isNamed = service === "commands" || service === "skills";
  return `Pass it in the run's "services"${isNamed ? "" : ", or run the workflow with the atomic command"}`;
}
