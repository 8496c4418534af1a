import type { UiSettings } from "./ui-settings.ts";

/** The user's settings of the chat with those of a trusted project, key by key. */
export function mergeUiSettings(user: UiSettings | undefined, project: UiSettings | undefined): UiSettings | undefined {
  if (user === undefined || project === undefined) return user ?? project;
  const mouse = { ...user.mouse, ...project.mouse };
  const keys = { ...user.keys, ...project.keys };
  const themes = [...(user.themes ?? []), ...(project.themes ?? [])];
  return {
    ...user,
    ...project,
    ...(Object.keys(mouse).length === 0 ? {} : { mouse }),
    ...(Object.keys(keys).length === 0 ? {} : { keys }),
    ...(themes.length === 0 ? {} : { themes }),
  };
}
