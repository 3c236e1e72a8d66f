import { LoadedDocuments, type LoadedKind } from '../../in-memory/index.ts';
import { passagesOf, type VisiblePassages } from '../ranking/index.ts';
import { type IndexedDocument, TermIndex } from '../terms/index.ts';
import type { SpaceReads } from './reads.ts';

/** A space is loaded again if it has more deleted passages than this number and more than half of its passages are deleted. */
const MAX_DELETED = 50_000;
/** Number of changed documents whose states are read together. */
const CHANGES_PER_READ = 500;

type TermsKind = LoadedKind<IndexedDocument, TermIndex, VisiblePassages, SpaceReads>;

const terms: TermsKind = {
  newTable: () => new TermIndex(),
  visibleAmong: passagesOf,
  isWasteful: ({ deleted, size }) => deleted > MAX_DELETED && deleted * 2 > size,

  async load(index, reads, after, isOver) {
    for await (const { number, chunks } of reads.documents(after)) {
      index.add(number, chunks);
      if (isOver(number)) return;
    }
  },

  async apply(index, reads, pending, isOver) {
    const changes = [...pending];
    for (let at = 0; at < changes.length; at += CHANGES_PER_READ) {
      const some = changes.slice(at, at + CHANGES_PER_READ);
      const ready = new Set(await reads.readyAmong(some.map(([number]) => number)));
      for (const [number, reindexed] of some) {
        const slots = await applyChange(index, reads, { number, reindexed }, ready.has(number));
        if (isOver(number, slots)) return;
      }
    }
  },
};

/** The index of a space in memory. */
export class LoadedSpace extends LoadedDocuments<
  IndexedDocument,
  TermIndex,
  VisiblePassages,
  SpaceReads
> {
  constructor() {
    super(terms);
  }
}

/** Returns the slots that changed. */
async function applyChange(
  index: TermIndex,
  reads: SpaceReads,
  { number, reindexed }: { readonly number: number; readonly reindexed: boolean },
  isReady: boolean,
): Promise<readonly number[]> {
  const known = index.slotOf(number);
  const slots = known === null ? [] : [known];
  if (known !== null && isReady && !reindexed) return slots;
  const chunks = isReady ? await reads.termsOf(number) : [];
  index.delete(number);
  return isReady ? [...slots, index.add(number, chunks)] : slots;
}
