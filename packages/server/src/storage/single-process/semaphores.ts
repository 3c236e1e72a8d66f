import type { Semaphores } from '../ports/shared.ts';

export function createMemorySemaphores(): Semaphores {
  const counts = new Map<string, number>();

  function add(key: string, change: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  return {
    acquire: async (semaphores) => {
      const full = semaphores.find(({ key, permits }) => (counts.get(key) ?? 0) >= permits);
      if (full !== undefined) return { acquired: false, full };
      for (const { key } of semaphores) add(key, 1);
      let released = false;
      const release = async () => {
        if (released) return;
        released = true;
        for (const { key } of semaphores) add(key, -1);
      };
      return { acquired: true, release };
    },
  };
}
