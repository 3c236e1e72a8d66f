import { randomUUIDv7 } from 'node:crypto';
import type { CreatedSpace, NewSpace, Space, SpaceChange } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { JoinedWrites } from '../../storage/ports/index.ts';
import { forbidden, OWNER_OF_SPACE, roleOnSpace } from '../access/access.errors.ts';
import type { SpaceAccess, UserCaller } from '../access/access.ts';
import { foldOrigin } from './origin.rules.ts';
import type { SpaceFilter, SpaceRepository } from './space.repository.ts';
import { formatSpace, ownedColumns, retentionColumns } from './space.rules.ts';

export interface SpaceServiceDeps {
  readonly repository: SpaceRepository;
  readonly clock: Clock;
  /** Called after a space was deleted. The callback must end the space's keys and remove its events. */
  readonly onDeleted: (spaceId: string) => void;
  readonly onRetentionChanged: (spaceId: string) => void;
}

export interface SpaceService {
  /** Creates a space and its first bot, which has the space's name and is owned by the caller. */
  create(
    caller: UserCaller,
    space: NewSpace,
    joined: JoinedWrites<CreatedSpace>,
  ): Promise<CreatedSpace>;
  /** Returns the spaces in which a user has a role. Administrators get all spaces. */
  list(caller: UserCaller, after: string | null, limit: number): Promise<Page<Space>>;
  /** Throws 403 if the space has been deleted, as does `change`. */
  show(space: SpaceAccess): Promise<Space>;
  /** Requires the access of an owner if `change` has a member for which `isForOwners` returns `true`. */
  change(space: SpaceAccess, change: SpaceChange): Promise<Space>;
  /** Throws 403 unless the caller is an administrator or owns every bot of the space, also if the right ends during the deletion. */
  remove(space: SpaceAccess, caller: UserCaller): Promise<void>;
  /** Reports whether any space allows the origin of an `Origin` header. */
  isAllowedSomewhere(origin: string): Promise<boolean>;
  /** Returns the origins that may frame a space's widget and exchange its links. */
  allowedOrigins(spaceId: string): Promise<string[]>;
}

export function createSpaceService(deps: SpaceServiceDeps): SpaceService {
  const { repository, clock, onDeleted, onRetentionChanged } = deps;
  return {
    create: async (
      caller,
      { name, allowedOrigins = [], eventRetention = {}, ...owned },
      joined,
    ) => {
      const space = {
        id: randomUUIDv7(),
        name,
        origins: allowedOrigins.map(foldOrigin),
        created_at: clock(),
        ...retentionColumns(eventRetention),
        permission_filter: null,
        require_link_filter: 0,
        conversation_access: 'owners' as const,
        conversation_events: 0,
        budget: null,
        ...ownedColumns(owned),
      };
      const created = (defaultBotId: number) => ({ ...formatSpace(space), defaultBotId });
      const joinedWithBot = (botId: number) => joined(created(botId));
      return created(await repository.insert(space, caller.userId, joinedWithBot));
    },
    list: async (caller, after, limit) => {
      const rows = await repository.list(visibleTo(caller), after, limit + 1);
      return toPage(rows, limit, (row) => row.id, formatSpace);
    },
    show: async (space) => {
      const found = await repository.find(space);
      if (found === undefined) throw forbidden(roleOnSpace('viewer'));
      return formatSpace(found);
    },
    change: async (space, { name, allowedOrigins, eventRetention, ...owned }) => {
      const origins = allowedOrigins?.map(foldOrigin);
      const retention = eventRetention && retentionColumns(eventRetention);
      const changed = await repository.change(space, {
        name,
        origins,
        retention,
        owned: ownedColumns(owned),
      });
      if (changed === undefined) throw forbidden(roleOnSpace('editor'));
      if (retention !== undefined) onRetentionChanged(space.spaceId);
      return formatSpace(changed);
    },
    remove: async (space, caller) => {
      if (!(await repository.remove(space, caller))) throw forbidden(OWNER_OF_SPACE);
      onDeleted(space.spaceId);
    },
    isAllowedSomewhere: repository.anyAllows,
    allowedOrigins: repository.origins,
  };
}

/** Reports whether only an owner of the space may make a change. */
export function isForOwners(change: SpaceChange): boolean {
  const { permissionFilter, requireLinkFilter, conversationAccess, conversationEvents, budget } =
    change;
  const owned = [
    permissionFilter,
    requireLinkFilter,
    conversationAccess,
    conversationEvents,
    budget,
  ];
  return owned.some((member) => member !== undefined);
}

function visibleTo(caller: UserCaller): SpaceFilter {
  return caller.admin ? { kind: 'all' } : { kind: 'of-user', userId: caller.userId };
}
