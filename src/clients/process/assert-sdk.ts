import { ClientNotInstalledError } from "../../contracts/index.ts";
import { importPackage, type PackagePlaces, resolvesPackage } from "./find-program.ts";

/** The packages that clients import as an SDK, by the name that `atomic install` uses. */
const SDK_MODULES = {
  claude: "@anthropic-ai/claude-agent-sdk",
  opencode: "@opencode-ai/sdk/v2/client",
  copilot: "@github/copilot-sdk",
  acp: "@agentclientprotocol/sdk",
} as const;

/** An SDK by the name that `atomic install` uses; `acp` is that of all agents without their own client. */
export type SdkName = keyof typeof SDK_MODULES;

/** Settings of {@link assertSdk}. */
export interface AssertSdkOptions extends PackagePlaces {
  /** The agent's name in the error. @default the SDK's */
  readonly agentType?: string;
}

/**
 * Checks that an SDK is installed where clients would import it from, without importing it. @throws ClientNotInstalledError
 */
export function assertSdk(sdk: SdkName, { agentType = sdk, ...places }: AssertSdkOptions): void {
  const name = SDK_MODULES[sdk];
  if (resolvesPackage(name, places)) return;
  const [scope, base] = name.split("/");
  throw new ClientNotInstalledError(agentType, `the package ${scope}/${base}`, {
    remedy: `Run "atomic install ${sdk}".`,
  });
}

/**
 * Starts to import an SDK before a client needs it, so that it is parsed while the caller does other work. The client
 * imports it again and reports a failure.
 */
export function preloadSdk(sdk: SdkName, places: PackagePlaces): void {
  const name = SDK_MODULES[sdk];
  void importPackage({ ...places, name, load: () => import(name) }).catch(() => undefined);
}
