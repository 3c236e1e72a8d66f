import type { GroupRole } from '../../platform/settings/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { hasAdministrator } from '../one-time-links/one-time-link.repository.ts';

/** Facts about the store that a check of the settings needs. */
export interface SettingsRepository {
  /** Returns the IDs of the given bots that do not exist, in ascending order. */
  unknownBots(groupRoles: readonly GroupRole[]): Promise<readonly number[]>;
  hasAdministrator(): Promise<boolean>;
}

export function createSettingsRepository(db: Database): SettingsRepository {
  return {
    unknownBots: async (groupRoles) => {
      const ids = [...new Set(groupRoles.map(({ botId }) => botId))];
      if (ids.length === 0) return [];
      const rows = await db.selectFrom('bots').select('id').where('id', 'in', ids).execute();
      const known = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !known.has(id)).sort((one, other) => one - other);
    },
    hasAdministrator: () => hasAdministrator(db),
  };
}
