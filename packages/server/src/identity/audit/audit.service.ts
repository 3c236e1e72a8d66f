import { AUDIT_ACTIONS, type AuditEntry, invalidRequest, nameHint } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import { toMilliseconds } from '../../lib/scheduling/index.ts';
import type { AuditQuery, AuditRepository } from './audit.repository.ts';
import { CSV_HEADER, toCsvLine, toEntry, toJsonLine } from './audit.rules.ts';

export interface AuditFilters {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  /** RFC 3339. */
  readonly from?: string;
  /** RFC 3339. */
  readonly to?: string;
}

const EXPORTED_AT_ONCE = 500;

export interface Audit {
  list(query: AuditQuery, after: string | null, limit: number): Promise<Page<AuditEntry>>;
  /**
   * Yields the matching entries as text, newest first.
   *
   * @param recheck called between statements. The export ends with its error if it rejects.
   */
  export(
    query: AuditQuery,
    format: 'jsonl' | 'csv',
    recheck: () => Promise<unknown>,
  ): AsyncGenerator<string>;
}

export function createAudit(repository: AuditRepository): Audit {
  return {
    list: async (query, after, limit) => {
      const rows = await repository.list(query, after, limit + 1);
      return toPage(rows, limit, (row) => row.id, toEntry);
    },
    async *export(query, format, recheck) {
      const toLine = format === 'csv' ? toCsvLine : toJsonLine;
      if (format === 'csv') yield CSV_HEADER;
      let after: string | null = null;
      for (;;) {
        const rows = await repository.list(query, after, EXPORTED_AT_ONCE);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map((row) => toLine(toEntry(row))).join('');
        if (rows.length < EXPORTED_AT_ONCE) return;
        after = last.id;
        await recheck();
      }
    },
  };
}

/** Throws 400 for an unknown action, which would otherwise look as if nobody had done it. */
export function toAuditQuery(
  { actor, action, resource, from, to }: AuditFilters,
  spaceId: string | null,
): AuditQuery {
  if (action !== undefined && !Object.hasOwn(AUDIT_ACTIONS, action))
    throw invalidRequest('access', [
      `action: must be an action of the audit${nameHint(action, Object.keys(AUDIT_ACTIONS))}`,
    ]);
  return {
    spaceId,
    actor: actor?.toLowerCase(),
    action,
    resource: resource?.toLowerCase(),
    from: toMilliseconds(from),
    to: toMilliseconds(to),
  };
}
