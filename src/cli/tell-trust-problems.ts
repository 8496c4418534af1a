import type { DiscoveryProblem } from "../contracts/index.ts";
import type { TrustStore } from "../discovery/index.ts";

/**
 * The same store, which says once that the list of trusted projects cannot be used: otherwise a project that was trusted
 * would be left out without a word.
 *
 * @param tell called with the problem, before the first answer that depends on it
 */
export function tellTrustProblems(store: TrustStore, tell: (problem: DiscoveryProblem) => void): TrustStore {
  let isTold = false;
  const look = async (): Promise<void> => {
    if (isTold) return;
    const { problems } = await store.load();
    isTold ||= problems.length > 0;
    for (const problem of problems) tell(problem);
  };
  return {
    ...store,
    async isTrusted(projectDirectory) {
      await look();
      return await store.isTrusted(projectDirectory);
    },
    async trust(projectDirectory) {
      const { problems } = await store.load();
      await store.trust(projectDirectory);
      isTold ||= problems.length > 0;
      for (const problem of problems) tell({ ...problem, remedy: `It is kept as ${problem.path}.broken.` });
    },
  };
}
