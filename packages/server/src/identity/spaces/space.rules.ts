import type {
  Bot,
  Budget,
  ConversationAccess,
  EventRetention,
  HandoffSettings,
  Member,
  Role,
  Space,
  SpaceChange,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { parse } from '../../lib/json/index.ts';

export interface StoredSpace {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
  /** Unix milliseconds. */
  readonly created_at: number;
  /** `null`: the installation's default. */
  readonly events_max_age_days: number | null;
  /** `null`: the installation's default. */
  readonly events_max_bytes: number | null;
  /** JSON text. `null`: the space has no filter. */
  readonly permission_filter: string | null;
  /** 0 or 1. */
  readonly require_link_filter: number;
  readonly conversation_access: ConversationAccess;
  /** 0 or 1. */
  readonly conversation_events: number;
  /** JSON text. `null`: no limits. */
  readonly budget: string | null;
}

export interface StoredBot {
  readonly id: number;
  readonly space_id: string;
  readonly name: string;
  readonly system_prompt: string | null;
  readonly greeting: string | null;
  /** JSON array of strings. */
  readonly suggestions: string;
  readonly model: string | null;
  /** JSON object. `null`: the bot hands no conversation over. */
  readonly handoff: string | null;
  readonly contact: string | null;
}

export interface StoredMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** Returns the columns of a retention. An omitted member becomes `null`, which means the installation's default. */
export function retentionColumns({ maxAgeDays = null, maxBytes = null }: Partial<EventRetention>) {
  return { events_max_age_days: maxAgeDays, events_max_bytes: maxBytes };
}

export type OwnedColumns = Partial<
  Pick<
    StoredSpace,
    | 'permission_filter'
    | 'require_link_filter'
    | 'conversation_access'
    | 'conversation_events'
    | 'budget'
  >
>;

/** Returns the columns of the members that only an owner of the space may change. Omitted members have no column. */
export function ownedColumns({
  permissionFilter,
  requireLinkFilter,
  conversationAccess,
  conversationEvents,
  budget,
}: Pick<
  SpaceChange,
  'permissionFilter' | 'requireLinkFilter' | 'conversationAccess' | 'conversationEvents' | 'budget'
>): OwnedColumns {
  return {
    ...(permissionFilter === undefined
      ? {}
      : { permission_filter: permissionFilter && JSON.stringify(permissionFilter) }),
    ...(requireLinkFilter === undefined ? {} : { require_link_filter: requireLinkFilter ? 1 : 0 }),
    ...(conversationAccess === undefined ? {} : { conversation_access: conversationAccess }),
    ...(conversationEvents === undefined
      ? {}
      : { conversation_events: conversationEvents ? 1 : 0 }),
    ...(budget === undefined ? {} : { budget: budget && JSON.stringify(budget) }),
  };
}

export function formatSpace(space: StoredSpace): Space {
  return {
    id: space.id,
    name: space.name,
    allowedOrigins: [...space.origins],
    eventRetention: {
      maxAgeDays: space.events_max_age_days,
      maxBytes: space.events_max_bytes,
    },
    permissionFilter:
      space.permission_filter === null ? null : (parse(space.permission_filter) as JsonObject),
    requireLinkFilter: space.require_link_filter === 1,
    conversationAccess: space.conversation_access,
    conversationEvents: space.conversation_events === 1,
    budget: space.budget === null ? null : (parse(space.budget) as Budget),
    createdAt: new Date(space.created_at).toISOString(),
  };
}

export function formatBot(bot: StoredBot): Bot {
  return {
    id: bot.id,
    spaceId: bot.space_id,
    name: bot.name,
    systemPrompt: bot.system_prompt,
    greeting: bot.greeting,
    suggestions: JSON.parse(bot.suggestions) as string[],
    model: bot.model,
    handoff: bot.handoff === null ? null : (JSON.parse(bot.handoff) as HandoffSettings),
    contact: bot.contact,
  };
}

export function formatMember(member: StoredMember): Member {
  return { userId: member.user_id, email: member.email, name: member.name, role: member.role };
}
