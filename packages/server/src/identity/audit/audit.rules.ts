import type { AuditEntry } from '@gatehouse/contract';
import { toCsvRow } from '../../lib/text/index.ts';
import type { AuditRow } from '../../storage/ports/index.ts';

export function toEntry(row: AuditRow): AuditEntry {
  const [type = ''] = row.action.split('.');
  return {
    id: row.id,
    at: new Date(Number(row.at)).toISOString(),
    action: row.action,
    actor: { type: row.actor_kind, id: row.actor_id, session: row.session_id },
    resource: { type, id: row.resource_id },
    spaceId: row.resource_space_id,
    address: row.address,
    sub: row.sub,
    details: row.details === null ? null : (JSON.parse(row.details) as AuditEntry['details']),
  };
}

export function toJsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

const CSV_COLUMNS: Readonly<Record<string, (entry: AuditEntry) => string | null>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  actorType: ({ actor }) => actor.type,
  actorId: ({ actor }) => actor.id,
  session: ({ actor }) => actor.session,
  resourceType: ({ resource }) => resource.type,
  resourceId: ({ resource }) => resource.id,
  spaceId: ({ spaceId }) => spaceId,
  address: ({ address }) => address,
  sub: ({ sub }) => sub,
  details: ({ details }) => (details === null ? null : JSON.stringify(details)),
};

export const CSV_HEADER = toCsvRow(Object.keys(CSV_COLUMNS));

export function toCsvLine(entry: AuditEntry): string {
  return toCsvRow(Object.values(CSV_COLUMNS).map((read) => read(entry) ?? ''));
}
