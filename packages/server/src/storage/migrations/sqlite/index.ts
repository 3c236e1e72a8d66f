import { type Migrations, statements } from '../migrate.ts';
import { events } from './0001-baseline/events.ts';
import { knowledge } from './0001-baseline/knowledge.ts';
import { spaces } from './0001-baseline/spaces.ts';
import { deliveries } from './0007-deliveries.ts';

/** The migrations of this engine, in order. A released migration is never changed. */
export const sqliteMigrations: Migrations = {
  '0001-baseline': statements([...spaces, ...events, ...knowledge]),
  '0007-deliveries': statements(deliveries),
};
