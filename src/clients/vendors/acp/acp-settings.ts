import {
  AgentTurnError,
  isRecord,
  type ModelDisplayInfo,
  type ReasoningEffort,
  recordOf,
  recordsOf,
  stringOf,
} from "../../../contracts/index.ts";

/** A choice that an agent offers in a session. */
export interface AcpChoice {
  readonly value: string;
  readonly name: string;
}

/** A selectable setting of a session. */
export interface AcpSetting {
  /** The id of the config option; absent for agents that know the older `session/set_mode` and `session/set_model`. */
  readonly configId?: string;
  readonly current: string;
  readonly choices: readonly AcpChoice[];
}

/** The settings that an agent offers in a session; others are absent. */
export interface AcpSettings {
  readonly model?: AcpSetting;
  readonly effort?: AcpSetting;
  readonly mode?: AcpSetting;
}

/** A request that changes a setting, without the session's id. */
export interface AcpSettingRequest {
  readonly method: "session/set_config_option" | "session/set_mode" | "session/set_model";
  readonly params: Readonly<Record<string, string>>;
}

/** Reads the answer that opened a session or changed a setting. Settings it does not mention stay the same. Pure. */
export function readSettings(rawAnswer: unknown, before: AcpSettings = {}): AcpSettings {
  const { configOptions, modes, models } = recordOf(rawAnswer);
  const older: AcpSettings = {
    ...(isRecord(modes)
      ? { mode: olderSetting(modes, { current: "currentModeId", list: "availableModes", id: "id" }) }
      : {}),
    ...(isRecord(models)
      ? { model: olderSetting(models, { current: "currentModelId", list: "availableModels", id: "modelId" }) }
      : {}),
  };
  const read = { ...before, ...older };
  if (!Array.isArray(configOptions)) return read;
  const options = recordsOf(configOptions).filter((option) => option.type === "select");
  const find = (category: string): AcpSetting | undefined => {
    const option = options.find((candidate) => candidate.category === category);
    if (option === undefined) return undefined;
    const { id, currentValue } = option;
    return { configId: stringOf(id), current: stringOf(currentValue), choices: choicesOf(option.options) };
  };
  const model = find("model");
  const effort = find("thought_level");
  const mode = find("mode");
  return {
    ...read,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** The request that selects a value; undefined when it is selected already. */
export function requestFor(kind: keyof AcpSettings, setting: AcpSetting, value: string): AcpSettingRequest | undefined {
  if (setting.current === value) return undefined;
  const { configId } = setting;
  if (configId !== undefined) return { method: "session/set_config_option", params: { configId, value } };
  if (kind === "mode") return { method: "session/set_mode", params: { modeId: value } };
  return { method: "session/set_model", params: { modelId: value } };
}

/**
 * Finds an offered model by its value, its value without the provider's name, or its title.
 * @throws AgentTurnError with the models on offer
 */
export function resolveAcpModel(setting: AcpSetting | undefined, name: string, agentType: string): string {
  const choices = setting?.choices ?? [];
  const found =
    choices.find(({ value }) => value === name) ??
    choices.find(({ value }) => value.endsWith(`/${name}`)) ??
    choices.find((choice) => choice.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found.value;
  const offer =
    choices.length === 0
      ? "it lets nobody choose a model. Set it in the agent's own settings"
      : `it offers: ${choices.map(({ value }) => value).join(", ")}`;
  throw new AgentTurnError(agentType, `the model "${name}" cannot be chosen: ${offer}.`, { isRetryable: false });
}

const EFFORTS: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "max"];

/** The rank of an agent's effort among Atomic's; between two ranks for an effort that Atomic does not have. */
const EFFORT_RANKS: Readonly<Record<string, number>> = {
  none: 0,
  off: 0,
  minimal: 0.5,
  low: 1,
  medium: 2,
  high: 3,
  xhigh: 3.5,
  max: 4,
};

/** The nearest offered effort; undefined when the agent offers none with a known name. */
export function resolveAcpEffort(setting: AcpSetting | undefined, effort: ReasoningEffort): string | undefined {
  const wanted = EFFORTS.indexOf(effort);
  const ranked = (setting?.choices ?? []).flatMap(({ value }) => {
    const rank = rankOf(value);
    return rank === undefined ? [] : [{ value, distance: Math.abs(rank - wanted) }];
  });
  return ranked.toSorted((left, right) => left.distance - right.distance)[0]?.value;
}

/** The models of a session, for display. */
export function toModelDisplayInfos({ model, effort }: AcpSettings): readonly ModelDisplayInfo[] {
  const ranks = (effort?.choices ?? []).map(({ value }) => rankOf(value));
  const efforts = EFFORTS.filter((_effort, rank) => ranks.includes(rank));
  return (model?.choices ?? []).map(({ value, name }) => ({
    model: value,
    displayName: name || value,
    // An agent reports the efforts of the selected model only.
    ...(value === model?.current && efforts.length > 0 ? { reasoningEfforts: efforts } : {}),
  }));
}

function rankOf(value: string): number | undefined {
  return EFFORT_RANKS[value.toLowerCase()];
}

function olderSetting(
  raw: Readonly<Record<string, unknown>>,
  names: { readonly current: string; readonly list: string; readonly id: string },
): AcpSetting {
  const choices = recordsOf(raw[names.list]).map((choice) => ({
    value: stringOf(choice[names.id]),
    name: stringOf(choice.name),
  }));
  return { current: stringOf(raw[names.current]), choices };
}

/** A flat list, or a list of groups. */
function choicesOf(raw: unknown): readonly AcpChoice[] {
  return recordsOf(raw).flatMap((item) => {
    if (Array.isArray(item.options)) return choicesOf(item.options);
    const value = stringOf(item.value);
    return value === "" ? [] : [{ value, name: stringOf(item.name) }];
  });
}
