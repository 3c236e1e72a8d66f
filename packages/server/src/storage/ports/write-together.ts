import type { CompiledQuery } from 'kysely';

/**
 * Writes that stand or fall together, in their order. All of them are known beforehand, so that the database
 * is asked once; a transaction is asked step by step, and holds up everybody else's writes for as long as
 * whoever asks takes between two steps. Resolves when they are on disk.
 */
export type WriteTogether = (writes: readonly Write[]) => Promise<void>;

export interface Write {
  compile(): CompiledQuery;
}
