import type { ToolKind } from "../../../contracts/index.ts";

/** One of OpenCode's own tools. */
export interface OpenCodeTool {
  readonly kind: ToolKind;
  /** Changes and reveals nothing outside the conversation, so it needs no approval. @default false */
  readonly isQuiet?: true;
}

/** The version whose tools {@link OPENCODE_TOOLS} lists; tools of older versions are kept. */
export const OPENCODE_TOOLS_VERSION = "1.18.33";

/** The tool through which OpenCode takes a structured answer; no hook is called for it. */
export const STRUCTURED_OUTPUT_TOOL = "StructuredOutput";

/**
 * All of OpenCode's own tools, including those that only a switch or a certain model enables. A tool that is neither listed
 * nor from an MCP server is of the kind `other` and requires approval.
 */
export const OPENCODE_TOOLS: ReadonlyMap<string, OpenCodeTool> = new Map<string, OpenCodeTool>(
  Object.entries({
    read: { kind: "read" },
    glob: { kind: "read" },
    grep: { kind: "read" },
    list: { kind: "read" },
    lsp: { kind: "read" },
    skill: { kind: "read" },
    edit: { kind: "edit" },
    write: { kind: "edit" },
    multiedit: { kind: "edit" },
    patch: { kind: "edit" },
    apply_patch: { kind: "edit" },
    bash: { kind: "shell" },
    shell: { kind: "shell" },
    webfetch: { kind: "fetch" },
    websearch: { kind: "fetch" },
    codesearch: { kind: "fetch" },
    list_mcp_resources: { kind: "mcp" },
    list_mcp_resource_templates: { kind: "mcp" },
    read_mcp_resource: { kind: "mcp" },
    task: { kind: "agent" },
    /** Runs a program written by the model that calls other tools. */
    execute: { kind: "other" },
    batch: { kind: "other" },
    /** Ask the person for another mode, which has other permissions. */
    plan_enter: { kind: "other" },
    plan_exit: { kind: "other" },
    /** The answer to a call of a tool that does not exist. */
    invalid: { kind: "other", isQuiet: true },
    question: { kind: "other", isQuiet: true },
    todoread: { kind: "read", isQuiet: true },
    todowrite: { kind: "other", isQuiet: true },
    [STRUCTURED_OUTPUT_TOOL]: { kind: "other", isQuiet: true },
  } as const),
);
