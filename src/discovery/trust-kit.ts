// The second face of this room: where the project is and whether its files may be loaded, without what loads them. Commands
// that show something to a person first import it in place of `index.ts`, which takes a while to load.

export { FileUnusableError, readBoundedFile } from "../system/index.ts";
export { type FindNestedSettingsOptions, findNestedSettings } from "./find-nested-settings.ts";
export { findProject } from "./find-project.ts";
export { type FoundProjectSetting, findProjectSettings } from "./find-project-settings.ts";
export { realPathOf } from "./real-path.ts";
export { createTrustStore, ProjectTooWideError, type TrustStore } from "./trust-store.ts";
export { ALWAYS_LOADED_OWNERS, PROJECT_SETTINGS, type ProjectSettingsOwner } from "./vendor-project-settings.ts";
