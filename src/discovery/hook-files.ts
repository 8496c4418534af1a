// The fourth face of this room: what reads users' files of hooks, for programs that run agents on Bun or Node.
export { type HookFilePlace, type ParsedHooks, parseClaudeHooks } from "./hooks/parse-claude-hooks.ts";
export { type CopilotHookPlace, parseCopilotHooks } from "./hooks/parse-copilot-hooks.ts";
export { type FoundHooks, type HookFolders, readHookFiles } from "./hooks/read-hook-files.ts";
