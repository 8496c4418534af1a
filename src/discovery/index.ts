export { FileUnusableError, readBoundedFile } from "../system/index.ts";
export { type DiscoveredWorkflow, WorkflowCreateError } from "./create-workflow.ts";
export {
  checkFile,
  discoverToolFiles,
  discoverWorkflowFiles,
  isWorkflowFileName,
  type WorkflowFile,
  type WorkflowFiles,
} from "./discover-workflow-files.ts";
export {
  type DiscoverEntitiesOptions,
  type DiscoveredEntities,
  discoverEntities,
} from "./entities/discover-entities.ts";
export {
  type AgentModel,
  ENTITY_TYPES,
  type EntityLocation,
  type EntitySource,
  type EntityType,
  PROVIDERS,
  type ProviderType,
  type UnifiedEntity,
} from "./entities/entity.ts";
export {
  createEntityRegistry,
  type EntityProblem,
  EntityRegistry,
  type RegisteredEntity,
  type RegisterProviderOptions,
} from "./entities/entity-registry.ts";
export { type ExpandPromptOptions, expandPrompt } from "./entities/expand-prompt.ts";
export {
  BUILT_IN_ENTITIES,
  type InitializeWorkflowsOptions,
  initializeWorkflowsSDK,
} from "./entities/initialize-workflows-sdk.ts";
export type { PromptFile } from "./entities/read-prompt-files.ts";
export { shortenCommand } from "./entities/shell-place.ts";
export { joinArguments } from "./entities/split-arguments.ts";
export { toolListOf } from "./entities/tool-list-of.ts";
export { describeUnknownAgent } from "./entities/unknown-agent.ts";
export {
  type EntityWatcher,
  type WatchEntitiesOptions,
  type WatchFolder,
  watchEntities,
} from "./entities/watch-entities.ts";
export { type FindNestedSettingsOptions, findNestedSettings } from "./find-nested-settings.ts";
export { findProject, findProjectOfFile } from "./find-project.ts";
export {
  type FindProjectSettingsOptions,
  type FoundProjectSetting,
  findProjectSettings,
  gitFoldersOf,
} from "./find-project-settings.ts";
export { type FindWorkflowFileOptions, type FoundWorkflowFile, findWorkflowFile } from "./find-workflow-file.ts";
export { type FoundHooks, type HookFolders, readHookFiles } from "./hooks/read-hook-files.ts";
export { type LoadedFile, type LoadWorkflowOptions, loadWorkflow } from "./load-workflow.ts";
export {
  type FileResult,
  type LoadedWorkflows,
  type LoadWorkflowsOptions,
  loadWorkflows,
} from "./load-workflows.ts";
export { locateInFile } from "./locate-in-file.ts";
export { type MapInParallelOptions, mapInParallel } from "./map-in-parallel.ts";
export {
  type CheckCache,
  type CheckCacheOptions,
  type CheckWorkflow,
  createCheckCache,
  type ListedWorkflow,
} from "./metadata/check-cache.ts";
export {
  type ClaudeScript,
  type ClaudeScripts,
  type DiscoverClaudeScriptsOptions,
  discoverClaudeScripts,
  isClaudeScript,
  type ParsedClaudeScript,
  type PlacedName,
  type PlacedSettings,
  readClaudeScript,
  type ScriptBody,
} from "./metadata/claude-scripts.ts";
export {
  type CachedFact,
  type ContentCache,
  type ContentCacheOptions,
  createContentCache,
} from "./metadata/content-cache.ts";
export type { OutlinedAgent, ScriptOutline } from "./metadata/outline-script.ts";
export { readWorkflowHeader, type WorkflowHeader } from "./metadata/read-workflow-header.ts";
export { readWrittenScript, type WrittenScript } from "./metadata/read-written-script.ts";
export {
  type CheckedInputs,
  type InputProblem,
  parseWorkflowInputs,
  type WorkflowInputs,
} from "./parse-workflow-inputs.ts";
export { fileNameOf, isWorkflowName, type MigrateState } from "./parse-workflow-module.ts";
export { realPathOf } from "./real-path.ts";
export { registerSdkModules, type SdkExports, type SdkModules } from "./register-sdk-modules.ts";
export { type NamedEntry, type OverriddenEntry, resolveNameClashes } from "./resolve-name-clashes.ts";
export type { SourcePosition } from "./source-text.ts";
export {
  type CheckedToolFile,
  type CheckedTools,
  type CheckToolsOptions,
  checkToolFile,
  checkTools,
  MAX_PARALLEL_CHECKS,
} from "./tools/check-tools.ts";
export {
  type BoundOutput,
  ToolArgumentsError,
  ToolResultError,
  ToolTimeoutError,
  type ToolTimeoutFacts,
} from "./tools/create-tool.ts";
export type { NamedTool } from "./tools/load-tools.ts";
export type { CheckValue, CompileSchema } from "./tools/tool-arguments.ts";
export { type FoundTool, type LoadedTools, ToolFiles, type ToolFilesOptions } from "./tools/tool-files.ts";
export { ToolRegistry, type ToolRegistryOptions, UnknownToolError } from "./tools/tool-registry.ts";
export {
  createTrustStore,
  ProjectTooWideError,
  remedyForUnsaved,
  type TrustedProject,
  TrustNotSavedError,
  type TrustStore,
  type TrustStoreOptions,
} from "./trust-store.ts";
export { reasonOf } from "./unreadable-file.ts";
export {
  ALWAYS_LOADED_OWNERS,
  PROJECT_SETTINGS,
  type ProjectSetting,
  type ProjectSettingsOwner,
} from "./vendor-project-settings.ts";
export {
  type WatchWorkflowFilesOptions,
  type WorkflowFileWatch,
  watchWorkflowFiles,
} from "./watch-workflow-files.ts";
export {
  type AtomicFolders,
  type WorkflowFileSource,
  type WorkflowSearchPath,
  workflowSearchPaths,
} from "./workflow-search-paths.ts";
