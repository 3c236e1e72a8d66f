import type { Job, JobWork, Leases, Term } from '../ports/leases.ts';

/** No other process can open the store, so this process holds every job permanently. */
const PERMANENT: Term = {
  signal: new AbortController().signal,
  isHeld: () => true,
  fence: [],
};

export function createLeases(): Leases {
  const started = new Set<string>();
  return {
    job: <Work extends JobWork>(name: string, begin: (term: Term) => Promise<Work>): Job<Work> => {
      let work: Work | null = null;
      return {
        start: async () => {
          work = await begin(PERMANENT);
          started.add(name);
        },
        get work() {
          return work;
        },
        notify: (hint) => work?.onHint(hint),
        [Symbol.asyncDispose]: async () => work?.stop(),
      };
    },
    isAnyHeld: async () => started.size > 0,
    jobs: () => new Map([...started].map((name) => [name, true])),
  };
}
