import type { DiscoveryProblem } from "../../contracts/index.ts";
import type { EntityLocation, EntityType, ProviderType, UnifiedEntity } from "./entity.ts";
import type { UserFolders } from "./entity-folders.ts";
import type { ParseYaml } from "./parse-frontmatter.ts";
import type { UnusableEntity } from "./parse-opencode-config.ts";

/** What decides which places have definitions. */
export interface EntityPlacesOptions extends UserFolders {
  readonly projectDirectory: string;
  /** Definitions of vendors between this folder and the project's root are found, too. @default the project's root */
  readonly workingDirectory?: string;
  /** Whose definitions to read. @default all */
  readonly providers?: readonly ProviderType[];
  /**
   * Whether the user trusts the project. Only then may its OpenCode configuration name variables and files outside. `false`:
   * its definitions also come after the user's, and run no commands.
   * @default unknown
   */
  readonly isTrusted?: boolean;
  /** What `{env:…}` in OpenCode's configuration names. @default none */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A folder or a file that may have definitions of one provider. */
export interface EntityPlace {
  readonly provider: ProviderType;
  readonly location: EntityLocation;
  /** The types that its definitions can have. */
  readonly types: readonly EntityType[];
  readonly path: string;
  readonly kind: "folder" | "file";
  /** Where links in a folder may lead. */
  readonly roots: readonly string[];
  /** Where OpenCode applies it: what comes later overrides it. Only for OpenCode's places. */
  readonly order?: number;
  /** Must not throw. */
  read(parseYaml: ParseYaml): Promise<ReadPlace>;
}

/** What a place has. */
export interface ReadPlace {
  readonly entities: readonly UnifiedEntity[];
  /** Entries that define nothing by themselves, but change a definition of their name elsewhere. @default none */
  readonly changes?: readonly UnifiedEntity[];
  /** Definitions whose names are known, and that cannot be used. @default none */
  readonly unusable?: readonly UnusableEntity[];
  /** Each with the types that it is about. @default those of the place */
  readonly problems: readonly (DiscoveryProblem & { readonly types?: readonly EntityType[] })[];
}
