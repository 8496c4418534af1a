/** The text of a new tool file: a small tool that works at once, with comments about what to change. */
export function starterTool(name: string): string {
  return `// Call it: atomic tools run ${name} --args '{"text": "one two"}'
// Agents can call it as a tool, and workflows with customToolNode({ toolName: "${name}" }).
import { tool } from "@bastani/atomic/plugin";

export default tool({
  // Agents read this to know when to call the tool.
  description: "Counts the lines, words and characters of a text.",
  args: {
    text: tool.schema.string().describe("The text to count"),
    unique: tool.schema.boolean().default(false).describe("Whether to count each word once"),
  },
  // What it returns is what the agent receives; an error that it throws is, too.
  async execute({ text, unique }) {
    const words = text.split(/\\s+/).filter((word) => word !== "");
    const count = unique ? new Set(words).size : words.length;
    return \`lines: \${text.split("\\n").length}, words: \${count}, characters: \${text.length}\`;
  },
});
`;
}
