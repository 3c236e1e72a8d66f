import type { Semaphores } from '../ports/semaphores.ts';

/** Semaphores of one process, for a service that is one: they end with it. */
export function createMemorySemaphores(): Semaphores {
  const counts = new Map<string, number>();

  function add(key: string, more: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + more;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  return {
    take: async (semaphores) => {
      const full = semaphores.find(({ key, most }) => (counts.get(key) ?? 0) >= most);
      if (full !== undefined) return { taken: false, full };
      for (const { key } of semaphores) add(key, 1);
      let left = false;
      const leave = () => {
        if (left) return;
        left = true;
        for (const { key } of semaphores) add(key, -1);
      };
      return { taken: true, leave };
    },
  };
}
