import { AsyncLocalStorage } from "node:async_hooks";

/** A place in the tree of a script's `parallel` and `pipeline` branches. */
export class ScriptBranch {
  /** How many `parallel` and `pipeline` calls the branch has made. */
  forkCount = 0;
  /** A call of the branch, or in a branch of it, is not what an earlier version of the script called there. */
  isChanged: boolean;
  ownPhase: string | undefined;
  readonly #branches = new Map<string, ScriptBranch>();

  constructor(
    /** The positions on the way to it: the same whatever the timing. */
    readonly path: string,
    readonly parent: ScriptBranch | undefined,
  ) {
    this.isChanged = parent?.isChanged ?? false;
    if (parent !== undefined) parent.#branches.set(path, this);
  }

  /** The started branch that is nearest to a path of this branch or of one in it. */
  nearestTo(path: string): ScriptBranch {
    const branch = this.#branches.get(path.slice(0, path.indexOf("/", this.path.length) + 1));
    return branch === undefined ? this : branch.nearestTo(path);
  }

  /** The phase that its agents belong to. */
  get phase(): string | undefined {
    return this.ownPhase ?? this.parent?.phase;
  }
}

/** Knows which branch of a script the running code belongs to. */
export class ScriptBranches {
  readonly #current = new AsyncLocalStorage<ScriptBranch>();
  readonly root = new ScriptBranch("", undefined);

  get current(): ScriptBranch {
    return this.#current.getStore() ?? this.root;
  }

  /**
   * Runs functions at the same time, each in a branch of its own, and resolves when all have ended. Then a change in one of
   * them is a change for what follows.
   */
  async fork<T>(works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
    const parent = this.current;
    const fork = ++parent.forkCount;
    const branches = works.map((_, index) => new ScriptBranch(`${parent.path}${fork}.${index}/`, parent));
    try {
      return await Promise.all(
        works.map((work, index) => {
          const branch = branches[index];
          return branch === undefined ? work() : this.#current.run(branch, work);
        }),
      );
    } finally {
      if (branches.some(({ isChanged }) => isChanged)) parent.isChanged = true;
    }
  }
}
