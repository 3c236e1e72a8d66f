import { hkdfSync } from 'node:crypto';
import { AUDIT_EVENT_PREFIX, type AuditEntry } from '@gatehouse/contract';
import { type AuditRow, type EventBatch, toEventBatch } from '../../storage/ports/index.ts';
import { toEntry } from './audit.rules.ts';

const SOURCE_BYTES = 16;

/** Returns the `source` of the service's own events. It identifies the installation and does not reveal its secret. */
export function installationSource(secret: Buffer): string {
  const bytes = hkdfSync('sha256', secret, '', 'gatehouse audit source', SOURCE_BYTES);
  return `urn:gatehouse:${Buffer.from(bytes).toString('hex')}`;
}

/** Returns entries as events of one space. The ID of the entry is the ID of the event, so the event log stores each entry once. */
export function toAuditEvents(
  rows: readonly AuditRow[],
  target: { readonly spaceId: string; readonly source: string; readonly receivedAt: number },
): EventBatch {
  const { source } = target;
  return toEventBatch(
    rows.map((row) => toCloudEvent(toEntry(row), source)),
    target,
  );
}

function toCloudEvent(entry: AuditEntry, source: string) {
  const { id, at, action, resource } = entry;
  return {
    specversion: '1.0',
    id,
    source,
    type: `${AUDIT_EVENT_PREFIX}${action}`,
    subject: resource.id === null ? resource.type : `${resource.type}/${resource.id}`,
    time: at,
    datacontenttype: 'application/json',
    data: entry,
  };
}
