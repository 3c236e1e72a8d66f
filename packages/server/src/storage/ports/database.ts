import type { Kysely } from 'kysely';
import type { EventTables } from './tables/events.ts';
import type { LinkTables } from './tables/links.ts';
import type { PlatformTables } from './tables/platform.ts';
import type { SpaceTables } from './tables/spaces.ts';
import type { UserTables } from './tables/users.ts';

/**
 * The tables of both engines, except the tables of the `knowledge` module. Times are Unix milliseconds, JSON is text,
 * and booleans are 0 or 1. In the tables of better-auth (`users`, `sessions`, `accounts`, `verifications`), times in
 * string columns have the format of its adapter: ISO 8601 on SQLite.
 */
export interface Tables extends EventTables, LinkTables, PlatformTables, SpaceTables, UserTables {}

export type Database = Kysely<Tables>;
