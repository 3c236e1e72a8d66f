import type { Kysely } from 'kysely';
import * as peopleSpacesLinks from './0001-people-spaces-links.ts';
import * as eventLogSqlite from './0002-event-log-sqlite.ts';
import * as knowledgeSqlite from './0003-knowledge-sqlite.ts';
import * as vectorsSqlite from './0004-vectors-sqlite.ts';
import * as conversations from './0005-conversations.ts';
import * as costsOfAnswers from './0006-costs-of-answers.ts';
import * as conversationsListed from './0007-conversations-listed.ts';
import * as eventSources from './0008-event-sources.ts';
import * as eventCursors from './0009-event-cursors.ts';
import * as deliveries from './0010-deliveries.ts';
import * as eventRetention from './0011-event-retention.ts';
import * as documentEventsSqlite from './0012-document-events-sqlite.ts';
import * as knowledgeMarksSqlite from './0013-knowledge-marks-sqlite.ts';
import * as signingKeys from './0014-signing-keys.ts';
import * as changedElsewhere from './0016-changed-elsewhere.ts';
import * as keysLedBySpaceSqlite from './0017-keys-led-by-space-sqlite.ts';
import * as partsBySpaceSqlite from './0018-parts-by-space-sqlite.ts';
import * as peopleSpacesLinksPostgres from './postgres/0001-people-spaces-links.ts';
import * as knowledgePostgres from './postgres/0002-knowledge.ts';
import * as eventLogPostgres from './postgres/0003-event-log.ts';
import * as sharedLimitsPostgres from './postgres/0015-shared-limits.ts';
import * as leasesPostgres from './postgres/0016-leases.ts';

/** One step of the schema; it runs in one transaction with its bookkeeping row. */
export interface Migration {
  up(db: Kysely<unknown>): Promise<void>;
}

/** The steps of the embedded store, in order. */
export const sqliteMigrations: Readonly<Record<string, Migration>> = {
  '0001-people-spaces-links': peopleSpacesLinks,
  '0002-event-log-sqlite': eventLogSqlite,
  '0003-knowledge-sqlite': knowledgeSqlite,
  '0004-vectors-sqlite': vectorsSqlite,
  '0005-conversations': conversations,
  '0006-costs-of-answers': costsOfAnswers,
  '0007-conversations-listed': conversationsListed,
  '0008-event-sources': eventSources,
  '0009-event-cursors': eventCursors,
  '0010-deliveries': deliveries,
  '0011-event-retention': eventRetention,
  '0012-document-events-sqlite': documentEventsSqlite,
  '0013-knowledge-marks-sqlite': knowledgeMarksSqlite,
  '0014-signing-keys': signingKeys,
  '0017-keys-led-by-space-sqlite': keysLedBySpaceSqlite,
  '0016-changed-elsewhere+': changedElsewhere,
  '0018-parts-by-space-sqlite': partsBySpaceSqlite,
};

/** The same of PostgreSQL. It begins with a schema of its own; steps from 0014 on are the same where they can be. */
export const postgresMigrations: Readonly<Record<string, Migration>> = {
  'postgres/0001-people-spaces-links': peopleSpacesLinksPostgres,
  'postgres/0002-knowledge': knowledgePostgres,
  'postgres/0003-event-log': eventLogPostgres,
  '0014-signing-keys': signingKeys,
  'postgres/0015-shared-limits+': sharedLimitsPostgres,
  '0016-changed-elsewhere+': changedElsewhere,
  'postgres/0016-leases+': leasesPostgres,
};
