import { createRequire } from 'node:module';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { FIELD_WEIGHTS } from '../../packages/server/src/storage/full-text/terms/index.ts';
import { installPeers } from '../peers/install-peers.ts';
import { HITS, type Passage, type Rank } from './collection.ts';

const ORAMA = { '@orama/orama': '3.1.18', '@orama/stemmers': '3.1.18' };

/** Returns the ranking of minisearch with our field weights. */
export function miniSearch(
  passages: readonly Passage[],
  searchOptions: { readonly prefix?: boolean; readonly fuzzy?: number },
): Rank {
  const index = new MiniSearch<Passage>({
    fields: ['title', 'heading', 'body'],
    storeFields: ['unit'],
    searchOptions: { boost: { ...FIELD_WEIGHTS }, ...searchOptions },
  });
  index.addAll(passages);
  return (text) =>
    index
      .search(text)
      .slice(0, HITS)
      .map(({ unit }) => String(unit));
}

interface OramaModule {
  create(options: object): unknown;
  insertMultiple(database: unknown, documents: readonly object[], batchSize?: number): unknown;
  search(database: unknown, parameters: object): OramaResults | Promise<OramaResults>;
}

export interface OramaResults {
  readonly hits: readonly { readonly document: Readonly<Record<string, unknown>> }[];
}

export interface Orama {
  readonly module: OramaModule;
  /** The English stemmer, an optional package. */
  readonly stemmer: (word: string) => string;
}

/** Installs Orama into a folder and loads it. Requires an npm registry. */
export function loadOrama(folder: string): Orama {
  installPeers(folder, ORAMA);
  const require = createRequire(join(folder, 'package.json'));
  const { stemmer } = require('@orama/stemmers/english') as Pick<Orama, 'stemmer'>;
  return { module: require('@orama/orama') as OramaModule, stemmer };
}

/** Returns the ranking of Orama with its English stemmer and our field weights. A passage matches if it contains any word. */
export async function orama(
  { module, stemmer }: Orama,
  passages: readonly Passage[],
  texts: readonly string[],
  tolerance: number,
): Promise<Rank> {
  const database = module.create({
    schema: { title: 'string', heading: 'string', body: 'string' },
    components: { tokenizer: { language: 'english', stemming: true, stemmer } },
  });
  await module.insertMultiple(
    database,
    passages.map(({ title, heading, body, unit }) => ({ title, heading, body, unit })),
  );
  const found = new Map<string, string[]>();
  for (const text of texts) {
    const { hits } = await module.search(database, {
      term: text,
      limit: HITS,
      threshold: 1,
      tolerance,
      boost: FIELD_WEIGHTS,
    });
    found.set(
      text,
      hits.map(({ document }) => String(document['unit'])),
    );
  }
  return (text) => found.get(text) ?? [];
}
