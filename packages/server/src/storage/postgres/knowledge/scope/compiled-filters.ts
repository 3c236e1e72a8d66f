import { type CompiledFilter, compile, type FilterNode } from '@gatehouse/filter';
import { LRUCache } from 'lru-cache';
import { StorageTooSlow } from '../../../../lib/threads/index.ts';
import { type FilterColumns, ParsedMetadata } from '../../../in-memory/index.ts';
import { IS_NOT_REMOVED_OF_FIRST } from '../../../ports/removed-documents.ts';
import type { Session } from '../../pool.ts';
import { TIME_LIMIT_MS } from '../reads.ts';

/** Maximum number of compiled filters in the cache. A compiled filter can take more than 1 MB of memory. */
const MAX_CACHED = 8;

interface TestedDocuments {
  readonly spaceId: string;
  /** JSON of a `Filter`. */
  readonly filter: string;
  readonly numbers: readonly number[];
  /** `true` to omit documents that are not ready. */
  readonly onlyReady?: boolean;
}

/** Tests documents against large filters. Each filter is compiled once, and large metadata is parsed once. */
export class CompiledFilters {
  readonly #cache = new LRUCache<string, CompiledFilter>({ max: MAX_CACHED });
  readonly #parsed = new ParsedMetadata();
  #deadline = 0;

  /** Restarts the time limit. Call it before each request. */
  startTimer(): void {
    this.#deadline = performance.now() + TIME_LIMIT_MS;
  }

  /** Returns those of the given numbers that belong to documents in a scope. The result equals that of `permits`. */
  async acceptedAmong(
    session: Session,
    { spaceId, filter, numbers, onlyReady = false }: TestedDocuments,
  ): Promise<readonly number[]> {
    const { rows } = await session.run(SELECT_DOCUMENTS, [spaceId, numbers, onlyReady]);
    const accepts = this.#compiled(filter);
    const accepted = rows.filter((row) => this.#test(accepts, row));
    const replaced = accepted.flatMap(({ number, isReplaced }) =>
      isReplaced === true ? [Number(number)] : [],
    );
    const hidden = new Set<number>();
    if (replaced.length > 0) {
      const versions = await session.run(SELECT_VERSIONS, [spaceId, replaced]);
      for (const version of versions.rows)
        if (!this.#test(accepts, version)) hidden.add(Number(version['replaces']));
    }
    return accepted.flatMap(({ number }) => (hidden.has(Number(number)) ? [] : [Number(number)]));
  }

  #test(accepts: CompiledFilter, row: Readonly<Record<string, unknown>>): boolean {
    this.#checkTime();
    return accepts(this.#parsed.recordOf(row as FilterColumns));
  }

  #compiled(filter: string): CompiledFilter {
    const known = this.#cache.get(filter);
    if (known !== undefined) return known;
    const compiled = compile(JSON.parse(filter) as FilterNode, () => this.#checkTime());
    this.#cache.set(filter, compiled);
    return compiled;
  }

  #checkTime(): void {
    if (performance.now() > this.#deadline) throw new StorageTooSlow();
  }
}

const RECORD = `documents.file_name as "fileName", documents.mime_type as "mimeType", documents.language,
    documents.created_at as "createdAt", documents.updated_at as "updatedAt", documents.metadata`;

const SELECT_DOCUMENTS = `
  select documents.number, documents.next_number is not null as "isReplaced", ${RECORD}
  from unnest($2::bigint[]) as one (number)
  cross join lateral (
    select * from documents where documents.space_id = $1 and documents.number = one.number limit 1
  ) as documents
  where documents.replaces is null and (documents.state = 'ready' or not $3::boolean)
    and ${IS_NOT_REMOVED_OF_FIRST}`;

/** Selects the newer versions of documents that are being replaced. */
const SELECT_VERSIONS = `
  select documents.replaces, documents.number, ${RECORD}
  from documents where documents.space_id = $1 and documents.replaces = any ($2::bigint[])`;
